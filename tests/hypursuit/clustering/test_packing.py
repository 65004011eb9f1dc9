"""Boxes on a plane."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.clustering.packing import overlaps, pack


def _random(seed: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    boxes = random.uniform(10, 200, (k, 2))
    affinity = random.random((k, k))
    return boxes, affinity + affinity.T


@pytest.mark.parametrize("seed", range(40))
def test_boxes_never_overlap(seed: int) -> None:
    boxes, affinity = _random(seed, 1 + seed)

    assert not overlaps(pack(boxes, affinity), boxes).any()


def test_overlap_is_measured_between_box_sides() -> None:
    """Two boxes 10 wide, 9 and 10 apart; the third above both."""
    boxes = np.full((3, 2), 10.0)

    inside = overlaps(np.array([[0.0, 0.0], [9.0, 0.0], [19.0, 0.0]]), boxes)

    assert inside.tolist() == [[False, True, False], [True, False, False], [False, False, False]]


def test_the_same_input_gives_the_same_places() -> None:
    boxes, affinity = _random(7, 30)

    assert np.array_equal(pack(boxes, affinity), pack(boxes.copy(), affinity.copy()))


@pytest.mark.parametrize("seed", range(10))
def test_boxes_that_belong_together_lie_closer(seed: int) -> None:
    """Five families of six: mates are on average nearer than strangers."""
    family = np.random.default_rng(seed).permutation(np.repeat(np.arange(5), 6))
    mates = family[:, None] == family[None]
    centres = pack(np.full((30, 2), 50.0), mates + 0.1)

    distance = np.hypot(*(centres[:, None] - centres[None]).T)
    other = ~np.eye(30, dtype=bool)

    assert distance[mates & other].mean() < 0.6 * distance[~mates].mean()


@pytest.mark.parametrize("seed", range(10))
def test_the_whole_is_compact(seed: int) -> None:
    """The bounding box is at most three times the boxes in it."""
    boxes, affinity = _random(seed, 40)
    centres = pack(boxes, affinity)

    extent = (centres + boxes / 2).max(axis=0) - (centres - boxes / 2).min(axis=0)

    assert extent.prod() < 3 * boxes.prod(axis=1).sum()


def test_nothing_and_one_box_and_no_ties_are_packed() -> None:
    assert pack(np.empty((0, 2)), np.empty((0, 0))).shape == (0, 2)
    assert pack(np.array([[30.0, 20.0]]), np.ones((1, 1))).tolist() == [[0.0, 0.0]]
    assert not overlaps(pack(np.full((9, 2), 10.0), np.zeros((9, 9))), np.full((9, 2), 10.0)).any()
