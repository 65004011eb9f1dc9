"""Crawling what a network lacks: sites without a finished store. What is there already is left alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypursuit.errors import BadSetting, HyPursuitError, StoreUnusable
from routers.crawl_report import CrawlProgress, CrawlReport, SilentProgress
from routers.crawler import crawl_site, store_path
from routers.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.crawl.scope import Site
    from routers.crawl_settings import CrawlLimits
    from topology.network import Network, NetworkSite

_LIMITS = "limits"
_SITES_AT_ONCE = 16
_REQUESTS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Gathered:
    """A site's store, and how it came about."""

    site: Site
    store: Path
    pages: int = 0
    """Pages in the store; a site without any has no place in the tree."""
    report: CrawlReport | None = None
    """Of the crawl; None where nothing had to be crawled."""
    failure: HyPursuitError | None = None
    """Why the crawl failed. Pages of an earlier one may be there nevertheless."""


async def gather_sites(
    network: Network, progress: CrawlProgress | None = None, *, renew: bool = False
) -> list[Gathered]:
    """A store for every site of the network, in order; a site that fails costs only itself.

    A finished store is used as it is, unless its crawl had other limits; an unfinished one is completed.

    Args:
        network: its sites and where their stores are.
        progress: is told how crawls get on.
        renew: ask finished sites too, for what has changed.
    """
    await asyncio.to_thread(_make_folder, network.store)
    places, slots = asyncio.Semaphore(_SITES_AT_ONCE), asyncio.Semaphore(_REQUESTS_AT_ONCE)
    progress = progress or SilentProgress()

    async def one(entry: NetworkSite) -> Gathered:
        path = store_path(network.store, entry.site)
        async with places:
            if not renew and (pages := _finished(path, entry.settings.limits)):
                return Gathered(entry.site, path, pages)
            return await _crawl(entry, path, progress, slots)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(entry)) for entry in network.sites]
    return [task.result() for task in tasks]


async def _crawl(entry: NetworkSite, path: Path, progress: CrawlProgress, slots: asyncio.Semaphore) -> Gathered:
    made = Gathered(entry.site, path)
    try:
        report = await crawl_site(entry.site, path, entry.settings, progress, slots=slots)
        made = replace(made, report=report)
        with Store.open(path) as store:
            store.keep(_LIMITS, _limits(entry.settings.limits))
    except HyPursuitError as failure:
        progress.ended(CrawlReport(entry.site, path, failure=failure))
        made = replace(made, failure=failure)
    return replace(made, pages=_pages(path))


def _finished(path: Path, limits: CrawlLimits) -> int:
    """Pages in a store whose crawl went as far as it is wanted to; 0 where there is something to crawl."""
    if not path.exists():
        return 0
    try:
        with Store.open(path) as store:
            summary, kept = store.summary(), store.kept(_LIMITS)
    except StoreUnusable:
        return 0  # the crawl will say what is wrong with it
    return summary.pages if summary.finished and kept in {None, _limits(limits)} else 0


def _pages(path: Path) -> int:
    try:
        with Store.open(path) as store:
            return store.summary().pages
    except StoreUnusable:
        return 0


def _limits(limits: CrawlLimits) -> bytes:
    """What decides which pages a finished crawl has; bytes and seconds only decide when it finishes."""
    return f"{limits.pages} {limits.depth}".encode()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(f"cannot make the folder {folder}: {error.strerror}; give another with --store") from error
