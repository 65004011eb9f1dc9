"""How many leaves a search has to ask, beside what the usual ways of choosing leaves would need for the same answer.

The others rank leaves and hope; to compare, each is given what it takes: leaves are asked in its order until all that
hold one of the ten best pages have been. Nobody can stop there without knowing the answer, so this favours them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LeafStatistics:
    """What rankings of leaves go by, for the stems of one query."""

    pages: NDArray[np.int64]
    """(n_leaves,)"""
    words: NDArray[np.int64]
    """(n_leaves,) of all pages."""
    page_frequency: NDArray[np.int64]
    """(n_leaves, n_stems): pages with the stem."""
    weight: NDArray[np.float64]
    """(n_leaves, n_stems): the sum of the stem's score over the leaf's pages."""


def by_chance(statistics: LeafStatistics, seed: int) -> NDArray[np.intp]:
    """Leaves in random order."""
    return np.random.default_rng(seed).permutation(len(statistics.pages))


def by_size(statistics: LeafStatistics) -> NDArray[np.intp]:
    """Largest leaves first."""
    return np.argsort(-statistics.pages, kind="stable")


def by_gloss(statistics: LeafStatistics) -> NDArray[np.intp]:
    """gGlOSS, Sum(0): by the summed scores of all pages (Gravano and Garcia-Molina 1995)."""
    return np.argsort(-statistics.weight.sum(axis=1), kind="stable")


def by_cori(statistics: LeafStatistics) -> NDArray[np.intp]:
    """CORI with its usual constants (Callan, Lu and Croft 1995)."""
    leaves = len(statistics.pages)
    frequency = statistics.page_frequency.astype(np.float64)
    mean_words = max(float(statistics.words.mean()), 1.0)
    t = frequency / (frequency + 50 + 150 * statistics.words[:, None] / mean_words)
    holding = np.maximum((frequency > 0).sum(axis=0), 1)
    i = np.log((leaves + 0.5) / holding) / np.log(leaves + 1.0)
    belief = np.where(frequency > 0, 0.4 + 0.6 * t * i, 0.4).mean(axis=1)
    return np.argsort(-belief, kind="stable")


def leaves_needed(ranking: NDArray[np.intp], holders: Collection[int]) -> int:
    """How far down a ranking one has to go until every leaf that holds a wanted page was asked."""
    if not holders:
        return 0
    place = np.empty(len(ranking), np.intp)
    place[ranking] = np.arange(len(ranking))
    return int(place[list(holders)].max()) + 1


def rankings(statistics: LeafStatistics, seed: int) -> Mapping[str, NDArray[np.intp]]:
    """All of them, by name."""
    return {
        "random": by_chance(statistics, seed),
        "size": by_size(statistics),
        "GlOSS": by_gloss(statistics),
        "CORI": by_cori(statistics),
    }
