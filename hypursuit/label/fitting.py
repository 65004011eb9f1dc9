"""The most detail that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def largest_fitting(make: Callable[[int], T], most: int, room: int, size: Callable[[T], int]) -> T | None:
    """``make(n)`` for the largest n ≤ most whose size is within the room, found by bisection; None if not even 0.

    Sizes need not grow strictly with n: whatever is returned was measured.
    """
    whole = make(most)
    if size(whole) <= room:
        return whole
    best: T | None = None
    low, high = 0, most - 1
    while low <= high:
        middle = (low + high) // 2
        tried = make(middle)
        if size(tried) <= room:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    return best
