"""Does the crawler keep its promises on real sites?

    python examples/crawl_proof.py --web FOLDER [--sites HOST[/PAGE]...] [--kills 50] [--seed 1996]

--web is a folder of sites, one folder per host name; they are served on loopback and crawled through the front door.

1. Every page that can be reached and is allowed is stored, exactly once, at its depth: the stores are held against a
   walk over the same files that shares no code with the crawler (site_walk.py), and against what the server was asked.
2. Nothing is lost by kill -9, and nothing stored is fetched again: crawl_kills.py, on the first of the sites.

The exit code is 1 if anything differs. The tables that this printed for us are examples/benchmarks/crawl_proof.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from crawl_kills import SHOWN, WatchedSites, add_kill_options, kill_and_judge
from site_walk import spelt, walk

from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from routers.crawl_settings import CrawlSettings
from routers.crawler import crawl_sites
from routers.store import Store

if TYPE_CHECKING:
    from routers.crawl_report import CrawlReport

# Chosen for what is in them: dead links, aliases, noindex, nofollow, frames, base addresses, deep folders, odd names.
SITES = """
www.sqlite.org ant.apache.org docs.python.org en.cppreference.com git-scm.com ikiwiki.info lilypond.org/web/index.html
help.libreoffice.org/en-US/text/scalc/main0000.html lpsolve.sourceforge.net/index.htm www.shorewall.org/html/index.html
"""


@dataclass(frozen=True)
class Verdict:
    """A site's store held against the walk over its files, and against the server's memory."""

    reachable: int
    stored: int
    """Aliases included."""
    aliases: int
    missing: list[str]
    extra: list[str]
    not_asked_once: list[str]
    other_depth: list[str]

    @property
    def problems(self) -> list[str]:
        """All that differs, a line each."""
        named = ("missing", "extra", "not_asked_once", "other_depth")
        return [f"{name.replace('_', ' ')}: {url}" for name in named for url in getattr(self, name)]


async def crawl_and_judge(sites: WatchedSites, folders: dict[str, Path], roots: list[Site], store: Path) -> bool:
    """Crawl all sites at once, print what came of each; whether all is as promised."""
    addresses = AddressPolicy(tuple(map(Resolve.parse, sites.resolve_entries())))
    reports = await crawl_sites(roots, store, CrawlSettings(addresses=addresses))
    verdicts = [judge(report, folders[report.site.host], sites.asked) for report in reports]
    print("| site | reachable by the walk | stored | of these aliases | missing | extra |", end="")
    print(" not requested exactly once | other depth |\n|---|---|---|---|---|---|---|---|")
    for report, verdict in zip(reports, verdicts, strict=True):
        figures = (getattr(verdict, column.name) for column in fields(verdict))
        print(f"| {report.site.host} |", *(f"{n if isinstance(n, int) else len(n)} |" for n in figures))
    for verdict in verdicts:
        print(*verdict.problems[:SHOWN], sep="\n", end="\n" * bool(verdict.problems), file=sys.stderr)
    return not any(verdict.problems for verdict in verdicts)


def judge(report: CrawlReport, folder: Path, asked: Counter[str]) -> Verdict:
    """Hold one store against the files."""
    if report.failure is not None:
        raise report.failure
    expected = walk(folder, report.site.root).pages
    with Store.open(report.store) as store:
        stored = {record.url: record.depth for record in store.records(aliases=True)}
    depths = {spelt(url): depth for url, depth in stored.items()}
    asked_here = {url for url in asked if report.site.covers(url)}
    return Verdict(
        reachable=len(expected),
        stored=len(stored),
        aliases=report.aliases,
        missing=sorted(expected.keys() - depths.keys()),
        extra=sorted((Counter(map(spelt, stored)) - Counter(expected.keys())).elements()),
        not_asked_once=sorted(url for url in stored.keys() | asked_here if asked[url] != 1),
        other_depth=sorted(url for url in depths.keys() & expected.keys() if depths[url] != expected[url]),
    )


async def prove(given: argparse.Namespace, store: Path) -> bool:
    """Both parts."""
    roots = [Site.of(name, below="/") for name in given.sites]
    folders = {site.host: given.web / site.host for site in roots}
    async with WatchedSites(folders) as sites:
        complete = await crawl_and_judge(sites, folders, roots, store / "sites")
        return await kill_and_judge(sites, roots[0], store / "kills", given.kills, given.seed) and complete


def main() -> None:
    """Crawl, compare, report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--web", type=Path, required=True)
    options.add_argument("--sites", nargs="+", default=SITES.split(), metavar="HOST[/PAGE]", help="with the start page")
    add_kill_options(options)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as store:
        sys.exit(not asyncio.run(prove(given, Path(store))))


if __name__ == "__main__":
    main()
