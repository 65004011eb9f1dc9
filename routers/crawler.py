"""From a site's URL to its store: rounds of visits, each level finished before the next begins.

The result depends on the site and the settings, not on timing: see `hypursuit.crawl.frontier` for the order. Never are
more URLs under way than pages still wanted, so a page limit gives exactly the first pages in that order.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from hypursuit.crawl.aliases import fold_aliases
from hypursuit.crawl.frontier import Entry, Gate, Refusal, Round, outgoing
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.robots import ROBOTS_BYTES, RobotsRules
from hypursuit.crawl.traps import TrapGuard
from hypursuit.errors import CrawlFailed, HyPursuitError
from routers.crawl_report import CrawlProgress, CrawlReport, SilentProgress, root_failure
from routers.fetch import Fetcher
from routers.politeness import Pacer
from routers.site_rules import hints, robots_of
from routers.store import SUFFIX
from routers.store_writer import StoreWriter, Visit
from routers.visit import PoliteClient, visit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from aiohttp.abc import AbstractResolver

    from hypursuit.crawl.page import Page
    from hypursuit.crawl.scope import Site
    from routers.crawl_settings import CrawlSettings

_DELAY = 0.1
_SILENCES = 10
"""Visits in a row without an answer after which the site is asked whether it is there at all."""


async def crawl_site(
    site: Site,
    store: Path,
    settings: CrawlSettings,
    progress: CrawlProgress | None = None,
    *,
    slots: AbstractAsyncContextManager[object] | None = None,
    resolver: AbstractResolver | None = None,
) -> CrawlReport:
    """Crawl a site into a store: begin, go on with an unfinished crawl, or renew a finished one.

    Args:
        site: what to crawl.
        store: the store's file; made if it is not there.
        settings: limits, politeness, addresses.
        progress: is told how it gets on.
        slots: taken for the time of each request, to share a limit with other sites.
        resolver: asked for addresses that the settings do not list, instead of the system's name servers.

    Raises:
        CrawlFailed: there is no root page, or the site cannot be crawled at all now; what was stored stays.
        AddressRefused: the site is at an address that nobody listed.
        StoreUnusable: the store is damaged, of another version or site, or being written by another crawl.
    """
    progress = progress or SilentProgress()
    with StoreWriter(store, site) as writer:
        async with Fetcher(site, settings.fetch, settings.addresses, resolver) as fetcher:
            client = PoliteClient(fetcher, Pacer(0.0), settings.politeness, slots or nullcontext())
            crawl = _SiteCrawl(site, writer, client, settings, progress)
            report = await crawl.run()
    progress.ended(report)
    return report


async def crawl_sites(
    sites: Iterable[Site], directory: Path, settings: CrawlSettings, progress: CrawlProgress | None = None
) -> list[CrawlReport]:
    """Crawl many sites at the same time, each into the store of its name; a site that fails costs only itself.

    Returns:
        one report per site, in order; a failed one says so in ``failure``.
    """
    progress = progress or SilentProgress()
    slots = asyncio.Semaphore(settings.requests_at_once)
    places = asyncio.Semaphore(settings.sites_at_once)

    async def crawl(site: Site) -> CrawlReport:
        store = store_path(directory, site)
        async with places:
            try:
                return await crawl_site(site, store, settings, progress, slots=slots)
            except HyPursuitError as failure:
                report = CrawlReport(site, store, failure=failure)
        progress.ended(report)
        return report

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(crawl(site)) for site in dict.fromkeys(sites)]
    return [task.result() for task in tasks]


def store_path(directory: Path, site: Site) -> Path:
    """Where a site's store is in a directory of stores."""
    return directory / f"{site.name}{SUFFIX}"


class _SiteCrawl:
    """One run over one site."""

    def __init__(
        self, site: Site, store: StoreWriter, client: PoliteClient, settings: CrawlSettings, progress: CrawlProgress
    ) -> None:
        self._site, self._store, self._client = site, store, client
        self._settings, self._progress = settings, progress
        self._outcomes: Counter[Outcome] = Counter()
        self._bytes = 0
        self._stored = 0
        self._stopped = ""
        self._silent: list[Visit] = []
        self._settled = asyncio.Event()

    async def run(self) -> CrawlReport:
        """Do as much of the crawl as limits allow."""
        began = time.monotonic()
        resumed = not self._store.state.finished
        if not resumed:
            self._store.begin(self._site.root)
        self._stored = self._store.stored()
        limits = self._settings.limits
        self._progress.started(self._site, stored=self._stored, limit=limits.pages)
        try:
            async with asyncio.timeout(limits.seconds):
                await self._crawl()
        except TimeoutError:
            self._stopped = f"the time limit of {limits.seconds:g} seconds"
        aliases = fold_aliases(self._store.alias_entries(whole=bool(self._stopped)))
        if self._stopped:
            self._store.fold(aliases)
        else:
            self._store.finish(time.time(), aliases)
        return CrawlReport(
            site=self._site,
            store=self._store.path,
            pages=self._stored,
            aliases=len(aliases),
            removed=self._store.removed,
            outcomes=self._outcomes,
            bytes=self._bytes,
            seconds=time.monotonic() - began,
            crawl=self._store.state.crawl,
            resumed=resumed,
            stopped=self._stopped,
        )

    async def _crawl(self) -> None:
        robots = await robots_of(self._site, self._client, self._store)
        self._obey(robots)
        self._gate = Gate(self._site, robots, TrapGuard(self._settings.traps))
        self._gate.restore(self._store.known())
        self._round = self._restored_round()
        while await self._run_round():
            more = self._draw_up(self._round.discoveries(), self._store.state.depth + 1)
            if not more and not self._store.state.hinted:
                more = self._draw_up(await self._hints(robots), 1, hinted=True)
            if not more:
                return

    def _obey(self, robots: RobotsRules) -> None:
        if robots.refused:
            raise CrawlFailed(f"{self._site.root} cannot be crawled now: {robots.refused}; try again later")
        if not robots.allows(self._site.root):
            raise CrawlFailed(
                f"{self._site.root} may not be crawled: its robots.txt disallows it; "
                "ask the site's owner, or start below a path that is allowed"
            )
        politeness = self._settings.politeness
        usual = 0.0 if self._client.fetcher.loopback else _DELAY
        asked_for = min(robots.crawl_delay or 0.0, politeness.longest_wait)
        self._client.pacer.delay = max(usual if politeness.delay is None else politeness.delay, asked_for)

    async def _hints(self, robots: RobotsRules) -> list[str]:
        if not self._wants(1, depth=1):
            return []
        return await hints(self._site, robots, self._client, self._store)

    # --- between rounds ---

    def _restored_round(self) -> Round:
        """The current round: what it has already given, from the store, and what is still to be done."""
        current = Round(self._store.waiting())
        for url, position, target in self._store.visited():
            done = Entry(position, 0, url)
            current.settle(done)
            if target is not None:
                current.redirect(done, target, None)
        for page in self._store.round_pages():
            current.page(page.url, outgoing(page, self._site))
        return current

    def _draw_up(self, discovered: Iterable[str], depth: int, *, hinted: bool = False) -> bool:
        """Close the round and open the next one; False if there is nothing in it."""
        entries: list[Entry] = []
        refusals: list[Refusal] = []
        if self._wants(1, depth):
            for found in self._gate.draw_up(discovered, depth):
                if isinstance(found, Refusal):
                    refusals.append(found)
                else:
                    entries.append(Entry(len(entries), 0, found))
        state = self._store.state
        following = replace(state, round=state.round + 1, depth=depth, hinted=hinted or state.hinted)
        self._store.turn(following, entries, time.time(), refusals, self._round.moved())
        self._outcomes.update(refusal.outcome for refusal in refusals)
        self._round = Round(entries)
        return bool(entries)

    def _wants(self, more: int, depth: int) -> bool:
        """Whether so many further pages, found at a depth, are within the limits."""
        limits = self._settings.limits
        return (limits.pages is None or self._stored + more <= limits.pages) and (
            limits.depth is None or depth <= limits.depth
        )

    # --- within a round ---

    async def _run_round(self) -> bool:
        """Visit what waits in the round; False if the run is to stop here, with the round unfinished."""
        workers = min(self._settings.politeness.concurrency, self._round.waiting)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        if self._silent and not self._stopped:
            await self._probe()
        return not self._stopped

    async def _work(self) -> None:
        """Visit one URL after the other until the round has no more."""
        while not self._stopped:
            if self._wants(self._round.under_way + 1, 0) and (entry := self._round.claim()) is not None:
                await self._settle(await self._visit(entry))
                self._settled.set()
            elif self._round.under_way:
                # A redirect may still lead to a new URL, and a failure may leave room for another page.
                self._settled.clear()
                await self._settled.wait()
            else:
                return

    async def _visit(self, entry: Entry) -> Visit:
        renewing = self._store.state.crawl > 1
        done = await visit(self._client, entry, self._store.validators(entry.url) if renewing else None)
        return done if done.leads_to is None else self._follow(done, done.leads_to)

    def _follow(self, done: Visit, target: str) -> Visit:
        """Decide whether the target of a redirect is visited, and let it wait in this round if so."""
        refusal = self._gate.redirect(target)
        if refusal is None and done.entry.hops >= self._settings.fetch.redirects and target not in self._gate.seen:
            refusal = Refusal(target, Outcome.TOO_MANY_REDIRECTS, target)
        if refusal is not None:
            last = replace(done.last, detail=refusal.detail)
            return replace(done, outcome=refusal.outcome, last=last, leads_to=None)
        joined = Entry(done.entry.position, done.entry.hops + 1, target) if self._gate.join(target) else None
        self._round.redirect(done.entry, target, joined)
        return replace(done, joined=joined)

    async def _settle(self, done: Visit) -> None:
        """Draw the consequences of a visit and write them down."""
        self._round.settle(done.entry)
        self._outcomes[done.outcome] += 1
        self._bytes += done.size
        page = done.content.page if done.content is not None else self._retained(done)
        if page is not None:
            self._round.page(page.url, outgoing(page, self._site))
            self._stored += page.index
        elif self._store.state.round == 0 and done.joined is None:
            self._store.fail(done, self._site.root)
            raise root_failure(self._site, done)
        if done.outcome is Outcome.UNREACHABLE:
            await self._silence(done)
        else:
            self._commit(done)
        self._progress.advanced(self._site, stored=self._stored, waiting=self._round.waiting)
        limit = self._settings.limits.bytes
        if limit is not None and self._bytes >= limit:
            self._stopped = f"the byte limit of {limit}"

    def _retained(self, done: Visit) -> Page | None:
        """The page of an earlier crawl that stays: it is unchanged, or cannot be had just now.

        Not so for the root page: a site whose root fails is not crawled at all.
        """
        state = self._store.state
        stays = done.outcome is Outcome.UNCHANGED or (done.outcome.transient and state.round > 0)
        return self._store.leads_of(done.entry.url) if stays and state.crawl > 1 else None

    async def _silence(self, done: Visit) -> None:
        """Keep back a visit that got no answer until it is clear whether the site is there at all.

        A page that never answers is noted and passed over; a site that has gone away must not be walked through to the
        end, URL by URL, and be taken for empty. Its URLs stay in the frontier for the next run.
        """
        self._silent.append(done)
        if len(self._silent) == _SILENCES:
            await self._probe()

    async def _probe(self) -> None:
        """Stop if the site does not answer at all; else the visits kept back are what they are."""
        probe = await self._client.ask(lambda: self._client.fetcher.document(self._site.robots_url, ROBOTS_BYTES))
        if probe.outcome is Outcome.UNREACHABLE:
            self._stopped = f"the site no longer answers ({probe.last.detail})"
        else:
            self._commit()

    def _commit(self, *done: Visit) -> None:
        self._store.commit(*self._silent, *done)
        self._silent.clear()
