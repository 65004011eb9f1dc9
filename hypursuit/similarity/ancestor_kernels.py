"""The common ancestors of all pairs of pages, counted by level [W96 eq. 3].

The pages around a page fall into layers, by the length of their shortest path to it. What two layers of two pages
share is counted in one of three ways: a short layer is a list, and each page on it is looked up; longer ones are bit
sets, and intersected; and the largest layer of each page is not looked at, since what the others leave over is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from hypursuit.similarity.link_kernels import NONE, ONE, TILE, count_ones

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Layers(NamedTuple):
    """The pages around each page by path length; layer 0 is the page itself and those that do not reach it."""

    sizes: NDArray[np.int32]
    """(n, levels)."""
    deepest: NDArray[np.int64]
    """(n,) the last layer that is not empty."""
    largest: NDArray[np.int64]
    """(n,) the layer that is neither a list nor a set."""
    list_start: NDArray[np.int64]
    """(n + 1,) where the lists of each page begin in ``list_level``."""
    list_level: NDArray[np.int64]
    member_start: NDArray[np.int64]
    """Where each list begins in ``members``; one more than there are lists."""
    members: NDArray[Any]
    set_start: NDArray[np.int64]
    """(n + 1,) where the bit sets of each page begin in ``set_level``."""
    set_level: NDArray[np.int64]
    sets: NDArray[np.uint64]
    """(number of sets, words)."""


class Detours(NamedTuple):
    """What avoiding paths change, by target, then by avoided page, both ascending [W96 eq. 3]."""

    start: NDArray[np.int64]
    """(n + 1,) where the changes of each target begin."""
    avoided: NDArray[np.int32]
    level: NDArray[np.uint8]
    lost: NDArray[np.int32]
    """Ancestors on this level that reach the target only through the avoided page."""
    change: NDArray[np.float64]
    """What the sum of 2**-length to the target over this level changes by; never positive."""


@njit(cache=True, nogil=True)
def layer_sizes(lengths: NDArray[np.uint8], levels: int) -> NDArray[np.int32]:
    """(n, levels): how many pages are 1, 2, ... links away from each page; column 0 counts those that are not."""
    pages = lengths.shape[0]
    sizes = np.zeros((pages, levels), np.int32)
    for j in range(pages):
        for x in range(pages):
            sizes[j, lengths[j, x]] += 1
    return sizes


@njit(cache=True, nogil=True)
def split_layers(
    lengths: NDArray[np.uint8], sizes: NDArray[np.int32], longest_list: int, members: NDArray[Any], words: int
) -> Layers:
    """Layers of at most ``longest_list`` pages become lists, the others bit sets, the largest of each page neither.

    ``members`` is filled; it must have room for all pages on lists.
    """
    pages, levels = sizes.shape
    deepest, largest = np.zeros(pages, np.int64), np.zeros(pages, np.int64)
    list_start, set_start = np.zeros(pages + 1, np.int64), np.zeros(pages + 1, np.int64)
    for j in range(pages):
        list_start[j + 1], set_start[j + 1] = list_start[j], set_start[j]
        largest[j] = np.argmax(sizes[j])
        for level in range(levels):
            if sizes[j, level] > 0:
                deepest[j] = level
                if level != largest[j] and sizes[j, level] > longest_list:
                    set_start[j + 1] += 1
                elif level != largest[j]:
                    list_start[j + 1] += 1
    list_level = np.empty(list_start[pages], np.int64)
    member_start = np.zeros(list_start[pages] + 1, np.int64)
    set_level = np.empty(set_start[pages], np.int64)
    sets = np.zeros((set_start[pages], words), np.uint64)

    place = np.empty(levels, np.int64)
    for j in range(pages):
        at_list, at_set = list_start[j], set_start[j]
        for level in range(deepest[j] + 1):
            if level == largest[j] or sizes[j, level] == 0:
                continue
            if sizes[j, level] > longest_list:
                set_level[at_set], place[level] = level, at_set
                at_set += 1
            else:
                list_level[at_list], place[level] = level, member_start[at_list]
                member_start[at_list + 1] = member_start[at_list] + sizes[j, level]
                at_list += 1
        for x in range(pages):
            length = lengths[j, x]
            if length == largest[j]:
                continue
            if sizes[j, length] > longest_list:
                sets[place[length], x >> 6] |= ONE << np.uint64(x & 63)
            else:
                members[place[length]] = x
                place[length] += 1
    return Layers(sizes, deepest, largest, list_start, list_level, member_start, members, set_start, set_level, sets)


@njit(cache=True, nogil=True)
def _look_up(
    i: int,
    j: int,
    lengths: NDArray[np.uint8],
    list_start: NDArray[np.int64],
    list_level: NDArray[np.int64],
    member_start: NDArray[np.int64],
    members: NDArray[Any],
    decay: NDArray[np.float64],
    is_done: NDArray[np.bool_],
    rest_i: NDArray[np.int64],
    rest_j: NDArray[np.int64],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Count the pages on a list of i by their layer of j, except for layers of j that are done already."""
    for at in range(list_start[i], list_start[i + 1]):
        near = list_level[at]
        for m in range(member_start[at], member_start[at + 1]):
            far = np.int64(lengths[j, members[m]])
            if not is_done[far]:
                rest_j[far] -= 1
                count[min(near, far)] += 1
                total[min(near, far)] += decay[max(near, far)]
        rest_i[near] = 0


@njit(cache=True, nogil=True)
def _common(sets: NDArray[np.uint64], a: int, b: int) -> np.int64:
    """How many pages two bit sets share."""
    count = NONE
    for w in range(sets.shape[1]):
        count += count_ones(sets[a, w] & sets[b, w])
    return np.int64(count)


@njit(cache=True, nogil=True)
def _intersect(
    i: int,
    j: int,
    set_start: NDArray[np.int64],
    set_level: NDArray[np.int64],
    sets: NDArray[np.uint64],
    decay: NDArray[np.float64],
    rest_i: NDArray[np.int64],
    rest_j: NDArray[np.int64],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Count the pages in a bit set of i and in one of j."""
    for a in range(set_start[i], set_start[i + 1]):
        near = set_level[a]
        for b in range(set_start[j], set_start[j + 1]):
            far = set_level[b]
            shared = _common(sets, a, b)
            rest_i[near] -= shared
            rest_j[far] -= shared
            count[min(near, far)] += shared
            total[min(near, far)] += shared * decay[max(near, far)]


@njit(cache=True, nogil=True)
def _count_rest(
    largest_i: int,
    largest_j: int,
    decay: NDArray[np.float64],
    rest_i: NDArray[np.int64],
    rest_j: NDArray[np.int64],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Count the pages in the largest layer of i or of j: of every other layer, what is not counted yet."""
    both = rest_i[largest_i]
    for level in range(rest_i.size):
        if level != largest_i:
            count[min(level, largest_j)] += rest_i[level]
            total[min(level, largest_j)] += rest_i[level] * decay[max(level, largest_j)]
    for level in range(rest_j.size):
        if level != largest_j:
            both -= rest_j[level]
            count[min(level, largest_i)] += rest_j[level]
            total[min(level, largest_i)] += rest_j[level] * decay[max(level, largest_i)]
    count[min(largest_i, largest_j)] += both
    total[min(largest_i, largest_j)] += both * decay[max(largest_i, largest_j)]


@njit(cache=True, nogil=True)
def _average_levels(
    deepest: int, decay: NDArray[np.float64], count: NDArray[np.int64], total: NDArray[np.float64]
) -> float:
    """The sum over levels of the average ancestor [W96 eq. 3]; clears the sums for the next pair."""
    value = 0.0
    for level in range(1, deepest + 1):
        if count[level] > 0:
            # Corrections that cancel nearly everything can leave a rounding error below zero.
            value += decay[level] * max(total[level], 0.0) / count[level]
        count[level] = 0
        total[level] = 0.0
    return value


@njit(cache=True, nogil=True)
def add_common_ancestors(
    lengths: NDArray[np.uint8],
    layers: Layers,
    detours: Detours,
    decay: NDArray[np.float64],
    first: int,
    last: int,
    weight: float,
    similarity: NDArray[np.float32],
) -> None:
    """Add ``weight`` times [W96 eq. 3] to ``similarity`` for the pairs whose lower page is in a range.

    Args:
        lengths: (n, n); lengths[j, x] counts the links on a shortest path x -> j; 0 without one and for x = j.
        layers: the same, by page and length.
        detours: what avoiding paths change.
        decay: decay[m] = 2**-m for a path of m links, 0 if it is too long to count.
        first: lowest of the pages.
        last: one more than the highest.
        weight: factor of the part.
        similarity: (n, n), changed in place, both halves of it.
    """
    sizes, deepest, largest, list_start, list_level, member_start, members, set_start, set_level, sets = layers
    change_start, avoided, change_level, lost, change = detours
    pages, levels = sizes.shape
    cursor = change_start[:-1].copy()
    # Layer 0 is nobody's ancestor: what is counted there is never read.
    count, total = np.zeros(levels, np.int64), np.zeros(levels, np.float64)
    rest_i, rest_j = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    nothing, on_list = np.zeros(levels, np.bool_), np.zeros(levels, np.bool_)
    for first_i in range(first, last, TILE):
        for first_j in range(first_i, pages, TILE):
            for i in range(first_i, min(first_i + TILE, last)):
                for at in range(list_start[i], list_start[i + 1]):
                    on_list[list_level[at]] = True
                for j in range(max(first_j, i + 1), min(first_j + TILE, pages)):
                    for level in range(levels):
                        rest_i[level], rest_j[level] = sizes[i, level], sizes[j, level]
                    _look_up(
                        i,
                        j,
                        lengths,
                        list_start,
                        list_level,
                        member_start,
                        members,
                        decay,
                        nothing,
                        rest_i,
                        rest_j,
                        count,
                        total,
                    )
                    _look_up(
                        j,
                        i,
                        lengths,
                        list_start,
                        list_level,
                        member_start,
                        members,
                        decay,
                        on_list,
                        rest_j,
                        rest_i,
                        count,
                        total,
                    )
                    _intersect(i, j, set_start, set_level, sets, decay, rest_i, rest_j, count, total)
                    _count_rest(largest[i], largest[j], decay, rest_i, rest_j, count, total)
                    # Each page meets the others in ascending order, so a cursor finds its changes without a search.
                    for target, other in ((i, j), (j, i)):
                        while cursor[target] < change_start[target + 1] and avoided[cursor[target]] == other:
                            level = change_level[cursor[target]]
                            count[level] -= lost[cursor[target]]
                            total[level] += change[cursor[target]]
                            cursor[target] += 1
                    value = weight * _average_levels(min(deepest[i], deepest[j]), decay, count, total)
                    similarity[i, j] += value
                    similarity[j, i] += value
                for at in range(list_start[i], list_start[i + 1]):
                    on_list[list_level[at]] = False
