"""``hypursuit crawl URL… --store DIR``: sites into stores."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.table import Table

from hypursuit.crawl.addresses import AddressPolicy, Resolve, parse_network
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.scope import Site
from hypursuit.errors import BadSetting
from routers.crawl_settings import CrawlLimits, CrawlSettings, Politeness
from routers.crawler import crawl_sites
from topology.console import CrawlBars, json_option, output, print_json, progress_bars

if TYPE_CHECKING:
    from routers.crawl_report import CrawlReport

_UNITS = {"k": 10**3, "m": 10**6, "g": 10**9}
_WELCOME = {Outcome.STORED, Outcome.UNCHANGED, Outcome.RULES, Outcome.SITEMAP, Outcome.REDIRECT, Outcome.RETRIED}


def _size(_ctx: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    number, unit = (text[:-1], text[-1].lower()) if text[-1:].lower() in _UNITS else (text, "")
    try:
        return int(float(number) * _UNITS.get(unit, 1))
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(f"{text!r} is not a size such as 500k, 20M or 1G") from error


@click.command()
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the stores.")
@click.option("--below", metavar="PATH", help="What belongs to the sites, if not what is below their URLs; / is all.")
@click.option("--max-pages", type=click.IntRange(1), help="Pages per site; the first ones in breadth-first order.")
@click.option("--max-depth", type=click.IntRange(0), help="Links from the root page.")
@click.option(
    "--max-bytes", callback=_size, metavar="SIZE", help="Per site and run; 500k, 20M, 1G. The next run goes on."
)
@click.option("--max-time", type=click.FloatRange(0), metavar="SECONDS", help="Per site and run. The next run goes on.")
@click.option(
    "--delay", type=click.FloatRange(0), metavar="SECONDS", help="Between requests; 0.1, or 0 on this machine."
)
@click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="Requests at once, per site.")
@click.option(
    "--resolve", "resolves", metavar="HOST:PORT:ADDRESS", multiple=True, help="Find a host there; like curl's."
)
@click.option("--allow-address", "networks", metavar="NETWORK", multiple=True, help="Private addresses that are meant.")
@json_option
def command(urls: tuple[str, ...], store: Path, concurrency: int, as_json: bool, **options: Any) -> None:
    """Crawl sites into a store, one file each.

    A site is the host of its URL, or what lies below the URL's path. A crawl that was cut short goes on where it
    was; a finished one is renewed: only what has changed is fetched again, and what is gone is removed.
    """
    settings = CrawlSettings(
        limits=CrawlLimits(options["max_pages"], options["max_depth"], options["max_bytes"], options["max_time"]),
        politeness=Politeness(delay=options["delay"], concurrency=concurrency),
        addresses=AddressPolicy(
            tuple(map(Resolve.parse, options["resolves"])), tuple(map(parse_network, options["networks"]))
        ),
    )
    sites = [Site.of(url, options["below"]) for url in urls]
    _make_folder(store)
    with progress_bars(quiet=as_json) as bars:
        reports = asyncio.run(crawl_sites(sites, store, settings, CrawlBars(bars)))
    if as_json:
        print_json([_summary(report) for report in reports])
    else:
        show(reports)
        if any(report.failure is None for report in reports):
            output().print(f"\nSee what is there:  hypursuit clusters {escape(str(store))}", style="dim")
    if any(report.failure for report in reports):
        sys.exit(1)


def _make_folder(store: Path) -> None:
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(f"cannot make the folder {store}: {error.strerror}; give another with --store") from error


def _summary(report: CrawlReport) -> dict[str, Any]:
    return {
        "site": report.site.root,
        "store": str(report.store),
        "pages": report.pages,
        "aliases": report.aliases,
        "removed": report.removed,
        "outcomes": {outcome.value: count for outcome, count in sorted(report.outcomes.items())},
        "bytes": report.bytes,
        "seconds": round(report.seconds, 3),
        "crawl": report.crawl,
        "resumed": report.resumed,
        "finished": report.finished,
        "stopped": report.stopped,
        "error": str(report.failure) if report.failure else None,
    }


def show(reports: list[CrawlReport]) -> None:
    """A line per site, with what was left out and why."""
    console = output()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, right in (
        ("site", False),
        ("pages", True),
        ("same", True),
        ("new", True),
        ("gone", True),
        ("MB", True),
    ):
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    table.add_column("left out")
    for report in reports:
        if report.failure is None:
            table.add_row(*_row(report))
    if table.row_count:
        console.print(table)
    for report in reports:
        if report.failure is not None:
            click.secho(f"{report.site.root}: {report.failure}", fg="red", err=True)


def _row(report: CrawlReport) -> list[str]:
    left_out = [f"{outcome} {count}" for outcome, count in report.outcomes.most_common() if outcome not in _WELCOME]
    if report.stopped:
        left_out.append(f"unfinished: {report.stopped}")
    return [
        escape(report.site.root.partition("://")[2].removesuffix("/")),
        str(report.pages - report.aliases),
        str(report.aliases),
        str(report.outcomes[Outcome.STORED]),
        str(report.removed),
        f"{report.bytes / 1e6:.1f}",
        escape(", ".join(left_out)),
    ]
