"""What commands share: where stores are, how results are printed, how progress is drawn."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from hypursuit.errors import StoreUnusable
from routers.store import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from hypursuit.crawl.scope import Site
    from routers.crawl_report import CrawlReport

T = TypeVar("T")

_FILE_WIDTH = 180
_COMPANIONS = (*(SUFFIX + end for end in (".lock", "-wal", "-shm")), ".index", ".leaf")
"""Files beside a store; ``hypursuit clusters stores/docs*`` names them too."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else.")
store_argument = click.argument("stores", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))


def output() -> Console:
    """For results. Plain and wide where the output is not a terminal: a file has no right margin."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=_FILE_WIDTH)


def print_json(result: Any) -> None:
    """One JSON document, frozen types as objects."""
    click.echo(json.dumps(result, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def find_stores(paths: tuple[Path, ...]) -> list[Path]:
    """Store files among the paths given: files as they are, of folders every store in them."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob(f"*{SUFFIX}"))
            if not inside:
                raise StoreUnusable(f"there is no store in {path}; make one with: hypursuit crawl URL --store {path}")
            found.extend(inside)
        elif not path.name.endswith(_COMPANIONS):
            found.append(path)
    if not found:
        raise StoreUnusable(f"{paths[0]} belongs to a store but is none; name the {SUFFIX} file or its folder")
    return found


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Progress]:
    """Bars on the terminal, on standard error so that results can be piped; gone when done."""
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}", markup=False, style="dim"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=quiet or not sys.stderr.isatty(),
    ) as bars:
        yield bars


@contextmanager
def working(what: str, *, quiet: bool) -> Iterator[None]:
    """A line that says what is being done while it is."""
    console = Console(stderr=True)
    if quiet or not sys.stderr.isatty():
        yield
        return
    with console.status(what):
        yield


def run_until_interrupted(running: AbstractAsyncContextManager[T], started: Callable[[T], None]) -> None:
    """Keep something running until Ctrl-C or SIGTERM; ``started`` is told once it runs.

    Interrupted before that, it is an interruption; afterwards it is the way to end it.
    """
    if not asyncio.run(_until_interrupted(running, started)):
        raise KeyboardInterrupt


async def _until_interrupted(running: AbstractAsyncContextManager[T], started: Callable[[T], None]) -> bool:
    task, up = asyncio.current_task(), False
    assert task is not None  # noqa: S101  a coroutine runs in one
    # As asyncio does by itself for Ctrl-C.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        async with running as handle:
            started(handle)
            up = True
            await asyncio.Event().wait()
    except asyncio.CancelledError:
        click.echo("stopped" if up else "stopping", err=True)
    return up


class CrawlBars:
    """Progress of a crawl: one bar for every site under way."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task: dict[str, Any] = {}

    def started(self, site: Site, *, stored: int, limit: int | None) -> None:
        """Add a bar."""
        self._task[site.root] = self._bars.add_task(site.host, completed=stored, total=limit, detail="")

    def advanced(self, site: Site, *, stored: int, waiting: int) -> None:
        """Move it."""
        self._bars.update(self._task[site.root], completed=stored, detail=f"{waiting} waiting")

    def ended(self, report: CrawlReport) -> None:
        """Take it away; sites that could not even start never had one."""
        task = self._task.pop(report.site.root, None)
        if task is not None:
            self._bars.remove_task(task)
