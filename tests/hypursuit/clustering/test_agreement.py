"""Agreement measures against hand-computed values and scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, homogeneity_completeness_v_measure

from hypursuit.clustering.agreement import agreement
from hypursuit.errors import BadSetting


def test_equal_partitions_agree_fully_whatever_they_are_called() -> None:
    found = agreement(["a", "a", "b", "c"], [7, 7, 0, 3])

    assert (found.adjusted_rand, found.v_measure, found.b3) == pytest.approx((1, 1, 1))


def test_b3_of_one_misplaced_page() -> None:
    """Classes aaab b, clusters 11 222: precision (1+1+1/3+2/3+2/3)/5, recall (2/3+2/3+1/3+1+1)/5."""
    found = agreement(list("aaabb"), [1, 1, 2, 2, 2])

    assert found.b3_precision == pytest.approx((1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5)
    assert found.b3_recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)


def test_everything_in_one_cluster_tells_nothing() -> None:
    found = agreement([0, 0, 1, 1], [0, 0, 0, 0])

    assert found.adjusted_rand == pytest.approx(0)
    assert found.v_measure == 0


@pytest.mark.parametrize("seed", range(40))
def test_rand_and_v_measure_equal_an_independent_implementation(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 60))
    truth, membership = random.integers(0, random.integers(1, 9), n), random.integers(0, random.integers(1, 12), n)

    found = agreement(truth, membership)

    assert found.adjusted_rand == pytest.approx(adjusted_rand_score(truth, membership))
    reference = homogeneity_completeness_v_measure(truth, membership)
    assert (found.homogeneity, found.completeness, found.v_measure) == pytest.approx(reference, abs=1e-12)


def test_b3_equals_its_definition_page_by_page() -> None:
    random = np.random.default_rng(3)
    truth, membership = random.integers(0, 5, 50), random.integers(0, 7, 50)
    precision = np.mean([(truth[membership == c] == t).mean() for t, c in zip(truth, membership, strict=True)])

    assert agreement(truth, membership).b3_precision == pytest.approx(precision)


def test_partitions_of_different_pages_are_refused() -> None:
    with pytest.raises(BadSetting, match="same pages"):
        agreement([1, 2], [1, 2, 3])
