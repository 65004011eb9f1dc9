"""Nearest-neighbour chains over a square similarity matrix, in place, compiled.

A cluster lives in the row and column of its smallest page; -inf marks the diagonal and absorbed columns. A merge
rewrites one row only. Every other row learns of it when it is next read, by replaying the log of merges it has not
seen: that touches one row, which fits the cache, where writing the column would touch a cache line per row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]

_BLOCK = 128
_TILE = 16


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})  # lets a maximum run over whole registers
def asymmetry(matrix: Floats) -> float:
    """The largest |a_ij - a_ji| of a matrix without NaN."""
    n = matrix.shape[0]
    gap = matrix.dtype.type(0)
    # Tiles as wide as a cache line: the half that is read against the grain wastes nothing of what it fetches.
    for top in range(0, n, _TILE):
        for left in range(top, n, _TILE):
            for i in range(top, min(top + _TILE, n)):
                for j in range(left, min(left + _TILE, n)):
                    gap = max(gap, abs(matrix[i, j] - matrix[j, i]))
    return float(gap)


@njit(cache=True, nogil=True)
def symmetrise(matrix: Floats) -> None:
    """Put the smaller of a_ij and a_ji in both places."""
    n = matrix.shape[0]
    for top in range(0, n, _TILE):
        for left in range(top, n, _TILE):
            for i in range(top, min(top + _TILE, n)):
                for j in range(max(left, i + 1), min(left + _TILE, n)):
                    least = min(matrix[i, j], matrix[j, i])
                    matrix[i, j] = least
                    matrix[j, i] = least


@njit(cache=True, nogil=True)
def _replay(row: Floats, log: Ints, seen: int, logged: int) -> None:
    """Apply the logged merges that a row has not seen: complete link keeps the smaller similarity."""
    for t in range(seen, logged):
        kept, absorbed = log[t, 0], log[t, 1]
        row[kept] = min(row[kept], row[absorbed])
        row[absorbed] = -np.inf


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _nearest(row: Floats, size: Ints, peaks: Floats) -> int:
    """The most similar column; of equals the smallest cluster, then the first."""
    width = row.shape[0]
    best = row[0]
    for block in range((width + _BLOCK - 1) // _BLOCK):
        peak = row[block * _BLOCK]
        for j in range(block * _BLOCK, min((block + 1) * _BLOCK, width)):
            peak = max(peak, row[j])
        peaks[block] = peak
        best = max(best, peak)
    nearest = -1
    for block in range((width + _BLOCK - 1) // _BLOCK):
        if peaks[block] == best:
            for j in range(block * _BLOCK, min((block + 1) * _BLOCK, width)):
                if row[j] == best and (nearest < 0 or size[j] < size[nearest]):
                    nearest = j
    return nearest


@njit(cache=True, nogil=True)
def _compact(flat: Floats, width: int, size: Ints, page: Ints, place: Ints, log: Ints, seen: Ints, logged: int) -> int:
    """Close the gaps that absorbed clusters left, keeping the order; returns the new width, ``place`` the moves."""
    alive = np.flatnonzero(size[:width]).astype(np.uint32)
    new_width = len(alive)
    for new in range(new_width):
        old = alive[new]
        row = flat[old * width : (old + 1) * width]
        _replay(row, log, seen[old], logged)
        # Every value moves towards the front, never past one that is still to be read.
        for j in range(new_width):
            flat[new * new_width + j] = row[alive[j]]
        place[old] = new
    for new in range(new_width):
        size[new], page[new], seen[new] = size[alive[new]], page[alive[new]], 0
    return new_width


@njit(cache=True, nogil=True)
def chain_merges(flat: Floats, n: int, first: Ints, second: Ints, sizes: Ints, similarities: Floats) -> None:
    """Merge n pages down to one cluster, consuming the row-major matrix; fill the n - 1 merges in chain order.

    A merge is given by the smallest pages of its two clusters, its size and its similarity.
    """
    size, page, place = np.ones(n, np.int64), np.arange(n), np.empty(n, np.int64)
    log, logged, seen = np.empty((n, 2), np.uint32), 0, np.zeros(n, np.int64)
    peaks = np.empty(n // _BLOCK + 1, flat.dtype)
    chain, length, width, start = np.empty(n, np.int64), 0, n, 0
    for i in range(n):
        flat[i * n + i] = -np.inf
    for merge in range(n - 1):
        if 2 * (n - merge) < width:
            width = _compact(flat, width, size, page, place, log, seen, logged)
            logged, start = 0, 0
            for t in range(length):
                chain[t] = place[chain[t]]
        if length == 0:
            while size[start] == 0:
                start += 1
            chain[0], length = start, 1
        while True:
            tip = chain[length - 1]
            row = flat[tip * width : (tip + 1) * width]
            _replay(row, log, seen[tip], logged)
            seen[tip] = logged
            nearest = _nearest(row, size, peaks)
            if length > 1 and nearest == chain[length - 2]:
                break
            chain[length] = nearest
            length += 1
        length -= 2
        left, right = min(tip, nearest), max(tip, nearest)
        similarities[merge] = row[nearest]
        first[merge], second[merge] = page[left], page[right]
        other = flat[nearest * width : (nearest + 1) * width]
        _replay(other, log, seen[nearest], logged)
        survivor = flat[left * width : (left + 1) * width]
        for j in range(width):
            survivor[j] = min(row[j], other[j])
        size[left] += size[right]
        size[right] = 0
        sizes[merge] = size[left]
        log[logged, 0], log[logged, 1] = left, right
        logged += 1
        seen[left] = logged
