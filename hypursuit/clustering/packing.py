"""Boxes on a plane: none overlaps, those that belong together lie close, the whole is compact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASPECT = 1.3
"""Width over height that the packed boxes tend to: a screen less the table of contents."""
_GRAVITY = 0.6
_PASSES = 3
_OFFSETS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def pack(boxes: NDArray[np.float64], affinity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres for boxes so that no two overlap.

    Greedy and deterministic: the box with most ties first, then always the one most tied to those placed, large ones
    earlier; each goes where it touches a placed box and the sum of affinity · distance is least. Afterwards every
    box may move a few times, now that all others are known.

    Args:
        boxes: (k, 2) widths and heights.
        affinity: (k, k) symmetric, not negative; only proportions matter.

    Returns:
        (k, 2) centres, centred on the origin.
    """
    k = len(boxes)
    if k < 2:
        return np.zeros((k, 2))
    pull = _proportions(affinity)
    centres = np.zeros((k, 2))
    placed: list[int] = []
    for box in _order(boxes, pull):
        if placed:
            centres[box] = _best_place(box, np.array(placed), centres, boxes, pull)
        placed.append(box)
    for _ in range(_PASSES):
        for box in _outermost_first(centres):
            centres[box] = _best_place(box, np.delete(np.arange(k), box), centres, boxes, pull)
    return centres - _middle(centres, boxes)


def overlaps(centres: NDArray[np.float64], boxes: NDArray[np.float64], slack: float = 1e-6) -> NDArray[np.bool_]:
    """(k, k): which boxes overlap by more than ``slack``; the diagonal is False."""
    apart = np.abs(centres[:, None] - centres[None]) >= (boxes[:, None] + boxes[None]) / 2 - slack
    inside = np.asarray(~apart.any(axis=2))
    np.fill_diagonal(inside, val=False)
    return inside


def _proportions(affinity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row's shares of its sum, what all have in common taken off first, so that ties stand out."""
    k = len(affinity)
    off_diagonal = ~np.eye(k, dtype=bool)
    ties = np.where(off_diagonal, np.maximum(affinity - np.median(affinity[off_diagonal]), 0), 0)
    total = ties.sum(axis=1, keepdims=True)
    shares = np.divide(ties, total, out=np.zeros((k, k)), where=total > 0)
    return np.asarray((shares + shares.T) / 2)


def _order(boxes: NDArray[np.float64], pull: NDArray[np.float64]) -> list[int]:
    k = len(boxes)
    size = np.sqrt(boxes.prod(axis=1))
    tie = np.full(k, 1e-9)
    order = [int(np.argmax((pull.sum(axis=1) + tie) * size))]
    while len(order) < k:
        score = (pull[order].sum(axis=0) + tie) * size
        score[order] = -1
        order.append(int(np.argmax(score)))
    return order


def _outermost_first(centres: NDArray[np.float64]) -> list[int]:
    return [int(box) for box in np.argsort(-np.hypot(*(centres - centres.mean(axis=0)).T), kind="stable")]


def _best_place(
    box: int,
    placed: NDArray[np.intp],
    centres: NDArray[np.float64],
    boxes: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The cheapest free place where the box touches a placed one; there is always one at the rim."""
    there, reach = centres[placed], (boxes[placed] + boxes[box]) / 2
    candidates = _contacts(there, reach)
    away = np.abs(candidates[:, None] - there[None])
    free = (away >= reach - 1e-9).any(axis=2).all(axis=1)
    candidates, away = candidates[free], away[free]
    middle = _middle(there, boxes[placed])
    ties = np.hypot(away[..., 0], away[..., 1] * ASPECT) @ pull[placed, box]
    cost = ties + _GRAVITY * np.hypot(*((candidates - middle) * (1, ASPECT)).T)
    # Equal costs differ in their last bits from machine to machine; rounding lets the first one win everywhere.
    return np.asarray(candidates[int(np.argmin(np.round(cost, 6)))], np.float64)


def _contacts(there: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where a box touches others: above, below, left, right of each, at several offsets along the side."""
    sides = [(offset, side) for side in (-1.0, 1.0) for offset in _OFFSETS]
    sides += [(side, offset) for side in (-1.0, 1.0) for offset in _OFFSETS[1:-1]]
    steps = np.array(sides)
    return (there[:, None] + steps[None] * reach[:, None]).reshape(-1, 2)


def _middle(centres: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    middle: NDArray[np.float64] = ((centres - boxes / 2).min(axis=0) + (centres + boxes / 2).max(axis=0)) / 2
    return middle
