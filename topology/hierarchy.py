"""Further trees over the same leaves, as an operator writes them: a subject catalogue, an institution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx

from hypursuit.errors import BadSetting
from topology.shape import refuse_cycles
from topology.toml_tables import at, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topology.network_file import HierarchyTable
    from topology.shape import RouterName, Topology


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A tree by its own principle: ``edges`` lead from each branch to the branches and leaves right below it.

    The top is the hierarchy's name, a branch its name and path: ``subject``, ``subject/Programming/Python``.
    """

    name: str
    edges: tuple[tuple[RouterName, RouterName], ...]


def read_hierarchies(tables: Sequence[HierarchyTable], leaves: Topology) -> tuple[Hierarchy, ...]:
    """The hierarchies of a file, over the leaves of its sites; each checked.

    Raises:
        BadSetting: a name given twice, a site that is not there, or a circle, with the path of the key.
    """
    made: dict[str, Hierarchy] = {}
    for place, table in enumerate(tables):
        with at(f"hierarchy[{place}]"):
            if table.name == "dns":
                raise BadSetting('name: "dns" is always there; give another hierarchy, or none')
            if table.name in made or "/" in table.name:
                raise BadSetting(f"name: {table.name!r} is {'taken' if table.name in made else 'not to hold a slash'}")
            made[table.name] = _hierarchy(table, leaves)
    return tuple(made.values())


def _hierarchy(table: HierarchyTable, leaves: Topology) -> Hierarchy:
    names = _names_of_leaves(leaves)
    branches = {key: _branch(table.name, key) for key in table.tree}
    graph: nx.DiGraph[RouterName] = nx.DiGraph()
    for key, entries in table.tree.items():
        nx.add_path(graph, branches[key])
        for place, entry in enumerate(entries):
            below = names.get(entry.removesuffix("/")) or (branches[entry][-1] if entry in branches else None)
            if below is None:
                hint = nearest(entry, {*names, *branches})
                raise BadSetting(f'tree."{key}"[{place}]: {entry!r} is no site of this network and no branch; {hint}')
            graph.add_edge(branches[key][-1], below)
    with at("tree"):
        refuse_cycles(graph)
    return Hierarchy(table.name, tuple(sorted(graph.edges)))


def _branch(hierarchy: str, key: str) -> list[RouterName]:
    """Names from the top of a hierarchy to a branch."""
    parts = [part.strip() for part in key.split("/")]
    if not all(parts):
        raise BadSetting(f'tree."{key}": a branch is named like "Programming/Python"')
    return ["/".join((hierarchy, *parts[:depth])) for depth in range(len(parts) + 1)]


def _names_of_leaves(topology: Topology) -> dict[str, RouterName]:
    """What an operator may call a leaf: its name, or the URL of its site."""
    return dict(_callings(topology))


def _callings(topology: Topology) -> Iterator[tuple[str, RouterName]]:
    for leaf in topology.leaves:
        yield leaf.name.removesuffix("/"), leaf.name
        if leaf.site is not None:
            yield leaf.site.root.removesuffix("/"), leaf.name
