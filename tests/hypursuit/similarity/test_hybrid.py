"""Combining two similarities, and making their scales comparable."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.errors import BadSetting
from hypursuit.similarity import COMBINATIONS, comparable, hybrid_similarity

TERM = np.array([[0, 0.4, 0.1], [0.4, 0, 0.2], [0.1, 0.2, 0]], np.float32)
LINK = np.array([[0, 0.1, 0.9], [0.1, 0, 0.2], [0.9, 0.2, 0]], np.float32)


def test_f_is_maximum_as_in_the_paper() -> None:
    assert hybrid_similarity(TERM, LINK)[0].tolist() == pytest.approx([0, 0.4, 0.9])


@pytest.mark.parametrize(
    ("name", "row"), [("maximum", [0, 0.4, 0.9]), ("mean", [0, 0.25, 0.5]), ("geometric-mean", [0, 0.2, 0.3])]
)
def test_other_combinations_are_selectable_by_name(name: str, row: list[float]) -> None:
    combined = hybrid_similarity(TERM, LINK, COMBINATIONS[name])

    assert combined[0].tolist() == pytest.approx(row)
    assert combined.dtype == np.float32


def test_similarities_of_different_pages_are_refused() -> None:
    with pytest.raises(BadSetting, match="one size"):
        hybrid_similarity(TERM, LINK[:2, :2])


def test_comparable_similarities_have_mean_square_one_over_pairs() -> None:
    scaled = comparable(np.float32(1000) * LINK + np.eye(3, dtype=np.float32))
    pairs = scaled[~np.eye(3, dtype=bool)]

    assert np.mean(pairs**2) == pytest.approx(1)
    assert scaled[0, 2] / scaled[0, 1] == pytest.approx(9)


def test_no_similarity_at_all_stays_so() -> None:
    assert not comparable(np.zeros((4, 4), np.float32)).any()
    assert comparable(np.zeros((0, 0), np.float32)).shape == (0, 0)
