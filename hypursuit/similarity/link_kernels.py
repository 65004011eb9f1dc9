"""All shortest paths at once, on sets of pages packed 64 to a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

TILE = 32
"""Pages per side of a tile of pairs: both sides' path lengths stay in the second-level cache."""

ONE = np.uint64(1)
NONE = np.uint64(0)


def _define_count(_typing_context: Any, _word: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


def _define_lowest(_typing_context: Any, _word: Any) -> Any:
    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), emit


count_ones: Any = intrinsic(_define_count)
"""The number of one bits of a uint64: one machine instruction, which numba does not offer."""
_lowest_one: Any = intrinsic(_define_lowest)
"""The position of the lowest one bit of a uint64 that is not zero."""


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
                if word != NONE:
                    is_grown[j] = True
                    reached[j, w] |= word
                    while word != NONE:
                        lengths[j, 64 * w + np.int64(_lowest_one(word))] = length
                        word &= word - ONE
        anything |= is_grown[j]
    return anything


@njit(cache=True, nogil=True)
def add_paths(
    lengths: NDArray[np.uint8], decay: NDArray[np.float64], weight: float, similarity: NDArray[np.float32]
) -> None:
    """Add ``weight`` times [W96 eq. 2] to ``similarity``; lengths[j, x] counts links from x to j, 0 without a path."""
    pages = lengths.shape[0]
    for first_i in range(0, pages, TILE):
        for first_j in range(first_i, pages, TILE):
            for i in range(first_i, min(first_i + TILE, pages)):
                for j in range(max(first_j, i + 1), min(first_j + TILE, pages)):
                    there, back = lengths[j, i], lengths[i, j]
                    value = (decay[there] if there > 0 else 0.0) + (decay[back] if back > 0 else 0.0)
                    similarity[i, j] += weight * value
                    similarity[j, i] += weight * value
