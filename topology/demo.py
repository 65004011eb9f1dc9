"""The demo: the documentation of this Python, made into sites, served, crawled and handed on to a tree of routers.

Needs no network and nothing prepared. A second run keeps the pages, and its crawl asks only what has changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from hypursuit.errors import DemoFailed
from routers.crawl_settings import CrawlSettings
from routers.crawler import crawl_sites
from topology.network import Listen, Network, NetworkSite
from topology.pydoc_sites import DemoSite, build_pydoc_sites
from topology.static_sites import LOOPBACK, StaticSites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from routers.crawl_report import CrawlProgress, CrawlReport
    from topology.pydoc_crew import Progress

PORT = 8711
"""Where the demo's sites are served, if nobody else is there."""
ROOT_PORT = Listen().port
"""Where the root of the demo's tree answers, if nobody else is there."""


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """The demo's sites while they are served."""

    sites: tuple[DemoSite, ...]
    server: StaticSites

    def url(self, site: DemoSite) -> str:
        """A site's root page; a browser on this machine opens it as it is."""
        return self.server.url(site.host)

    def settings(self) -> CrawlSettings:
        """How to crawl them: by their names, found at this machine."""
        return CrawlSettings(addresses=AddressPolicy(tuple(map(Resolve.parse, self.server.resolve_entries()))))


@dataclass(frozen=True, slots=True)
class CrawledSite:
    """A site of the demo with how its crawl went; ``report.store`` is its store."""

    site: DemoSite
    report: CrawlReport


async def run_demo(
    directory: Path,
    organise: Callable[[CrawledSite], None],
    *,
    port: int = PORT,
    build_progress: Progress = lambda done, total, module: None,  # noqa: ARG005 - names for the reader
    crawl_progress: CrawlProgress | None = None,
) -> list[CrawledSite]:
    """Make the sites below ``directory``, serve and crawl them, and hand each one crawled to ``organise``.

    Pages go to ``directory/sites``, stores to ``directory/stores``. ``organise`` runs in a thread, one site after the
    other, in the sites' order, while the sites are still served.

    Raises:
        DemoFailed: no site could be made, or none crawled.
    """
    async with serving_demo(directory / "sites", port=port, progress=build_progress) as demo:
        crawled = await crawl_demo(demo, directory / "stores", crawl_progress)
        for site in crawled:
            await asyncio.to_thread(organise, site)
    return crawled


@contextlib.asynccontextmanager
async def serving_demo(
    directory: Path,
    *,
    port: int = PORT,
    progress: Progress = lambda done, total, module: None,  # noqa: ARG005 - names for the reader
) -> AsyncIterator[RunningDemo]:
    """Make the sites, or keep those there are, and serve them while the block runs.

    If the port is taken another is used, and the sites are made anew: the port stands in their links.
    """
    port = _free_port(port)
    sites = await asyncio.to_thread(build_pydoc_sites, directory, progress, port=port)
    async with StaticSites(directory, port) as server:
        yield RunningDemo(tuple(sites), server)


async def crawl_demo(demo: RunningDemo, stores: Path, progress: CrawlProgress | None = None) -> list[CrawledSite]:
    """Crawl every site through its front door; gives those that could be crawled."""
    await asyncio.to_thread(stores.mkdir, parents=True, exist_ok=True)
    reports = await crawl_sites((Site.of(demo.url(site)) for site in demo.sites), stores, demo.settings(), progress)
    crawled = [
        CrawledSite(site, report) for site, report in zip(demo.sites, reports, strict=True) if report.failure is None
    ]
    if not crawled:
        raise DemoFailed(f"none of the demo's sites could be crawled; the first: {reports[0].failure}")
    return crawled


def demo_network(demo: RunningDemo, stores: Path, port: int = ROOT_PORT) -> Network:
    """The network over the demo's sites, with what :func:`crawl_demo` stored; at another port if that is taken."""
    settings = demo.settings()
    sites = tuple(NetworkSite(Site.of(demo.url(site)), settings) for site in demo.sites)
    return Network(sites, name="this Python", listen=Listen(LOOPBACK, _free_port(port)), store=stores)


def _free_port(wanted: int) -> int:
    """The port, or another free one if it is taken."""
    with socket.socket() as probe:
        # As servers do: a port whose last connections are still fading away is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, wanted))
        except OSError as error:
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
            probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
