"""All shortest paths at once, and the common ancestors of all pairs, on sets of pages packed 64 to a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

TILE = 32
"""Pages per side of a tile of pairs: both sides' path lengths stay in the second-level cache."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)


def _define_count(_typing_context: Any, _word: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


def _define_lowest(_typing_context: Any, _word: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), emit


_count_ones: Any = intrinsic(_define_count)
"""The number of one bits of a uint64: one machine instruction, which numba does not offer."""
_lowest_one: Any = intrinsic(_define_lowest)
"""The position of the lowest one bit of a uint64 that is not zero."""


class Layers(NamedTuple):
    """The pages around each page by path length: short layers as lists, long ones as bit sets."""

    deepest: NDArray[np.int64]
    """(n,) the longest shortest path to each page."""
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
def advance(
    source_start: NDArray[np.int64],
    sources: NDArray[np.int32],
    reached: NDArray[np.uint64],
    fresh: NDArray[np.uint64],
    grown: NDArray[np.uint64],
    is_fresh: NDArray[np.bool_],
    is_grown: NDArray[np.bool_],
    lengths: NDArray[np.uint8],
    length: int,
) -> bool:
    """One step of a breadth-first search backwards from every page at once; false when nothing was reached.

    ``fresh[j]`` is the set of pages reached last; ``grown[j]`` becomes that of pages one link farther from j, whose
    lengths are set to ``length``.
    """
    pages, words = reached.shape
    anything = False
    for j in range(pages):
        found = False
        for at in range(source_start[j], source_start[j + 1]):
            source = sources[at]
            if is_fresh[source]:
                if found:
                    for w in range(words):
                        grown[j, w] |= fresh[source, w]
                else:
                    grown[j] = fresh[source]
                    found = True
        is_grown[j] = False
        if found:
            for w in range(words):
                word = grown[j, w] & ~reached[j, w]
                grown[j, w] = word
                if word != _NONE:
                    is_grown[j] = True
                    reached[j, w] |= word
                    while word != _NONE:
                        lengths[j, 64 * w + np.int64(_lowest_one(word))] = length
                        word &= word - _ONE
        anything |= is_grown[j]
    return anything


@njit(cache=True, nogil=True)
def layer_sizes(lengths: NDArray[np.uint8], depth: int) -> NDArray[np.int32]:
    """(n, depth + 1): how many pages are 1, 2, ... links away from each page; column 0 says nothing."""
    pages = lengths.shape[0]
    sizes = np.zeros((pages, depth + 1), np.int32)
    for j in range(pages):
        for x in range(pages):
            sizes[j, lengths[j, x]] += 1
    return sizes


@njit(cache=True, nogil=True)
def split_layers(
    lengths: NDArray[np.uint8], sizes: NDArray[np.int32], longest_list: int, members: NDArray[Any], words: int
) -> Layers:
    """Layers of at most ``longest_list`` pages become lists, which fill ``members``, the others bit sets."""
    pages, levels = sizes.shape
    deepest = np.zeros(pages, np.int64)
    list_start = np.zeros(pages + 1, np.int64)
    set_start = np.zeros(pages + 1, np.int64)
    for j in range(pages):
        list_start[j + 1], set_start[j + 1] = list_start[j], set_start[j]
        for level in range(1, levels):
            if sizes[j, level] > longest_list:
                set_start[j + 1] += 1
            elif sizes[j, level] > 0:
                list_start[j + 1] += 1
            if sizes[j, level] > 0:
                deepest[j] = level
    list_level = np.empty(list_start[pages], np.int64)
    member_start = np.zeros(list_start[pages] + 1, np.int64)
    set_level = np.empty(set_start[pages], np.int64)
    sets = np.zeros((set_start[pages], words), np.uint64)

    place = np.empty(levels, np.int64)
    for j in range(pages):
        at_list, at_set = list_start[j], set_start[j]
        for level in range(1, deepest[j] + 1):
            if sizes[j, level] > longest_list:
                set_level[at_set] = level
                place[level] = at_set
                at_set += 1
            elif sizes[j, level] > 0:
                list_level[at_list] = level
                place[level] = member_start[at_list]
                member_start[at_list + 1] = member_start[at_list] + sizes[j, level]
                at_list += 1
        for x in range(pages):
            level = lengths[j, x]
            if level == 0:
                continue
            if sizes[j, level] > longest_list:
                sets[place[level], x >> 6] |= _ONE << np.uint64(x & 63)
            else:
                members[place[level]] = x
                place[level] += 1
    return Layers(deepest, list_start, list_level, member_start, members, set_start, set_level, sets)


@njit(cache=True, nogil=True)
def _common(sets: NDArray[np.uint64], a: int, b: int) -> np.int64:
    """How many pages two bit sets share."""
    count = _NONE
    for w in range(sets.shape[1]):
        count += _count_ones(sets[a, w] & sets[b, w])
    return np.int64(count)


@njit(cache=True, nogil=True)
def _count_lists(
    i: int,
    j: int,
    lengths: NDArray[np.uint8],
    list_start: NDArray[np.int64],
    list_level: NDArray[np.int64],
    member_start: NDArray[np.int64],
    members: NDArray[Any],
    decay: NDArray[np.float64],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Common ancestors of i and j that are on a list of i."""
    for at in range(list_start[i], list_start[i + 1]):
        near = list_level[at]
        nearest, weight = 0, 0.0
        for m in range(member_start[at], member_start[at + 1]):
            far = lengths[j, members[m]]
            if far >= near:
                nearest += 1
                weight += decay[far]
            elif far > 0:
                count[far] += 1
                total[far] += decay[near]
        count[near] += nearest
        total[near] += weight


@njit(cache=True, nogil=True)
def _count_lists_in_sets(
    i: int,
    j: int,
    lengths: NDArray[np.uint8],
    list_start: NDArray[np.int64],
    list_level: NDArray[np.int64],
    member_start: NDArray[np.int64],
    members: NDArray[Any],
    decay: NDArray[np.float64],
    in_set: NDArray[np.bool_],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Common ancestors that are on a list of i and in a bit set of j, whose levels ``in_set`` marks."""
    for at in range(list_start[i], list_start[i + 1]):
        near = list_level[at]
        for m in range(member_start[at], member_start[at + 1]):
            far = lengths[j, members[m]]
            if in_set[far]:
                level = min(near, np.int64(far))
                count[level] += 1
                total[level] += decay[max(near, np.int64(far))]


@njit(cache=True, nogil=True)
def _count_sets(
    i: int,
    j: int,
    set_start: NDArray[np.int64],
    set_level: NDArray[np.int64],
    sets: NDArray[np.uint64],
    decay: NDArray[np.float64],
    count: NDArray[np.int64],
    total: NDArray[np.float64],
) -> None:
    """Common ancestors that are in a bit set of i and in one of j."""
    for a in range(set_start[i], set_start[i + 1]):
        for b in range(set_start[j], set_start[j + 1]):
            shared = _common(sets, a, b)
            level = min(set_level[a], set_level[b])
            count[level] += shared
            total[level] += shared * decay[max(set_level[a], set_level[b])]


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
    """Add ``weight`` times [W96 eq. 3] to ``similarity``, both decay, for pairs whose lower page is ``first <= i < last``.

    Args:
        lengths: (n, n); lengths[j, x] counts the links on a shortest path x -> j; 0 without one and for x = j.
        layers: the same, by page and length.
        detours: what avoiding paths change.
        decay: decay[m] = 2**-m for a path of m links, 0 if it is too long to count.
        first: lowest of the pages.
        last: one more than the highest.
        weight: factor of the part.
        similarity: (n, n), changed in place.
    """
    deepest, list_start, list_level, member_start, members, set_start, set_level, sets = layers
    change_start, avoided, change_level, lost, change = detours
    pages = lengths.shape[0]
    cursor = change_start[:-1].copy()
    count = np.zeros(decay.size, np.int64)
    total = np.zeros(decay.size, np.float64)
    in_set = np.zeros(decay.size, np.bool_)
    for first_i in range(first, last, TILE):
        for first_j in range(first_i, pages, TILE):
            for i in range(first_i, min(first_i + TILE, last)):
                for a in range(set_start[i], set_start[i + 1]):
                    in_set[set_level[a]] = True
                for j in range(max(first_j, i + 1), min(first_j + TILE, pages)):
                    _count_lists(i, j, lengths, list_start, list_level, member_start, members, decay, count, total)
                    if set_start[i] < set_start[i + 1]:
                        _count_lists_in_sets(
                            j, i, lengths, list_start, list_level, member_start, members, decay, in_set, count, total
                        )
                        _count_sets(i, j, set_start, set_level, sets, decay, count, total)
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
                for a in range(set_start[i], set_start[i + 1]):
                    in_set[set_level[a]] = False


@njit(cache=True, nogil=True)
def add_paths(
    lengths: NDArray[np.uint8], decay: NDArray[np.float64], weight: float, similarity: NDArray[np.float32]
) -> None:
    """Add ``weight`` times [W96 eq. 2] to ``similarity``; ``lengths`` as in `add_common_ancestors`."""
    pages = lengths.shape[0]
    for first_i in range(0, pages, TILE):
        for first_j in range(first_i, pages, TILE):
            for i in range(first_i, min(first_i + TILE, pages)):
                for j in range(max(first_j, i + 1), min(first_j + TILE, pages)):
                    there, back = lengths[j, i], lengths[i, j]
                    value = (decay[there] if there > 0 else 0.0) + (decay[back] if back > 0 else 0.0)
                    similarity[i, j] += weight * value
                    similarity[j, i] += weight * value
