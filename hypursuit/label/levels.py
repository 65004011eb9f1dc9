"""Largest parts of a score in one byte, rounded upwards, so that a bound made of them holds.

Level 0 means *certainly absent*; whatever stands on a page has level 1 at least, even if it counts nothing.
Level q stands for ``highest · (1 - (1 - q/255)²)``: steps are finest near the top, where the best pages crowd and
where bounds decide who is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOP = 255
# Scores add the same numbers in another order and by other routines; the difference is far below this.
_ROUNDING = 1e-12
_FRACTION = 1 - (1 - np.arange(TOP + 1) / TOP) ** 2


def values(highest: float) -> NDArray[np.float64]:
    """(256,): the part that each level stands for."""
    return np.asarray(_FRACTION * highest, np.float64)


def quantise_up(parts: NDArray[np.float64], highest: float) -> NDArray[np.uint8]:
    """The lowest level whose value is not below the part; ValueError for parts beyond the highest."""
    if len(parts) and parts.max() > highest * (1 + _ROUNDING):
        raise ValueError(f"a part of {parts.max()} is above {highest}, the highest of its scoring")
    levels = np.searchsorted(values(highest), parts * (1 + _ROUNDING), side="left")
    return np.clip(levels, 1, TOP).astype(np.uint8)
