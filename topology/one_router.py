"""One router by itself, as its ``router.toml`` says; others reach it, and it reaches others, over HTTP only."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypursuit.crawl.url import canonical_url
from hypursuit.errors import BadSetting
from hypursuit.label.budget import LabelBudget
from hypursuit.label.parts import Host
from routers.child import ChildSpec
from routers.crawler import store_path
from topology.doors import bind, bound_to
from topology.gather import gather_sites
from topology.launch import SilentLaunch
from topology.network import Listen, Network, NetworkSite, site_of
from topology.network_file import CrawlKeys
from topology.placement import slug
from topology.prepare import prepare_leaves
from topology.router_file import RouterFile
from topology.serving import ParentSpec, ServedRouter, serving
from topology.toml_tables import at, read_toml

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from topology.launch import LaunchProgress


@dataclass(frozen=True, slots=True)
class OneRouter:
    """A router before it runs."""

    listen: Listen
    served: ServedRouter
    """Its URL is empty where it is to be reached at the address it listens at."""
    store: Path
    site: NetworkSite | None
    """What it crawls, if it is a leaf."""


def read_router(path: Path) -> OneRouter:
    """Read a router's file; folders in it are relative to the file.

    Raises:
        BadSetting: the file cannot be read, or something in it makes no sense.
    """
    tables = read_toml(path, RouterFile)
    with at(str(path)):
        return _router(tables, path.parent / tables.store)


@asynccontextmanager
async def running_router(
    router: OneRouter, progress: LaunchProgress | None = None, *, renew: bool = False
) -> AsyncIterator[str]:
    """Run a router for as long as the block does; gives its URL. A leaf is crawled and indexed first, where needed.

    Raises:
        CrawlFailed: a leaf's site gives nothing, and nothing was stored before.
    """
    progress = progress or SilentLaunch()
    with bind(router.listen) as door:
        url = router.served.url or bound_to(door, router.listen).url
        served = replace(router.served, url=url)
        if router.site is not None:
            await _prepare(router.site, served, router.store, progress, renew=renew)
        async with serving([served], door):
            yield url


async def _prepare(
    site: NetworkSite, served: ServedRouter, store: Path, progress: LaunchProgress, *, renew: bool
) -> None:
    [gathered] = await gather_sites(Network((site,), store=store), progress, renew=renew)
    if gathered.failure is not None and not gathered.pages:
        raise gathered.failure
    [prepared] = await prepare_leaves([served], progress)
    if prepared.failure is not None:
        raise prepared.failure


def _router(tables: RouterFile, store: Path) -> OneRouter:
    if (tables.site is None) == (not tables.child):
        raise BadSetting("give either a [site], for a leaf, or [[child]] routers, for one above others")
    with at("listen"):
        listen = Listen.parse(tables.listen)
    with at("site"):
        site = None if tables.site is None else site_of(tables.site, CrawlKeys())
    served = ServedRouter(
        name=tables.name,
        url="" if tables.url is None else _url("url", tables.url),
        path="",
        budget=_budget(tables),
        folder=store / "routers" / slug(tables.name),
        store=None if site is None else store_path(store, site.site),
        children=tuple(_children(tables)),
        parents=tuple(_parents(tables)),
    )
    return OneRouter(listen, served, store, site)


def _budget(tables: RouterFile) -> LabelBudget:
    usual = LabelBudget.interior() if tables.site is None else LabelBudget.leaf()
    given = tables.budget
    return replace(usual, bytes=given.bytes or usual.bytes, clusters=given.clusters or usual.clusters)


def _children(tables: RouterFile) -> Iterator[ChildSpec]:
    names = {tables.name}
    for place, child in enumerate(tables.child):
        with at(f"child[{place}]"):
            if child.name in names:
                raise BadSetting(f"name: {child.name!r} is taken already; every router has a name of its own")
            names.add(child.name)
            yield ChildSpec(child.name, _url("url", child.url), child.token, tuple(map(_host, child.hosts)))


def _parents(tables: RouterFile) -> Iterator[ParentSpec]:
    for place, parent in enumerate(tables.parent):
        with at(f"parent[{place}]"):
            yield ParentSpec(_url("url", parent.url), parent.token)


def _url(key: str, text: str) -> str:
    with at(key):
        return canonical_url(text)


def _host(text: str) -> Host:
    """``mit.edu`` and everything below it; ``mit.edu:8080`` only that; ``mit.edu/guide`` what is below a path."""
    host, slash, path = text.lower().strip(".").partition("/")
    return Host(host if ":" in host else f".{host}", slash + path or "/")
