"""How a tree comes up, shown to a person: bars on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hypursuit.clustering.lettering import clean
from topology.console import CrawlBars

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from routers.crawl_report import CrawlReport
    from topology.prepare import Prepared


class LaunchBars(CrawlBars):
    """One bar for every site under way, then one for the leaves that are made ready."""

    def __init__(self, bars: Progress, *, quiet: bool = False) -> None:
        super().__init__(bars)
        self._preparing: TaskID | None = None
        self._lines = not quiet and not sys.stderr.isatty()

    def ended(self, report: CrawlReport) -> None:
        """Take the bar away."""
        super().ended(report)
        went = f"failed: {report.failure}" if report.failure else f"{report.pages} pages"
        self._say(f"crawled {report.site.root}: {went}")

    def preparing(self, total: int) -> None:
        """Add a bar for all leaves."""
        self._preparing = self._bars.add_task("indexing, clustering, labelling", total=total, detail="")

    def prepared(self, leaf: Prepared) -> None:
        """Move it."""
        if self._preparing is not None:
            self._bars.update(self._preparing, advance=1, detail=leaf.name)
        if leaf.made:
            self._say(f"prepared {leaf.name}: {leaf.pages} pages")

    def _say(self, line: str) -> None:
        if self._lines:
            click.echo(clean(line, 300), err=True)
