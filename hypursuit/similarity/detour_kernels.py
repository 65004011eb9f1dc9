"""Paths that avoid a page: which ancestors they concern, and how much longer they are.

spl^i_xj differs from spl_xj only where i lies on every shortest path x -> j, that is where i dominates x in the graph
of shortest paths towards j. Each target's dominator tree names those x (the subtree of i); inside the subtree the
lengths are searched again, from the pages that have a link leaving it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hypursuit.similarity.link_kernels import Detours

_NO_PATH = np.int32(2**31 - 1)


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
def _number_tree(
    target: int,
    order: NDArray[np.int32],
    above: NDArray[np.int32],
    size: NDArray[np.int32],
    position: NDArray[np.int32],
    free: NDArray[np.int32],
    page_at: NDArray[np.int32],
) -> None:
    """Number the dominator tree so that each subtree is a range: ``page_at[position[x]:][:size[x]]``."""
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
    begin: int,
    end: int,
    page_at: NDArray[np.int32],
    position: NDArray[np.int32],
    lengths_to: NDArray[Any],
    link_start: NDArray[np.int64],
    links: NDArray[np.int32],
    detour: NDArray[np.int32],
) -> None:
    """Length of the best path whose first link leaves the subtree, for each page in it but its root."""
    for place in range(begin + 1, end):
        page = page_at[place]
        best = _NO_PATH
        for at in range(link_start[page], link_start[page + 1]):
            next_page = links[at]
            length = lengths_to[next_page]
            if 0 < length < best - 1 and not begin <= position[next_page] < end:
                best = np.int32(length + 1)
                # One more than the shortest path is the least that a detour can be.
                if best == lengths_to[page] + 1:
                    break
        detour[page] = best


@njit(cache=True, nogil=True)
def _leave_from_outside(
    begin: int,
    end: int,
    order: NDArray[np.int32],
    page_at: NDArray[np.int32],
    position: NDArray[np.int32],
    lengths_to: NDArray[Any],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    detour: NDArray[np.int32],
) -> None:
    """The same as `_leave_by_links`, cheaper where the subtree is most of the site."""
    for place in range(begin + 1, end):
        detour[page_at[place]] = _NO_PATH
    for outside in order:
        if begin <= position[outside] < end:
            continue
        length = np.int32(lengths_to[outside] + 1)
        for at in range(source_start[outside], source_start[outside + 1]):
            page = sources[at]
            # ``order`` goes outwards: the first length found is the least.
            if lengths_to[page] > 0 and begin < position[page] < end and detour[page] == _NO_PATH:
                detour[page] = length


@njit(cache=True, nogil=True)
def _spread(
    begin: int,
    end: int,
    page_at: NDArray[np.int32],
    position: NDArray[np.int32],
    lengths_to: NDArray[Any],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    detour: NDArray[np.int32],
    bucket: NDArray[np.int32],
    chained: NDArray[np.int32],
    frontier: NDArray[np.int32],
) -> None:
    """Shorten detours that stay inside the subtree for a while: a search by length from those that leave it.

    ``bucket[length]`` heads the chain of the pages that leave it with that length; all -1 before and after.
    """
    improvable, low, high = 0, bucket.size, -1
    for place in range(begin + 1, end):
        page = page_at[place]
        length = detour[page]
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
        grown = 0
        for k in range(waiting):
            page = frontier[k]
            for at in range(source_start[page], source_start[page + 1]):
                source = sources[at]
                if lengths_to[source] > 0 and begin < position[source] < end and detour[source] > length + 1:
                    detour[source] = length + 1
                    improvable -= length == lengths_to[source]
                    frontier[waiting + grown] = source
                    grown += 1
        frontier[:grown] = frontier[waiting : waiting + grown].copy()
        length, waiting = length + 1, grown
    for value in range(low, high + 1):
        bucket[value] = -1


@njit(cache=True, nogil=True)
def find_detours(
    link_start: NDArray[np.int64],
    links: NDArray[np.int32],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    lengths: NDArray[Any],
    halves: NDArray[np.float64],
) -> Detours:
    """Everything that avoiding paths change, for every target and avoided page.

    Args:
        link_start: (n + 1,) where the links of each page begin in ``links``.
        links: pages linked to.
        source_start: the same for the pages that link to each page.
        sources: pages linking.
        lengths: (n, n); lengths[j, x] counts the links on a shortest path x -> j; 0 without one and for x = j.
        halves: halves[m] = 2**-m.
    """
    pages = lengths.shape[0]
    start = np.zeros(pages + 1, np.int64)
    avoided = np.empty(1024, np.int32)
    levels = np.empty(1024, lengths.dtype)
    lost = np.empty(1024, np.int32)
    change = np.empty(1024, np.float64)
    used = 0

    all_order = np.empty(pages, np.int32)
    first = np.empty(pages + 1, np.int32)
    above = np.empty(pages, np.int32)
    size = np.empty(pages, np.int32)
    position = np.empty(pages, np.int32)
    free = np.empty(pages, np.int32)
    page_at = np.empty(pages + 1, np.int32)
    detour = np.empty(pages, np.int32)
    bucket = np.full(pages + 2, -1, np.int32)
    chained = np.empty(pages, np.int32)
    frontier = np.empty(2 * pages, np.int32)
    level_lost = np.zeros(pages + 1, np.int32)
    level_change = np.zeros(pages + 1, np.float64)

    for target in range(pages):
        lengths_to = lengths[target]
        reaching = _by_length(lengths_to, first, all_order)
        order = all_order[:reaching]
        if _dominators(target, order, lengths_to, link_start, links, above):
            _number_tree(target, order, above, size, position, free, page_at)
            for page in range(pages):
                if lengths_to[page] == 0 or size[page] < 2:
                    continue
                begin, end = position[page], position[page] + size[page]
                if 2 * size[page] > reaching:
                    _leave_from_outside(
                        begin, end, order, page_at, position, lengths_to, source_start, sources, detour
                    )
                else:
                    _leave_by_links(begin, end, page_at, position, lengths_to, link_start, links, detour)
                _spread(
                    begin, end, page_at, position, lengths_to, source_start, sources, detour, bucket, chained, frontier
                )
                deepest = 0
                for place in range(begin + 1, end):
                    x = page_at[place]
                    # The avoided page is on a shortest path: its own length is what is left of x's.
                    level = np.int64(lengths_to[x]) - np.int64(lengths_to[page])
                    deepest = max(deepest, level)
                    level_change[level] -= halves[lengths_to[x]]
                    if detour[x] == _NO_PATH:
                        level_lost[level] += 1
                    else:
                        level_change[level] += halves[detour[x]]
                if used + deepest > avoided.size:
                    room = 2 * avoided.size + deepest
                    avoided = _grow(avoided, room)
                    levels = _grow(levels, room)
                    lost = _grow(lost, room)
                    change = _grow(change, room)
                for level in range(1, deepest + 1):
                    if level_change[level] != 0.0:
                        avoided[used] = page
                        levels[used] = level
                        lost[used] = level_lost[level]
                        change[used] = level_change[level]
                        used += 1
                    level_lost[level] = 0
                    level_change[level] = 0.0
        start[target + 1] = used
    return Detours(start, avoided[:used], levels[:used], lost[:used], change[:used])


@njit(cache=True, nogil=True)
def _grow(values: NDArray[Any], room: int) -> NDArray[Any]:
    """A copy with space for ``room`` values."""
    grown = np.empty(room, values.dtype)
    grown[: values.size] = values
    return grown
