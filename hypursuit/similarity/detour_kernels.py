"""Paths that avoid a page: which ancestors they concern, and how much longer they are.

spl^i_xj differs from spl_xj only where i lies on every shortest path x -> j, that is where i is above x in the tree of
shortest-path dominators of j. Inside the subtree of i the lengths are searched again, from the pages that have a link
leaving it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from hypursuit.similarity.ancestor_kernels import Detours
from hypursuit.similarity.dominator_kernels import (
    Tree,
    all_path_dominators,
    by_length,
    make_search_space,
    make_tree,
    number_tree,
    shortest_path_dominators,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.similarity.link_graph import LinkGraph

_OUTSIDE = np.int32(0)
_AVOIDED = np.int32(1)
_NO_PATH = np.int32(2**31 - 1)


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


class _Target(NamedTuple):
    """A page, and what cannot be avoided on the way to it."""

    lengths_to: NDArray[np.uint8]
    """By page."""
    order: NDArray[np.int32]
    """The pages whose length is known, nearest first."""
    near: Tree
    """Of the shortest paths of the pages in ``order``; sizes all 0 where nothing is in the way."""
    full: Tree
    """Of all paths, where the target is deep; sizes all 0 where not."""
    is_deep: bool
    """Some pages are so far away that their lengths are not known."""


class _Changes(NamedTuple):
    """The columns of `Detours`, without its ``start``."""

    avoided: NDArray[np.int32]
    level: NDArray[np.uint8]
    lost: NDArray[np.int32]
    change: NDArray[np.float64]


@njit(cache=True, nogil=True)
def _leave_by_links(
    members: NDArray[np.int32],
    lengths_to: NDArray[np.uint8],
    far: int,
    link_start: NDArray[np.int64],
    links: NDArray[np.int32],
    detour: NDArray[np.int32],
    leaving: NDArray[np.int32],
) -> None:
    """Set ``leaving`` to the length of the best path whose first link leaves the subtree, for each page in it."""
    for page in members:
        best = np.int64(far + 1)
        least = np.int64(lengths_to[page]) + 1
        for at in range(link_start[page], link_start[page + 1]):
            length = lengths_to[links[at]]
            if 0 < length < best - 1 and detour[links[at]] == _OUTSIDE:
                best = np.int64(length) + 1
                if best == least:
                    break
        leaving[page] = best if best <= far else _NO_PATH


@njit(cache=True, nogil=True)
def _leave_from_outside(
    members: NDArray[np.int32],
    order: NDArray[np.int32],
    lengths_to: NDArray[np.uint8],
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
def _begin(
    members: NDArray[np.int32],
    lengths_to: NDArray[np.uint8],
    leaving: NDArray[np.int32],
    detour: NDArray[np.int32],
) -> int:
    """Take leaving at once as the detour; return how many pages might find a shorter one inside."""
    improvable = 0
    for page in members:
        detour[page] = leaving[page]
        improvable += leaving[page] > lengths_to[page] + 1
    return improvable


@njit(cache=True, nogil=True)
def _spread(
    members: NDArray[np.int32],
    improvable: int,
    lengths_to: NDArray[np.uint8],
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    detour: NDArray[np.int32],
    bucket: NDArray[np.int32],
    chained: NDArray[np.int32],
    frontier: NDArray[np.int32],
) -> None:
    """Shorten the detours that stay inside the subtree for a while: a search by length from those that leave it.

    ``bucket[length]`` heads the chain of the pages that leave it with that length; all -1 before and after.
    """
    low, high = bucket.size, -1
    for page in members:
        length = detour[page]
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
        for k in range(grown - waiting):
            frontier[k] = frontier[waiting + k]
        length, waiting = length + 1, grown - waiting
    for value in range(low, high + 1):
        bucket[value] = -1


@njit(cache=True, nogil=True)
def _sum_changes(
    members: NDArray[np.int32],
    nearer: np.int64,
    lengths_to: NDArray[np.uint8],
    decay: NDArray[np.float64],
    is_loss: bool,
    detour: NDArray[np.int32],
    level_lost: NDArray[np.int32],
    level_change: NDArray[np.float64],
) -> None:
    """Add up by level what the detours change, and forget them; count those without one if ``is_loss``."""
    for page in members:
        length = np.int64(lengths_to[page])
        # The avoided page is on a shortest path: what comes before it is the way to it.
        level = length - nearer
        level_change[level] -= decay[length]
        if detour[page] != _NO_PATH:
            level_change[level] += decay[detour[page]]
        elif is_loss:
            level_lost[level] += 1
        detour[page] = _OUTSIDE


@njit(cache=True, nogil=True)
def _count_lost(
    page: int,
    size: NDArray[np.int32],
    position: NDArray[np.int32],
    page_at: NDArray[np.int32],
    lengths: NDArray[np.uint8],
    level_lost: NDArray[np.int32],
) -> None:
    """Count by level the pages that have no path round ``page`` at all, however far they are from the target."""
    place = position[page] + 1
    while place < position[page] + size[page]:
        x = page_at[place]
        if lengths[page, x] < level_lost.size:
            level_lost[lengths[page, x]] += 1
            place += 1
        else:
            place += size[x]


@njit(cache=True, nogil=True)
def _changes_of(
    target: _Target,
    first: int,
    last: int,
    lengths: NDArray[np.uint8],
    graph: LinkGraph,
    decay: NDArray[np.float64],
    space: _Space,
    changes: _Changes,
) -> int:
    """Fill ``changes`` with those of one target, avoiding ``first`` ... ``last - 1``, and return how many there are."""
    # Tuples are taken apart here, once for each target: doing so for each subtree would cost more than the subtree.
    lengths_to, order, near, full, is_deep = target
    _, near_size, near_position, _, near_page_at = near
    _, full_size, full_position, _, full_page_at = full
    link_start, links, source_start, sources = graph
    detour, leaving, bucket, chained, frontier, level_lost, level_change = space
    avoided, levels, lost, change = changes
    far = level_lost.size
    deepest = far - 1 if is_deep else np.int64(lengths_to[order[-1]])
    used = 0
    for page in range(first, last):
        if lengths_to[page] == 0 or (near_size[page] < 2 and full_size[page] < 2):
            continue
        if near_size[page] > 1:
            members = near_page_at[near_position[page] + 1 : near_position[page] + near_size[page]]
            detour[page] = _AVOIDED
            for x in members:
                detour[x] = _NO_PATH
            if 2 * members.size > order.size:
                _leave_from_outside(members, order, lengths_to, source_start, sources, detour, leaving)
            else:
                _leave_by_links(members, lengths_to, far, link_start, links, detour, leaving)
            improvable = _begin(members, lengths_to, leaving, detour)
            if improvable > 0 and members.size > 1:
                _spread(members, improvable, lengths_to, source_start, sources, detour, bucket, chained, frontier)
            nearer = np.int64(lengths_to[page])
            _sum_changes(members, nearer, lengths_to, decay, not is_deep, detour, level_lost, level_change)
            detour[page] = _OUTSIDE
        if full_size[page] > 1:
            _count_lost(page, full_size, full_position, full_page_at, lengths, level_lost)
        for level in range(1, deepest + 1):
            if level_change[level] != 0.0 or level_lost[level] != 0:
                avoided[used], levels[used] = page, level
                lost[used], change[used] = level_lost[level], level_change[level]
                level_lost[level], level_change[level] = 0, 0.0
                used += 1
    return used


@njit(cache=True, nogil=True)
def _most_changes(target: _Target, first: int, last: int, far: int) -> int:
    """No fewer than `_changes_of` will find: for each avoided page at most one for each level, or page, below it."""
    most = 0
    for page in range(first, last):
        if target.lengths_to[page] > 0:
            most += min(far, target.near.size[page] + target.full.size[page])
    return most


@njit(cache=True, nogil=True)
def _grow(values: NDArray[Any], room: int) -> NDArray[Any]:
    """A copy with space for ``room`` values."""
    grown = np.empty(room, values.dtype)
    grown[: values.size] = values
    return grown


@njit(cache=True, nogil=True)
def find_detours(
    graph: LinkGraph,
    lengths: NDArray[np.uint8],
    decay: NDArray[np.float64],
    far: int,
    first: int,
    last: int,
    budget: int,
) -> Detours:
    """Everything that avoiding paths change, for the pairs of pages whose lower page is in ``first`` ... ``last - 1``.

    Args:
        graph: links in both directions.
        lengths: (n, n); lengths[j, x] counts the links on a shortest path x -> j; 0 without one and for x = j.
        decay: decay[m] = 2**-m for a path of m links, 0 from ``far`` on; for n + ``far`` links at least.
        far: the length that stands for itself and all greater ones.
        first: lowest of the pages.
        last: one more than the highest.
        budget: how many changes to allow. With more, the answer is incomplete: its ``start`` ends with -1.
    """
    pages = lengths.shape[0]
    start = np.zeros(pages + 1, np.int64)
    avoided = np.empty(0, np.int32)
    levels = np.empty(0, np.uint8)
    lost = np.empty(0, np.int32)
    change = np.empty(0, np.float64)

    near, full, search_space = make_tree(pages), make_tree(pages), make_search_space(pages)
    all_order, found = np.empty(pages, np.int32), np.empty(pages, np.int32)
    level_first = np.empty(far + 1, np.int64)
    space = _Space(
        np.full(pages, _OUTSIDE, np.int32),
        np.empty(pages, np.int32),
        np.full(far + 2, -1, np.int32),
        np.empty(pages, np.int32),
        np.empty(2 * pages, np.int32),
        np.zeros(far, np.int32),
        np.zeros(far, np.float64),
    )
    for page in range(first, pages):
        nearer, is_deep = by_length(lengths[page], far, level_first, all_order)
        target = _Target(lengths[page], all_order[:nearer], near, full, is_deep)
        near.size[:] = 0
        full.size[:] = 0
        is_blocked = shortest_path_dominators(
            page, target.order, target.lengths_to, graph.link_start, graph.links, near.above
        )
        if is_blocked:
            number_tree(page, target.order, near)
        # Beyond ``far`` lengths are not known, and a search by length cannot say who is lost.
        if is_deep:
            reaching = all_path_dominators(page, graph, search_space, found, full.above)
            number_tree(page, found[1:reaching], full)
        used = start[page]
        start[page + 1] = used
        if is_blocked or is_deep:
            end = pages if page < last else last
            most = _most_changes(target, first, end, far)
            if used + most > avoided.size:
                room = used + max(most, used)
                avoided, levels = _grow(avoided, room), _grow(levels, room)
                lost, change = _grow(lost, room), _grow(change, room)
            changes = _Changes(avoided[used:], levels[used:], lost[used:], change[used:])
            start[page + 1] += _changes_of(target, first, end, lengths, graph, decay, space, changes)
            if start[page + 1] > budget:
                start[pages] = -1
                break
    return Detours(start, avoided, levels, lost, change)
