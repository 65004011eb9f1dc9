"""Does a crawl that is killed over and over end like one that was left alone?

    python examples/crawl_kills.py --web FOLDER --site HOST[/PAGE] [--kills 50] [--seed 1996]

--web is a folder of sites, one folder per host name; the site is served on loopback. ``hypursuit crawl`` runs in a
process of its own that gets kill -9 at random moments and is started again, until it finishes; its store is held
against that of a crawl left alone. If it finishes before all kills were made, the rest is made on a fresh store.
The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.scope import Site
from hypursuit.errors import StoreUnusable
from routers.crawler import store_path
from routers.store import Store
from topology.static_sites import StaticSites

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aiohttp import web

LONGEST_DELAY = 0.02
"""Seconds from a request to the kill that follows it: enough to answer, parse and store it, and some more."""
SHOWN = 5
"""Of what is wrong, so much is named."""


class WatchedSites(StaticSites):
    """Sites that remember what they were asked for."""

    def __init__(self, folders: dict[str, Path]) -> None:
        super().__init__(folders)
        self.asked: Counter[str] = Counter()
        self.on_request: Callable[[], None] = lambda: None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked[f"http://{request.host}{request.raw_path}"] += 1
        self.on_request()
        return await super()._answer(request)


@dataclass
class KillLog:
    """What happened while a crawl was killed over and over."""

    kills: int = 0
    runs: int = 0
    stores: int = 0
    asked_again: list[str] = field(default_factory=list)
    """URLs that were requested although the store already had their outcome."""
    cut_short: int = 0
    """Requests made again because the kill came before their answer was stored."""


async def kill_and_judge(sites: WatchedSites, site: Site, folder: Path, kills: int, seed: int) -> bool:
    """Crawl a site undisturbed, then with kills; print how the stores compare; whether they are the same."""
    sites.asked.clear()
    await run_crawl(sites, site, folder / "calm", None)
    requests, calm = sites.asked.total(), contents(store_path(folder / "calm", site))
    log, differing = KillLog(), Counter[str]()
    plan = KillPlan(kills, requests, random.Random(seed))  # noqa: S311  to be repeatable, not secret
    while log.kills < kills:
        troubled = folder / f"troubled{log.stores}"
        await crawl_troubled(sites, site, troubled, plan, log)
        after = contents(store_path(troubled, site))
        differing.update({part: 1 for part in calm if calm[part] != after[part]})
        log.stores += 1
    print(f"\n{site.host}: {len(calm['URLs'])} pages, {requests} requests when undisturbed\n")
    print(f"| kill -9 | runs | stores finished | {' | '.join(f'{part} equal' for part in calm)} |", end="")
    print(" requests cut short | requested again although stored |\n|" + "---|" * (len(calm) + 5))
    equal = (f"{log.stores - differing[part]} of {log.stores}" for part in calm)
    print(f"| {log.kills} | {log.runs} | {log.stores} |", " | ".join(equal), f"| {log.cut_short} |", end="")
    print(f" {len(log.asked_again)} |")
    print(*log.asked_again[:SHOWN], sep="\n", end="\n" * bool(log.asked_again), file=sys.stderr)
    return not differing and not log.asked_again


@dataclass(frozen=True)
class KillPlan:
    """Spreads kills at random over the requests of a crawl."""

    kills: int
    requests: int
    chance: random.Random

    def patience(self, log: KillLog, settled: int) -> int:
        """After how many requests of the next run to kill it."""
        mean = (self.requests - settled) / (self.kills - log.kills + 1)
        return self.chance.randint(1, max(1, round(2 * mean)))


async def crawl_troubled(sites: WatchedSites, site: Site, folder: Path, plan: KillPlan, log: KillLog) -> None:
    """Crawl into a fresh folder until the crawl is finished, killing it while there are kills left."""
    finished, settled = False, set[str]()
    before: set[str] = set()
    while not finished:
        sites.asked.clear()
        moment = None
        if log.kills < plan.kills:
            moment = plan.patience(log, len(settled)), plan.chance.uniform(0, LONGEST_DELAY)
        await run_crawl(sites, site, folder, moment)
        log.runs += 1
        asked = sites.asked.keys() - {site.robots_url, site.sitemap_url}  # which every run has to read
        log.asked_again += [url for url in asked if url in settled or sites.asked[url] > 1]
        log.cut_short += len((asked & before) - settled)
        before |= asked
        finished, settled = state_of(store_path(folder, site))
        log.kills += not finished  # a kill between the end of the crawl and that of its process disturbed nothing


async def run_crawl(sites: WatchedSites, site: Site, folder: Path, moment: tuple[int, float] | None) -> None:
    """Run ``hypursuit crawl`` in a process of its own; given a moment, kill it so long after its n-th request."""
    resolve = [word for entry in sites.resolve_entries() for word in ("--resolve", entry)]
    command = ("-m", "topology", "crawl", site.root, "--below", "/", "--store", str(folder), "--json", *resolve)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.DEVNULL)
    requests, delay = moment or (0, 0.0)

    def kill() -> None:
        if process.returncode is None:
            process.kill()

    def count_down() -> None:
        nonlocal requests
        requests -= 1
        if requests == 0:
            asyncio.get_running_loop().call_later(delay, kill)

    sites.on_request = count_down
    code = await process.wait()
    if code not in (0, -signal.SIGKILL):
        raise SystemExit(f"the crawl of {site.root} ended with exit code {code}")


def state_of(store: Path) -> tuple[bool, set[str]]:
    """Whether a store's crawl is finished, and the URLs whose outcome it has, rules and sitemaps aside."""
    if not store.exists():
        return False, set()
    try:
        with Store.open(store) as opened:
            again = (Outcome.RULES, Outcome.SITEMAP, Outcome.RETRIED)
            return opened.summary().finished, {entry.url for entry in opened.log() if entry.outcome not in again}
    except StoreUnusable:  # killed before it began
        return False, set()


def contents(store: Path) -> dict[str, Sequence[object]]:
    """All that a finished store says of its pages in crawl order, by what it is; only times are left out."""
    with Store.open(store) as opened:
        if not opened.summary().finished:
            raise SystemExit(f"{store} is unfinished")
        records, pages = list(opened.records(aliases=True)), list(opened.pages(aliases=True))
        return {
            "URLs": sorted(record.url for record in records),
            "order": [(record.order, record.url) for record in records],
            "depths": [(record.depth, record.url) for record in records],
            "texts": [(page.url, page.title, page.headers, page.keywords, page.text) for page in pages],
            "links": [(page.url, page.links) for page in pages],
            "aliases": [(record.url, record.alias_of) for record in records] + sorted(opened.other_addresses().items()),
        }


def add_kill_options(options: argparse.ArgumentParser) -> None:
    """The options that say how to kill."""
    options.add_argument("--kills", type=int, default=50, help="how often to kill the crawl")
    options.add_argument("--seed", type=int, default=1996, help="of the moments of the kills")


async def prove(given: argparse.Namespace, store: Path) -> bool:
    """Serve the site and torment its crawl."""
    site = Site.of(given.site, below="/")
    async with WatchedSites({site.host: given.web / site.host}) as sites:
        return await kill_and_judge(sites, site, store, given.kills, given.seed)


def main() -> None:
    """Crawl, kill, compare."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--web", type=Path, required=True)
    options.add_argument("--site", required=True, metavar="HOST[/PAGE]", help="with the start page")
    add_kill_options(options)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as store:
        sys.exit(not asyncio.run(prove(given, Path(store))))


if __name__ == "__main__":
    main()
