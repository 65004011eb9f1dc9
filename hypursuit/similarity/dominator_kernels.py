"""Pages that cannot be avoided on the way to a target: dominator trees, of shortest paths and of all paths.

A tree's root is the target. The page above x is the nearest that every (shortest) path x -> target visits, so every
page above x, at any height, is one that x cannot avoid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.similarity.link_graph import LinkGraph

    Ints = NDArray[np.int32]


class Tree(NamedTuple):
    """A dominator tree, by page except for the last."""

    above: Ints
    size: Ints
    """Pages in the subtree, its own page included."""
    position: Ints
    free: Ints
    """Working space."""
    page_at: Ints
    """Pages by position: a subtree is the range ``page_at[position[x]:][:size[x]]``."""


class SearchSpace(NamedTuple):
    """Working space of `all_path_dominators`: by page the first, by number in depth-first order the others."""

    number: Ints
    parent: Ints
    shortcut: Ints
    semi: Ints
    label: Ints
    nearest: Ints
    stack: Ints
    next_source: NDArray[np.int64]


@njit(cache=True, nogil=True)
def make_tree(pages: int) -> Tree:
    """Space for a tree."""
    return Tree(
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
    )


@njit(cache=True, nogil=True)
def make_search_space(pages: int) -> SearchSpace:
    """Space for a search."""
    return SearchSpace(
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int64),
    )


@njit(cache=True, nogil=True)
def by_length(lengths_to: NDArray[np.uint8], far: int, first: NDArray[np.int64], order: Ints) -> tuple[int, bool]:
    """Fill ``order`` with the pages nearer than ``far``, nearest first; say how many, and if there are farther ones."""
    first[: far + 1] = 0
    for x in range(lengths_to.size):
        first[lengths_to[x]] += 1
    any_far = first[far] > 0
    near = 0
    for level in range(1, far):
        near, first[level] = near + first[level], near
    for x in range(lengths_to.size):
        level = lengths_to[x]
        if 0 < level < far:
            order[first[level]] = x
            first[level] += 1
    return near, any_far


@njit(cache=True, nogil=True)
def _meet(a: int, b: int, lengths_to: NDArray[np.uint8], above: Ints) -> int:
    """The lowest common ancestor of two pages in the tree: the page above is always nearer to the target."""
    while a != b:
        if lengths_to[a] >= lengths_to[b]:
            a = above[a]
        else:
            b = above[b]
    return a


@njit(cache=True, nogil=True)
def shortest_path_dominators(
    target: int, order: Ints, lengths_to: NDArray[np.uint8], link_start: NDArray[np.int64], links: Ints, above: Ints
) -> bool:
    """Fill ``above`` for the pages in ``order``, which is by length; false if it is the target for all of them."""
    anything = False
    for x in order:
        nearer = np.int64(lengths_to[x]) - 1
        meeting = target
        if nearer > 0:
            meeting = -1
            for at in range(link_start[x], link_start[x + 1]):
                if lengths_to[links[at]] == nearer:
                    meeting = links[at] if meeting < 0 else _meet(meeting, links[at], lengths_to, above)
                    if meeting == target:
                        break
        above[x] = meeting
        anything |= meeting != target
    return anything


@njit(cache=True, nogil=True)
def _search_depth_first(target: int, graph: LinkGraph, space: SearchSpace, found: Ints) -> int:
    """Number the pages that reach ``target`` in depth-first order against the links; ``found`` lists them."""
    number, parent, stack, next_source = space.number, space.parent, space.stack, space.next_source
    source_start, sources = graph.source_start, graph.sources
    number[:] = -1
    number[target], found[0], stack[0], next_source[0] = 0, target, target, source_start[target]
    count, height = 1, 1
    while height > 0:
        page = stack[height - 1]
        at = next_source[height - 1]
        if at == source_start[page + 1]:
            height -= 1
            continue
        next_source[height - 1] += 1
        source = sources[at]
        if number[source] < 0:
            number[source], parent[count], found[count] = count, number[page], source
            stack[height], next_source[height] = source, source_start[source]
            count += 1
            height += 1
    return count


@njit(cache=True, nogil=True)
def _least(v: int, linked: int, shortcut: Ints, semi: Ints, label: Ints, stack: Ints) -> int:
    """The number with the least ``semi`` on the way up from v through those linked; shortens the way for next time."""
    height = 0
    top = v
    while shortcut[top] >= linked:
        stack[height] = top
        height += 1
        top = shortcut[top]
    while height > 0:
        height -= 1
        below = stack[height]
        shortcut[below] = shortcut[top]
        if semi[label[top]] < semi[label[below]]:
            label[below] = label[top]
        top = below
    least: int = label[v]
    return least


@njit(cache=True, nogil=True)
def all_path_dominators(target: int, graph: LinkGraph, space: SearchSpace, found: Ints, above: Ints) -> int:
    """Fill ``above`` for all pages that reach the target; list them in ``found``, target first, and say how many.

    The semi-dominator algorithm of Georgiadis and Tarjan, on the links turned round.
    """
    number, parent, shortcut, semi, label, nearest, stack, _ = space
    link_start, links = graph.link_start, graph.links
    count = _search_depth_first(target, graph, space, found)
    parent[0] = 0
    for k in range(count):
        shortcut[k], semi[k], label[k] = parent[k], k, k
    for k in range(count - 1, 0, -1):
        page = found[k]
        semi[k] = parent[k]
        for at in range(link_start[page], link_start[page + 1]):
            v = number[links[at]]
            if v >= 0:
                semi[k] = min(semi[k], semi[_least(v, k + 1, shortcut, semi, label, stack)])
    nearest[0] = 0
    for k in range(1, count):
        candidate = parent[k]
        while candidate > semi[k]:
            candidate = nearest[candidate]
        nearest[k] = candidate
        above[found[k]] = found[candidate]
    return count


@njit(cache=True, nogil=True)
def number_tree(target: int, order: Ints, tree: Tree) -> None:
    """Fill ``size``, ``position`` and ``page_at`` from ``above``; ``order`` has pages after those above them."""
    above, size, position, free, page_at = tree
    size[:] = 0
    for x in order[::-1]:
        size[x] += 1
        size[above[x]] += size[x]
    position[target], free[target], page_at[0] = 0, 1, target
    for x in order:
        parent = above[x]
        position[x] = free[parent]
        page_at[position[x]] = x
        free[parent] += size[x]
        free[x] = position[x] + 1
