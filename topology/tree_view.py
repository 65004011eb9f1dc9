"""A network drawn as a tree in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from hypursuit.clustering.lettering import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topology.shape import RouterName, Topology

_NAME = 100


def tree_view(topology: Topology, heading: str, pages: Mapping[RouterName, int] | None = None) -> Tree:
    """Routers below each other, with the number of sites and, where known, of pages below each."""
    root = topology.root.name
    sites = _sums(topology, {leaf.name: 1 for leaf in topology.leaves})
    counts = None if pages is None else _sums(topology, pages)
    line = Text(clean(heading, _NAME), style="bold")
    line.append(f"  {len(topology)} routers, {_counted(root, sites, counts)}", style="dim")
    tree = Tree(line)
    _grow(tree, topology, root, sites, counts)
    return tree


def _grow(
    branch: Tree,
    topology: Topology,
    name: RouterName,
    sites: Mapping[RouterName, int],
    pages: Mapping[RouterName, int] | None,
) -> None:
    for child in topology.below(name):
        line = Text(clean(child.name, _NAME), style="cyan" if child.is_leaf else "bold")
        shown = _counted(child.name, sites, pages) if not child.is_leaf else _pages(child.name, pages)
        line.append(f"  {shown}" if shown else "", style="dim")
        _grow(branch.add(line), topology, child.name, sites, pages)


def _counted(name: RouterName, sites: Mapping[RouterName, int], pages: Mapping[RouterName, int] | None) -> str:
    number = sites[name]
    return ", ".join(filter(None, (f"{number} site{'' if number == 1 else 's'}", _pages(name, pages))))


def _pages(name: RouterName, pages: Mapping[RouterName, int] | None) -> str:
    if pages is None:
        return ""
    return f"{pages[name]} page{'' if pages[name] == 1 else 's'}"


def _sums(topology: Topology, of_leaves: Mapping[RouterName, int]) -> dict[RouterName, int]:
    """A number of the leaves, added up for every router; bottom up, so each child is known before its parents."""
    sums = dict(of_leaves)
    for router in reversed(topology.routers):
        if not router.is_leaf:
            sums[router.name] = sum(sums[child] for child in router.children)
    return sums
