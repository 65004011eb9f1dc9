"""The keys of ``network.toml``: name, type, default and meaning of each, in one place."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0)]
Text = Annotated[str, Meta(min_length=1)]


class CrawlKeys(Struct, frozen=True, kw_only=True):
    """How much of a site is wanted and how hard it is worked. Absent means no limit."""

    max_pages: Count | None = None
    """The first ones in breadth-first order."""
    max_depth: Annotated[int, Meta(ge=0)] | None = None
    """Links from the root page; 0 is the root page alone."""
    max_bytes: Count | None = None
    """Of pages per run; the next run goes on."""
    max_seconds: Seconds | None = None
    """Per run; the next run goes on."""
    delay: Seconds | None = None
    """Seconds between requests; 0.1 if absent, and 0 on this machine."""
    concurrency: Count = 4
    """Requests to the site at once."""


class NetworkTable(CrawlKeys, frozen=True, kw_only=True):
    """``[network]``: the whole of it. The crawl's keys here hold for every site that does not say otherwise."""

    name: Text = "network"
    """What the network is called where it is shown."""
    listen: Text = "127.0.0.1:8080"
    """HOST:PORT of the root router and, unless every router has a process, of all others. Port 0: any free one."""
    store: Text = "stores"
    """Folder of stores, indexes and labels; relative to the file."""
    processes: Count | Literal["each"] = 1
    """1: all routers in one process. More: leaves spread over so many workers. "each": one process per router."""
    allow_addresses: tuple[str, ...] = ()
    """Private networks that sites may be at, such as "10.0.0.0/8"."""


class BudgetTable(Struct, frozen=True, kw_only=True):
    """``[budget]``: how large content labels may be. Smaller labels cost work, never answers."""

    leaf_bytes: Count = 410_000
    """Of a leaf's label [W96 table 2]."""
    interior_bytes: Count = 678_000
    """Of the label of a router above others."""
    leaf_clusters: Count = 30
    """Sub-clusters in a leaf's label."""
    interior_clusters: Count = 50
    """Sub-clusters in the label of a router above others."""


class SiteTable(Struct, frozen=True, kw_only=True):
    """``[[site]]``: a site and what is particular about its crawl."""

    url: Text
    """Of its root page; a missing scheme means http."""
    below: Text | None = None
    """Path that its pages are below, if not the URL's own; "/" is the whole host."""
    resolve: Text | None = None
    """ADDRESS or ADDRESS:PORT where the site is to be found, whatever name servers say; like curl's --resolve."""
    max_pages: Count | None = None
    max_depth: Annotated[int, Meta(ge=0)] | None = None
    max_bytes: Count | None = None
    max_seconds: Seconds | None = None
    delay: Seconds | None = None
    concurrency: Count | None = None


class RouterTable(Struct, frozen=True, kw_only=True):
    """``[[router]]``: where one router listens, with ``processes = "each"``; the others take free ports."""

    name: Text
    """As ``hypursuit up --dry-run`` shows it."""
    listen: Text
    """HOST:PORT."""


class HierarchyTable(Struct, frozen=True, kw_only=True):
    """``[[hierarchy]]``: another tree over the same leaves."""

    name: Text
    """Such as "subject"; "dns" is always there and not to be given."""
    tree: dict[str, tuple[str, ...]]
    """From branches such as "Programming/Python" to what is below: sites, or other branches."""


class NetworkFile(Struct, frozen=True, kw_only=True):
    """The whole file. The smallest useful one is a list of ``[[site]]`` with a ``url`` each."""

    site: Annotated[tuple[SiteTable, ...], Meta(min_length=1)]
    network: NetworkTable = msgspec.field(default_factory=NetworkTable)
    budget: BudgetTable = msgspec.field(default_factory=BudgetTable)
    router: tuple[RouterTable, ...] = ()
    hierarchy: tuple[HierarchyTable, ...] = ()
