"""The usual rankings of leaves, on cases that can be worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.evaluation.routing import (
    LeafStatistics,
    by_chance,
    by_cori,
    by_gloss,
    by_size,
    leaves_needed,
    rankings,
)

#            leaf 0   leaf 1   leaf 2
STATISTICS = LeafStatistics(
    pages=np.array([10, 300, 50]),
    words=np.array([1_000, 90_000, 5_000]),
    page_frequency=np.array([[8, 2], [30, 0], [0, 20]]),
    weight=np.array([[9.0, 1.0], [12.0, 0.0], [0.0, 30.0]]),
)


def test_size_asks_the_largest_first() -> None:
    assert by_size(STATISTICS).tolist() == [1, 2, 0]


def test_gloss_asks_by_summed_scores() -> None:
    """10, 12 and 30."""
    assert by_gloss(STATISTICS).tolist() == [2, 1, 0]


def test_cori_by_hand() -> None:
    """Both stems are on two of three leaves, so I is equal; T depends on frequency and relative length."""
    mean = 32_000
    t = [[8 / (58 + 150 * 1_000 / mean), 2 / (52 + 150 * 1_000 / mean)], [30 / (80 + 150 * 90_000 / mean), 0]]
    t.append([0, 20 / (70 + 150 * 5_000 / mean)])
    i = np.log(3.5 / 2) / np.log(4)
    belief = [np.mean([0.4 + 0.6 * x * i for x in row]) for row in t]

    assert by_cori(STATISTICS).tolist() == np.argsort([-b for b in belief]).tolist()


def test_chance_is_a_permutation_that_a_seed_repeats() -> None:
    assert sorted(by_chance(STATISTICS, 1).tolist()) == [0, 1, 2]
    assert by_chance(STATISTICS, 7).tolist() == by_chance(STATISTICS, 7).tolist()


@pytest.mark.parametrize(("holders", "needed"), [({2}, 1), ({1, 2}, 2), ({0}, 3), (set(), 0)])
def test_one_asks_down_to_the_last_leaf_that_holds_a_page(holders: set[int], needed: int) -> None:
    assert leaves_needed(by_gloss(STATISTICS), holders) == needed


def test_all_rankings_order_all_leaves() -> None:
    assert all(sorted(order.tolist()) == [0, 1, 2] for order in rankings(STATISTICS, 3).values())
