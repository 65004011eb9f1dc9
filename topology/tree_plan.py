"""From a topology and its addresses to what every router has to know: parents, children, tokens, hosts. No I/O."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypursuit.label.budget import LabelBudget
from hypursuit.label.parts import Host
from routers.child import ChildSpec
from routers.crawler import store_path
from topology.placement import Placement, slug
from topology.serving import ParentSpec, ServedRouter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hypursuit.crawl.scope import Site
    from topology.network import Network
    from topology.shape import RouterName, RouterSpec, Topology

_TOKEN_BYTES = 16


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where every router answers: its URL for others, its path for its own process."""

    urls: Mapping[RouterName, str]
    paths: Mapping[RouterName, str]

    @classmethod
    def of(cls, placed: Sequence[Placement]) -> Addresses:
        """From placements whose ports are known."""
        paths = {name: path for placement in placed for name, path in placement.paths().items()}
        origins = {name: placement.listen.url for placement in placed for name in placement.routers}
        return cls({name: origins[name].rstrip("/") + path + "/" for name, path in paths.items()}, paths)


def served_routers(topology: Topology, network: Network, addresses: Addresses) -> dict[RouterName, ServedRouter]:
    """All routers of a tree as the processes that run them need to know them.

    Tokens are made up: whoever starts the tree starts all of it.
    """
    tokens = {edge: secrets.token_hex(_TOKEN_BYTES) for edge in topology.graph.edges}
    granted = _granted(topology)

    def child(parent: RouterName, name: RouterName) -> ChildSpec:
        return ChildSpec(name, addresses.urls[name], tokens[parent, name], granted[name])

    def served(router: RouterSpec) -> ServedRouter:
        return ServedRouter(
            name=router.name,
            url=addresses.urls[router.name],
            path=addresses.paths[router.name],
            budget=leaf_budget(network) if router.is_leaf else interior_budget(network),
            folder=network.store / "routers" / slug(router.name),
            store=None if router.site is None else store_path(network.store, router.site),
            children=tuple(child(router.name, name) for name in router.children),
            parents=tuple(ParentSpec(addresses.urls[up], tokens[up, router.name]) for up in router.parents),
        )

    return {router.name: served(router) for router in topology.routers}


def leaf_budget(network: Network) -> LabelBudget:
    """What the labels of leaves may take."""
    budgets = network.budgets
    return replace(LabelBudget.leaf(), bytes=budgets.leaf_bytes, clusters=budgets.leaf_clusters)


def interior_budget(network: Network) -> LabelBudget:
    """What the labels of routers above others may take."""
    budgets = network.budgets
    return replace(LabelBudget.interior(), bytes=budgets.interior_bytes, clusters=budgets.interior_clusters)


def host_of(site: Site) -> Host:
    """What the leaf of a site may speak for."""
    shown = f"[{site.host}]" if ":" in site.host else site.host
    # Pages /guide and /guide/x are both in the folder /, and labels speak of folders.
    folder = site.prefix.rpartition("/")[0] + "/"
    return Host(shown if site.port is None else f"{shown}:{site.port}", folder)


def _granted(topology: Topology) -> dict[RouterName, tuple[Host, ...]]:
    """Router → the hosts of all sites below it; bottom up."""
    granted: dict[RouterName, tuple[Host, ...]] = {}
    for router in reversed(topology.routers):
        if router.site is not None:
            granted[router.name] = (host_of(router.site),)
        else:
            below = {host for child in router.children for host in granted[child]}
            granted[router.name] = tuple(sorted(below, key=lambda host: (host.host, host.path)))
    return granted
