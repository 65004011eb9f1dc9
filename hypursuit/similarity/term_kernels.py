"""Inverted lists for the rare terms of [W96 eq. 9], compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]
    Floats = NDArray[np.float32]
    Ints = NDArray[Any]

_TILE = 16


@njit(cache=True, nogil=True)
def add_products(
    similarity: FloatMatrix,
    row_start: Ints,
    term: Ints,
    weight: Floats,
    list_start: Ints,
    page: Ints,
    page_weight: Floats,
) -> None:
    """Add sum_k w_ik w_jk to similarity[i, j] for j >= i; both forms of the matrix must be sorted by page."""
    # Pages come in order: each list's cursor stands at page i when i is reached, and what lies before is done.
    cursor = list_start[:-1].copy()
    for i in range(similarity.shape[0]):
        row = similarity[i]
        for here in range(row_start[i], row_start[i + 1]):
            k = term[here]
            for there in range(cursor[k], list_start[k + 1]):
                row[page[there]] += weight[here] * page_weight[there]
            cursor[k] += 1


@njit(cache=True, nogil=True)
def mirror(similarity: FloatMatrix) -> None:
    """Copy what lies above the diagonal below it."""
    n = similarity.shape[0]
    # Tiles as wide as a cache line: the half that is written against the grain wastes nothing of what it fetches.
    for top in range(0, n, _TILE):
        for left in range(top, n, _TILE):
            for j in range(left, min(left + _TILE, n)):
                for i in range(top, min(top + _TILE, j)):
                    similarity[j, i] = similarity[i, j]
