"""Nearest-neighbour chains over sparse similarities, in place, compiled.

Rows are sorted by page; a cluster lives in the row of its smallest page; a value of 0 is an entry that is gone. What
two rows do not share is 0 to their union, so a merged row is the *intersection* of the two and never needs more room.
Every entry is removed at most once: O(entries x log degree) in all.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]


@njit(cache=True, nogil=True)
def symmetrise(begin: Ints, column: Ints, value: Floats) -> float:
    """Put the smaller of a_ij and a_ji in both places, 0 on the diagonal.

    Returns the largest |a_ij - a_ji|, or -1 if an entry is stored in one direction only.
    """
    gap = value.dtype.type(0)
    # Rows come in order, so the entries left of each row's diagonal are met in order too: a cursor finds them.
    cursor = begin[:-1].copy()
    for i in range(len(begin) - 1):
        for here in range(begin[i], begin[i + 1]):
            j = column[here]
            if j < i:
                if here >= cursor[i]:
                    return -1.0
            elif j == i:
                value[here] = 0
            else:
                there = cursor[j]
                if there >= begin[j + 1] or column[there] != i:
                    return -1.0
                gap = max(gap, abs(value[here] - value[there]))
                value[here] = min(value[here], value[there])
                value[there] = value[here]
                cursor[j] += 1
    return float(gap)


@njit(cache=True, nogil=True)
def _nearest(row: int, begin: Ints, end: Ints, column: Ints, value: Floats, size: Ints) -> int:
    """Squeeze a row; the place of its most similar entry (of equals the smallest cluster, the first), -1 if empty."""
    fill, best = begin[row], -1
    for here in range(begin[row], end[row]):
        if value[here] > 0:
            column[fill], value[fill] = column[here], value[here]
            if (
                best < 0
                or value[fill] > value[best]
                or (value[fill] == value[best] and size[column[fill]] < size[column[best]])
            ):
                best = fill
            fill += 1
    end[row] = fill
    return best


@njit(cache=True, nogil=True)
def _set(row: int, page: int, new: float, begin: Ints, end: Ints, column: Ints, value: Floats) -> None:
    """Overwrite the entry of a row that stands for a page's cluster; it must be there."""
    low, count = begin[row], end[row] - begin[row]
    # Halving without a branch: the processor could only guess which way each step goes.
    while count > 1:
        half = count >> 1
        low += half * (column[low + half - 1] < page)
        count -= half
    value[low] = new


@njit(cache=True, nogil=True)
def _intersect(left: int, right: int, begin: Ints, end: Ints, column: Ints, value: Floats) -> None:
    """Merge row ``right`` into row ``left``, and tell every row that knew either."""
    a, b, fill = begin[left], begin[right], begin[left]
    while a < end[left] or b < end[right]:
        if a < end[left] and (value[a] == 0 or column[a] == right):
            a += 1
        elif b < end[right] and (value[b] == 0 or column[b] == left):
            b += 1
        elif b == end[right] or (a < end[left] and column[a] < column[b]):
            _set(column[a], left, 0, begin, end, column, value)
            a += 1
        elif a == end[left] or column[b] < column[a]:
            _set(column[b], right, 0, begin, end, column, value)
            b += 1
        else:
            column[fill], value[fill] = column[a], min(value[a], value[b])
            _set(column[fill], left, value[fill], begin, end, column, value)
            _set(column[fill], right, 0, begin, end, column, value)
            a, b, fill = a + 1, b + 1, fill + 1
    end[left], end[right] = fill, begin[right]


@njit(cache=True, nogil=True)
def chain_merges(
    begin: Ints, column: Ints, value: Floats, first: Ints, second: Ints, sizes: Ints, similarities: Floats
) -> None:
    """Merge all pages down to one cluster, consuming the entries; fill the merges as the dense kernel does.

    ``begin`` is the usual row pointer; entries must be symmetric, non-negative, 0 on the diagonal.
    """
    n = len(begin) - 1
    end, size = begin[1:].copy(), np.ones(n, np.int64)
    chain, length, start, merge = np.empty(n, np.int64), 0, 0, 0
    while start < n:
        if length == 0:
            chain[0], length = start, 1
        tip = chain[length - 1]
        place = _nearest(tip, begin, end, column, value, size)
        if place < 0:
            # Like nobody, now or later: rows only lose entries. Whoever pointed here looks again.
            length -= 1
            start += tip == start
            continue
        nearest = column[place]
        if length < 2 or nearest != chain[length - 2]:
            chain[length] = nearest
            length += 1
            continue
        length -= 2
        left, right = min(tip, nearest), max(tip, nearest)
        similarities[merge] = value[place]
        _intersect(left, right, begin, end, column, value)
        size[left] += size[right]
        size[right] = 0
        first[merge], second[merge], sizes[merge] = left, right, size[left]
        merge += 1
    _merge_strangers(size, first[merge:], second[merge:], sizes[merge:])
    similarities[merge:] = 0


@njit(cache=True, nogil=True)
def _merge_strangers(size: Ints, first: Ints, second: Ints, sizes: Ints) -> None:
    """Join what has no similarity left: always the two smallest clusters, of equal ones those of the first pages."""
    n = len(size)
    heap = [size[page] * n + page for page in range(n) if size[page] > 0]
    heapq.heapify(heap)
    for merge in range(len(first)):
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        left, right = min(a % n, b % n), max(a % n, b % n)
        first[merge], second[merge], sizes[merge] = left, right, a // n + b // n
        heapq.heappush(heap, (a // n + b // n) * n + left)
