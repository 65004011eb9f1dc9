"""How clearly a similarity falls into clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from hypursuit.clustering import complete_link
from hypursuit.clustering.clarity import clarity
from hypursuit.clustering.signals import CLEAR, trust_in_links


def blocks(n: int, size: int, noise: float, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    same = (np.arange(n)[:, None] // size == np.arange(n) // size).astype(np.float64)
    shaken = same + noise * random.standard_normal((n, n))
    return (shaken + shaken.T).astype(np.float32)


def test_islands_are_perfectly_clear() -> None:
    assert clarity(blocks(40, 4, 0), clusters=10) == 1


def test_no_difference_at_all_is_a_coin_toss() -> None:
    assert clarity(np.ones((40, 40), np.float32), clusters=10) == 0.5


def test_noise_makes_it_less_clear() -> None:
    found = [clarity(blocks(60, 6, noise), clusters=10) for noise in (0.1, 0.5, 2.0)]

    assert found == sorted(found, reverse=True)
    assert found[0] > 0.99
    assert found[2] < 0.9


@pytest.mark.parametrize("seed", range(10))
def test_equals_the_area_under_the_curve_of_an_independent_implementation(seed: int) -> None:
    similarity = np.round(blocks(30, 5, 1, seed), 1)  # with ties
    membership = complete_link(similarity, 7)
    one, other = np.triu_indices(30, 1)

    expected = roc_auc_score(membership[one] == membership[other], similarity[one, other])

    assert clarity(similarity, clusters=7) == pytest.approx(expected)


def test_sampled_pairs_of_a_large_site_come_near_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    similarity = blocks(700, 10, 0.8)
    exact = clarity(similarity)
    monkeypatch.setattr("hypursuit.clustering.clarity._PAIRS", 100_000)

    assert clarity(similarity) == pytest.approx(exact, abs=0.02)
    assert clarity(similarity) == clarity(similarity), "the same every time"


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_the_smallest_sites_work(n: int) -> None:
    assert 0 <= clarity(np.ones((n, n), np.float32)) <= 1


def test_trust_grows_with_clarity() -> None:
    assert trust_in_links(CLEAR) == pytest.approx(0.5)
    assert trust_in_links(CLEAR - 0.05) < 0.01
    assert trust_in_links(1.0) > 0.99
