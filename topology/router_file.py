"""The keys of ``router.toml``, which says what one router needs to know to run by itself: ``hypursuit serve``."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from topology.network_file import Count, SiteTable, Text  # noqa: TC001  msgspec reads the annotations

Token = Annotated[str, Meta(min_length=8)]


class ParentTable(Struct, frozen=True, kw_only=True):
    """``[[parent]]``: a router above, which gets this one's label."""

    url: Text
    """Where it answers."""
    token: Token
    """What it knows this router by; the same stands in its own file."""


class ChildTable(Struct, frozen=True, kw_only=True):
    """``[[child]]``: a router below, which sends its label."""

    name: Text
    """As it calls itself."""
    url: Text
    """Where it answers."""
    token: Token
    """What it has to show."""
    hosts: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """What it may speak for: "mit.edu" with every host below, "mit.edu:8080" alone, "mit.edu/guide" below a path."""


class RouterBudget(Struct, frozen=True, kw_only=True):
    """``[budget]``: how large its label may be; 410,000 bytes and 30 sub-clusters for a leaf, else 678,000 and 50."""

    bytes: Count | None = None
    clusters: Count | None = None


class RouterFile(Struct, frozen=True, kw_only=True):
    """The whole file: a leaf has a ``[site]``, any other router ``[[child]]`` routers."""

    name: Text
    """Such as "mit.edu" or "www.mit.edu"; unique in the network."""
    listen: Text = "127.0.0.1:8080"
    """HOST:PORT where it answers."""
    url: Text | None = None
    """How other routers reach it, if not at the address it listens at."""
    store: Text = "stores"
    """Folder for the store, index and label of a leaf, or for the labels of children; relative to the file."""
    site: SiteTable | None = None
    """What a leaf crawls; the keys of a ``[[site]]`` in ``network.toml``."""
    child: tuple[ChildTable, ...] = ()
    parent: tuple[ParentTable, ...] = ()
    budget: RouterBudget = RouterBudget()
