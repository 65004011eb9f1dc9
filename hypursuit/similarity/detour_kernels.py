"""Paths that avoid a page: which ancestors they concern, and how much longer they are.

spl^i_xj differs from spl_xj only where i lies on every shortest path x -> j, that is where i dominates x in the graph
of shortest paths towards j. Each target's dominator tree names those x (the subtree of i); inside the subtree the
lengths are searched again, from the pages that have a link leaving it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hypursuit.similarity.link_kernels import Detours

if TYPE_CHECKING:
    from hypursuit.similarity.link_graph import LinkGraph

_OUTSIDE = np.int32(0)
_AVOIDED = np.int32(1)
_NO_PATH = np.int32(2**31 - 1)


class _Tree(NamedTuple):
    """The dominator tree of a target, by page except for the last."""

    above: NDArray[np.int32]
    size: NDArray[np.int32]
    position: NDArray[np.int32]
    free: NDArray[np.int32]
    page_at: NDArray[np.int32]


class _Space(NamedTuple):
    """Working space, by page except where said; made once."""

    detour: NDArray[np.int32]
    """Length of the path that avoids; or one of the three marks above."""
    leaving: NDArray[np.int32]
    bucket: NDArray[np.int32]
    """By length."""
    chained: NDArray[np.int32]
    frontier: NDArray[np.int32]
    level_lost: NDArray[np.int32]
    """By level."""
    level_change: NDArray[np.float64]
    """By level."""


class _Changes(NamedTuple):
    """The columns of `Detours`, without its ``start``."""

    avoided: NDArray[np.int32]
    level: NDArray[Any]
    lost: NDArray[np.int32]
    change: NDArray[np.float64]


@njit(cache=True, nogil=True)
def _by_length(lengths_to: NDArray[Any], first: NDArray[np.int32], order: NDArray[np.int32]) -> int:
    """Fill ``order`` with the pages that reach the target, nearest first; return how many there are."""
    first[:] = 0
    deepest = 0
    for x in range(lengths_to.size):
        first[lengths_to[x]] += 1
        deepest = max(deepest, lengths_to[x])
    reaching = 0
    first[0] = 0
    for level in range(1, deepest + 1):
        reaching, first[level] = reaching + first[level], reaching
    for x in range(lengths_to.size):
        level = lengths_to[x]
        if level > 0:
            order[first[level]] = x
            first[level] += 1
    return reaching


@njit(cache=True, nogil=True)
def _meet(a: int, b: int, lengths_to: NDArray[Any], above: NDArray[np.int32]) -> int:
    """The lowest common ancestor of two pages in the dominator tree: parents are always nearer to the target."""
    while a != b:
        if lengths_to[a] >= lengths_to[b]:
            a = above[a]
        else:
            b = above[b]
    return a


@njit(cache=True, nogil=True)
def _dominators(
    target: int,
    order: NDArray[np.int32],
    lengths_to: NDArray[Any],
    link_start: NDArray[np.int64],
    links: NDArray[np.int32],
    above: NDArray[np.int32],
) -> bool:
    """Set ``above[x]`` to the page nearest x that every shortest path x -> target visits; false if always target."""
    anything = False
    for x in order:
        nearer = lengths_to[x] - 1
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
def _number_tree(target: int, order: NDArray[np.int32], tree: _Tree) -> None:
    """Number the dominator tree so that each subtree is a range: ``page_at[position[x]:][:size[x]]``."""
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


@njit(cache=True, nogil=True)
def _leave_by_links(
    members: NDArray[np.int32],
    lengths_to: NDArray[Any],
    link_start: NDArray[np.int64],
    links: NDArray[np.int32],
    detour: NDArray[np.int32],
    leaving: NDArray[np.int32],
) -> None:
    """Set ``leaving`` to the length of the best path whose first link leaves the subtree, for each page in it."""
    for page in members:
        best = _NO_PATH
        least = lengths_to[page] + 1
        for at in range(link_start[page], link_start[page + 1]):
            length = lengths_to[links[at]]
            if 0 < length < best - 1 and detour[links[at]] == _OUTSIDE:
                best = np.int32(length + 1)
                if best == least:
                    break
        leaving[page] = best


@njit(cache=True, nogil=True)
def _leave_from_outside(
    members: NDArray[np.int32],
    order: NDArray[np.int32],
    lengths_to: NDArray[Any],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    detour: NDArray[np.int32],
    leaving: NDArray[np.int32],
) -> None:
    """The same as `_leave_by_links`, cheaper where the subtree is most of the site."""
    for page in members:
        leaving[page] = _NO_PATH
    for outside in order:
        if detour[outside] != _OUTSIDE:
            continue
        length = np.int32(lengths_to[outside] + 1)
        for at in range(source_start[outside], source_start[outside + 1]):
            # ``order`` goes outwards: the first length found is the least.
            if detour[sources[at]] == _NO_PATH and leaving[sources[at]] == _NO_PATH:
                leaving[sources[at]] = length


@njit(cache=True, nogil=True)
def _spread(
    members: NDArray[np.int32],
    lengths_to: NDArray[Any],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    detour: NDArray[np.int32],
    leaving: NDArray[np.int32],
    bucket: NDArray[np.int32],
    chained: NDArray[np.int32],
    frontier: NDArray[np.int32],
) -> None:
    """Find the detours, some of which stay inside the subtree for a while: a search by length from those that leave.

    ``bucket[length]`` heads the chain of the pages that leave it with that length; all -1 before and after.
    """
    improvable, low, high = 0, bucket.size, -1
    for page in members:
        length = leaving[page]
        detour[page] = length
        improvable += length > lengths_to[page] + 1
        if length != _NO_PATH:
            chained[page] = bucket[length]
            bucket[length] = page
            low, high = min(low, length), max(high, length)
    length, waiting = low, 0
    while improvable > 0 and (length <= high or waiting > 0):
        # The frontier holds the pages whose detour became this long on the way; the chain those that began so.
        page = bucket[length] if length <= high else -1
        while page >= 0:
            if detour[page] == length:
                frontier[waiting] = page
                waiting += 1
            page = chained[page]
        grown = waiting
        for k in range(waiting):
            page = frontier[k]
            for at in range(source_start[page], source_start[page + 1]):
                if detour[sources[at]] > length + 1:
                    source = sources[at]
                    detour[source] = length + 1
                    improvable -= length == lengths_to[source]
                    frontier[grown] = source
                    grown += 1
        frontier[: grown - waiting] = frontier[waiting:grown].copy()
        length, waiting = length + 1, grown - waiting
    for value in range(low, high + 1):
        bucket[value] = -1


@njit(cache=True, nogil=True)
def _sum_levels(
    members: NDArray[np.int32],
    nearer: int,
    lengths_to: NDArray[Any],
    detour: NDArray[np.int32],
    halves: NDArray[np.float64],
    level_lost: NDArray[np.int32],
    level_change: NDArray[np.float64],
) -> int:
    """Add up by level what the detours change, forget them, and return the deepest level."""
    deepest = 0
    for page in members:
        length = np.int64(lengths_to[page])
        # The avoided page is on a shortest path: what comes before it is the way to it.
        level = length - nearer
        deepest = max(deepest, level)
        if detour[page] == _NO_PATH:
            level_lost[level] += 1
            level_change[level] -= halves[length]
        else:
            level_change[level] += halves[detour[page]] - halves[length]
        detour[page] = _OUTSIDE
    return deepest


@njit(cache=True, nogil=True)
def _changes_of(
    lengths_to: NDArray[Any],
    order: NDArray[np.int32],
    first_avoided: int,
    last_avoided: int,
    tree: _Tree,
    graph: LinkGraph,
    halves: NDArray[np.float64],
    space: _Space,
    changes: _Changes,
) -> int:
    """Fill ``changes`` with those of one target and return how many there are."""
    _, size, position, _, page_at = tree
    link_start, links, source_start, sources = graph
    detour, leaving, bucket, chained, frontier, level_lost, level_change = space
    avoided, levels, lost, change = changes
    used = 0
    for page in range(first_avoided, last_avoided):
        if lengths_to[page] == 0 or size[page] < 2:
            continue
        members = page_at[position[page] + 1 : position[page] + size[page]]
        detour[page] = _AVOIDED
        for x in members:
            detour[x] = _NO_PATH
        if 2 * members.size > order.size:
            _leave_from_outside(members, order, lengths_to, source_start, sources, detour, leaving)
        else:
            _leave_by_links(members, lengths_to, link_start, links, detour, leaving)
        _spread(members, lengths_to, source_start, sources, detour, leaving, bucket, chained, frontier)
        deepest = _sum_levels(members, lengths_to[page], lengths_to, detour, halves, level_lost, level_change)
        detour[page] = _OUTSIDE
        for level in range(1, deepest + 1):
            if level_change[level] != 0.0:
                avoided[used] = page
                levels[used] = level
                lost[used] = level_lost[level]
                change[used] = level_change[level]
                used += 1
            level_lost[level] = 0
            level_change[level] = 0.0
    return used


@njit(cache=True, nogil=True)
def _most_changes(lengths_to: NDArray[Any], order: NDArray[np.int32], size: NDArray[np.int32]) -> int:
    """No fewer than the changes of a target: each page has at most one for each level of its subtree."""
    deepest = np.int64(lengths_to[order[-1]])
    most = 0
    for page in order:
        most += min(np.int64(size[page]) - 1, deepest - np.int64(lengths_to[page]))
    return most


@njit(cache=True, nogil=True)
def _grow(values: NDArray[Any], room: int) -> NDArray[Any]:
    """A copy with space for ``room`` values."""
    grown = np.empty(room, values.dtype)
    grown[: values.size] = values
    return grown


@njit(cache=True, nogil=True)
def find_detours(
    graph: LinkGraph, lengths: NDArray[Any], halves: NDArray[np.float64], first: int, last: int, budget: int
) -> Detours:
    """Everything that avoiding paths change, for the pairs of pages whose lower page is in ``first`` ... ``last - 1``.

    Args:
        graph: links in both directions.
        lengths: (n, n); lengths[j, x] counts the links on a shortest path x -> j; 0 without one and for x = j.
        halves: halves[m] = 2**-m.
        first: lowest of the pages.
        last: one more than the highest.
        budget: how many changes to allow. With more, the answer is incomplete: its ``start`` ends with -1.
    """
    pages = lengths.shape[0]
    start = np.zeros(pages + 1, np.int64)
    avoided = np.empty(0, np.int32)
    levels = np.empty(0, lengths.dtype)
    lost = np.empty(0, np.int32)
    change = np.empty(0, np.float64)

    all_order = np.empty(pages, np.int32)
    tree = _Tree(
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages, np.int32),
        np.empty(pages + 1, np.int32),
        np.empty(pages + 1, np.int32),
    )
    space = _Space(
        np.full(pages, _OUTSIDE, np.int32),
        np.empty(pages, np.int32),
        np.full(pages + 2, -1, np.int32),
        np.empty(pages, np.int32),
        np.empty(2 * pages, np.int32),
        np.zeros(pages + 1, np.int32),
        np.zeros(pages + 1, np.float64),
    )
    for target in range(first, pages):
        lengths_to = lengths[target]
        order = all_order[: _by_length(lengths_to, tree.free, all_order)]
        used = start[target]
        start[target + 1] = used
        if not _dominators(target, order, lengths_to, graph.link_start, graph.links, tree.above):
            continue
        _number_tree(target, order, tree)
        most = _most_changes(lengths_to, order, tree.size)
        if used + most > avoided.size:
            room = used + max(most, used)
            avoided, levels = _grow(avoided, room), _grow(levels, room)
            lost, change = _grow(lost, room), _grow(change, room)
        changes = _Changes(avoided[used:], levels[used:], lost[used:], change[used:])
        last_avoided = pages if target < last else last
        start[target + 1] += _changes_of(lengths_to, order, first, last_avoided, tree, graph, halves, space, changes)
        if start[target + 1] > budget:
            start[pages] = -1
            break
    return Detours(start, avoided, levels, lost, change)
