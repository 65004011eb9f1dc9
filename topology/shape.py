"""The shape of a network: which routers there are and who stands above whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypursuit.crawl.scope import Site

RouterName: TypeAlias = str
"""Of a leaf the address of its site, of other routers the domain (or address) that all below them share."""
ROOT: RouterName = "."
"""The router over everything, called as in DNS."""


@dataclass(frozen=True, slots=True)
class RouterSpec:
    """One router of a network, before it runs."""

    name: RouterName
    children: tuple[RouterName, ...] = ()
    """Sorted; empty for a leaf."""
    parents: tuple[RouterName, ...] = ()
    """More than one where several hierarchies share a router; empty for a root."""
    site: Site | None = None
    """What a leaf crawls; None for an interior router."""

    @property
    def is_leaf(self) -> bool:
        """Whether it sits next to a site."""
        return self.site is not None


@dataclass(frozen=True)
class Topology:
    """The routers of a network: acyclic, every leaf below a root, links told alike by parents and children.

    ``routers`` come top down: a router after all of its parents.
    """

    routers: tuple[RouterSpec, ...]

    def __post_init__(self) -> None:
        _refuse_gaps(self._by_name, len(self.routers))
        refuse_cycles(self.graph)
        places = {router.name: place for place, router in enumerate(self.routers)}
        if any(places[parent] > places[router.name] for router in self.routers for parent in router.parents):
            raise BadSetting("the routers of a topology are to come top down, parents first")

    @classmethod
    def of(cls, graph: nx.DiGraph[RouterName], sites: dict[RouterName, Site]) -> Topology:
        """From a graph of parent → child and the sites of its leaves."""
        refuse_cycles(graph)
        order = nx.lexicographical_topological_sort(graph, key=lambda name: (name != ROOT, name))
        return cls(
            tuple(
                RouterSpec(name, tuple(sorted(graph.succ[name])), tuple(sorted(graph.pred[name])), sites.get(name))
                for name in order
            )
        )

    @cached_property
    def _by_name(self) -> dict[RouterName, RouterSpec]:
        return {router.name: router for router in self.routers}

    @cached_property
    def graph(self) -> nx.DiGraph[RouterName]:
        """Parent → child; not to be changed."""
        graph: nx.DiGraph[RouterName] = nx.DiGraph()
        graph.add_nodes_from(router.name for router in self.routers)
        graph.add_edges_from((router.name, child) for router in self.routers for child in router.children)
        return graph

    def __getitem__(self, name: RouterName) -> RouterSpec:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self.routers)

    @property
    def roots(self) -> tuple[RouterSpec, ...]:
        """The tops of its hierarchies; the DNS-shaped tree has one."""
        return tuple(router for router in self.routers if not router.parents)

    @property
    def root(self) -> RouterSpec:
        """Where queries enter by default: the top of the DNS-shaped tree, which is always there."""
        return self._by_name.get(ROOT, self.routers[0])

    @property
    def leaves(self) -> tuple[RouterSpec, ...]:
        """The routers next to sites."""
        return tuple(router for router in self.routers if router.is_leaf)

    @property
    def interior(self) -> tuple[RouterSpec, ...]:
        """The routers above others."""
        return tuple(router for router in self.routers if not router.is_leaf)

    def below(self, name: RouterName) -> Iterator[RouterSpec]:
        """The children of a router."""
        return (self._by_name[child] for child in self._by_name[name].children)

    def levels(self) -> int:
        """Routers on the longest way from a root to a leaf, both counted."""
        return int(nx.dag_longest_path_length(self.graph)) + 1

    def without(self, left_out: set[RouterName]) -> Topology:
        """The same shape less some leaves, and less what then has nothing below it."""
        graph: nx.DiGraph[RouterName] = nx.DiGraph(self.graph)
        graph.remove_nodes_from(left_out)
        sites = {router.name: router.site for router in self.leaves if router.site and router.name in graph}
        while empty := [name for name in graph if not graph.succ[name] and name not in sites and name != ROOT]:
            graph.remove_nodes_from(empty)
        return Topology.of(graph, sites)


def _refuse_gaps(routers: dict[RouterName, RouterSpec], count: int) -> None:
    if len(routers) != count:
        raise BadSetting("two routers of a topology have the same name")
    for router in routers.values():
        for child in router.children:
            if child not in routers or router.name not in routers[child].parents:
                raise BadSetting(f"{router.name} names {child} as a child, but that does not name it as a parent")
        for parent in router.parents:
            if parent not in routers or router.name not in routers[parent].children:
                raise BadSetting(f"{router.name} names {parent} as a parent, but that does not name it as a child")
        if router.is_leaf and router.children:
            raise BadSetting(f"{router.name} has a site, so it cannot have children")


def refuse_cycles(graph: nx.DiGraph[RouterName]) -> None:
    """Raise BadSetting that shows one way around, if there is any."""
    if not nx.is_directed_acyclic_graph(graph):
        around = [parent for parent, _ in nx.find_cycle(graph)]
        raise BadSetting(f"routers stand above each other in a circle: {' → '.join((*around, around[0]))}")
