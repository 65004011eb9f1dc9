"""What a crawl tells while it runs and when it ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hypursuit.crawl.outcome import Outcome
from hypursuit.errors import CrawlFailed, HyPursuitError

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.crawl.scope import Site
    from routers.store_writer import Visit


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """How the crawl of a site went, as far as this run is concerned."""

    site: Site
    store: Path
    pages: int = 0
    """Pages the store now holds of this crawl, aliases included."""
    aliases: int = 0
    """Of these, pages that are the same as another one."""
    removed: int = 0
    """Pages of an earlier crawl that are gone."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """How the visits of this run ended."""
    bytes: int = 0
    """Of bodies, after decompression."""
    seconds: float = 0.0
    crawl: int = 0
    """1 for the first crawl of the site, then counting re-crawls."""
    resumed: bool = False
    """Whether the run went on with an unfinished crawl."""
    stopped: str = ""
    """Why the crawl is unfinished; empty where it is finished."""
    failure: HyPursuitError | None = None
    """Why there is nothing to report."""

    @property
    def finished(self) -> bool:
        """Whether the site was crawled as far as its limits go."""
        return not self.stopped and self.failure is None


class CrawlProgress(Protocol):
    """Is told how a crawl gets on; called from the event loop, so it must not take long."""

    def started(self, site: Site, *, stored: int, limit: int | None) -> None:
        """A site's crawl begins, with so many pages stored by the run that it resumes."""

    def advanced(self, site: Site, *, stored: int, waiting: int) -> None:
        """A URL was visited; ``waiting`` counts those of the present level that are still to come."""

    def ended(self, report: CrawlReport) -> None:
        """A site's crawl is over."""


class SilentProgress:
    """Progress that nobody watches."""

    def started(self, site: Site, *, stored: int, limit: int | None) -> None:
        """Say nothing."""

    def advanced(self, site: Site, *, stored: int, waiting: int) -> None:
        """Say nothing."""

    def ended(self, report: CrawlReport) -> None:
        """Say nothing."""


def root_failure(site: Site, visit: Visit) -> CrawlFailed:
    """The error for a site whose root page could not be had, with what to do about it."""
    return CrawlFailed(f"{site.root} gave no page: {_cause(site, visit)}")


def _cause(site: Site, visit: Visit) -> str:  # noqa: PLR0911  one sentence per outcome
    detail, target = visit.last.detail, visit.leads_to or visit.last.detail
    match visit.outcome:
        case Outcome.OFF_SITE if site.same_host(target):
            return f"it redirects to {target}, which is outside {site.prefix}/; crawl that one"
        case Outcome.OFF_SITE:
            return f"it redirects to another site; crawl {target} instead"
        case Outcome.REDIRECT | Outcome.TOO_MANY_REDIRECTS:
            return f"its redirects lead in a circle, last to {target}"
        case Outcome.ROBOTS:
            return "the site's robots.txt disallows it; ask its owner, or start below a path that is allowed"
        case Outcome.TYPE | Outcome.BINARY:
            return f"it is not HTML ({detail}); start at an HTML page"
        case Outcome.GONE | Outcome.REFUSED:
            return f"the server answered {visit.last.status}; check the address"
        case Outcome.TOO_LARGE:
            return f"it is too large: {detail}"
        case _:
            return f"{detail or visit.outcome}; check the address and try again later"
