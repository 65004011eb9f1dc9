"""Arrays of numbers as bytes that compress well, and back with every promise checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hypursuit.errors import MalformedLabel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDEST = 7
"""Bytes per number: what fits is below 2**56, so sums of them stay far from overflow in the checks."""


def pack(numbers: NDArray[np.integer]) -> bytes:
    """Numbers ≥ 0, least significant bytes of all first, then the next ones: alike bytes stand together."""
    if not len(numbers):
        return b""
    width = max(1, (int(numbers.max()).bit_length() + 7) // 8)
    planes = numbers.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width]
    return bytes([width]) + np.ascontiguousarray(planes.T).tobytes()


def unpack(packed: bytes, what: str) -> NDArray[np.int64]:
    """The numbers; as many as the bytes hold, so memory is bounded by what was received."""
    if not packed:
        return np.empty(0, np.int64)
    width, size = packed[0], len(packed) - 1
    if not 1 <= width <= _WIDEST or size % width:
        raise MalformedLabel(f"{what}: {size} bytes do not hold numbers of {width} bytes")
    planes = np.frombuffer(packed, np.uint8, offset=1).reshape(width, -1)
    wide = np.zeros((planes.shape[1], 8), np.uint8)
    wide[:, :width] = planes.T
    return wide.view("<u8").reshape(-1).astype(np.int64)


def gaps(ascending: NDArray[np.integer]) -> NDArray[np.int64]:
    """Strictly ascending numbers as the distances between them, less one; the first as it is."""
    wide = ascending.astype(np.int64)
    return wide - np.concatenate(([-1], wide[:-1]))[: len(wide)] - 1


def from_gaps(distances: NDArray[np.int64], limit: int, what: str) -> NDArray[np.int64]:
    """The strictly ascending numbers below a limit."""
    if len(distances) and int(distances.max()) >= limit:
        raise MalformedLabel(f"{what}: a number is not below {limit}")
    ascending = np.cumsum(distances + 1) - 1
    if len(ascending) and int(ascending[-1]) >= limit:
        raise MalformedLabel(f"{what}: a number is not below {limit}")
    return ascending


def row_gaps(numbers: NDArray[np.integer], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers ascending inside rows, as distances from the one before; the first of each row as it is."""
    distances = gaps(numbers)
    distances[start[:-1]] = numbers[start[:-1]]
    return distances


def from_row_gaps(distances: NDArray[np.int64], start: NDArray[np.int64], limit: int, what: str) -> NDArray[np.int64]:
    """The numbers, each below a limit; rows must not be empty."""
    if len(distances) and int(distances.max()) >= limit:
        raise MalformedLabel(f"{what}: a number is not below {limit}")
    total = np.cumsum(distances + 1)
    before = np.concatenate(([0], total))[start[:-1]]
    numbers: NDArray[np.int64] = total - np.repeat(before, np.diff(start)) - 1
    if len(numbers) and int(numbers.max()) >= limit:
        raise MalformedLabel(f"{what}: a number is not below {limit}")
    return numbers
