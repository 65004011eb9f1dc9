"""Link similarity written down literally: slow, and the specification that the fast code is held to.

Each function answers for one pair of pages, from a graph of plain sets. Pages on avoiding paths are removed for
real and the shortest path is searched again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

Graph = Mapping[int, AbstractSet[int]]
"""Page -> the pages it links to. Every page is a key; no page links to itself."""


def path_lengths(graph: Graph, start: int, avoiding: int | None = None) -> dict[int, int]:
    """Links on a shortest path from ``start`` to each page it reaches on paths that do not go through ``avoiding``."""
    lengths = {start: 0}
    waiting = deque([start])
    while waiting:
        page = waiting.popleft()
        for target in graph[page]:
            if target not in lengths and target != avoiding:
                lengths[target] = lengths[page] + 1
                waiting.append(target)
    return lengths


def path_similarity_of(graph: Graph, i: int, j: int) -> float:
    """[W96 eq. 2]: a path each way counts half as much with every link more."""
    there, back = path_lengths(graph, i).get(j), path_lengths(graph, j).get(i)
    return sum(2.0**-length for length in (there, back) if length is not None)


def common_ancestors(graph: Graph, i: int, j: int) -> list[tuple[int, int]]:
    """The path lengths to i and to j, each avoiding the other page, of every proper common ancestor."""
    ancestors = []
    for page in graph.keys() - {i, j}:
        to_i = path_lengths(graph, page, avoiding=j).get(i)
        to_j = path_lengths(graph, page, avoiding=i).get(j)
        if to_i is not None and to_j is not None:
            ancestors.append((to_i, to_j))
    return ancestors


def ancestor_similarity_of(graph: Graph, i: int, j: int) -> float:
    """[W96 eq. 3]: proper common ancestors, those of one level sharing the weight of one."""
    ancestors = common_ancestors(graph, i, j)
    on_level = Counter(min(lengths) for lengths in ancestors)
    return sum(2.0 ** -(to_i + to_j) / on_level[min(to_i, to_j)] for to_i, to_j in ancestors)


def descendant_similarity_of(graph: Graph, i: int, j: int) -> float:
    """[W96 eq. 4]: equation 3 with every link turned round."""
    return ancestor_similarity_of(reverse(graph), i, j)


def reverse(graph: Graph) -> dict[int, set[int]]:
    """The same pages, every link turned round."""
    turned: dict[int, set[int]] = {page: set() for page in graph}
    for page, targets in graph.items():
        for target in targets:
            turned[target].add(page)
    return turned
