"""How clearly a similarity falls into clusters: an answer to "which signal to trust here" without knowing the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from hypursuit.clustering.complete_link import complete_link

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAIRS = 1_000_000
"""Pairs looked at on large sites: the standard error is then below 0.002."""


def clarity(similarity: NDArray[np.float32], clusters: int = 30) -> float:
    """The chance that a pair of pages inside a cluster is more similar than a pair across clusters.

    The clusters are those that complete link makes of this very similarity. 1 where every cluster is an island,
    1/2 where clustering found nothing to hold on to; equal similarities count half. On sites with fewer than four
    pages per cluster the cut is made higher, for singletons would be islands all.
    """
    pages = len(similarity)
    if pages < 3:
        return 0.5
    membership = complete_link(similarity, max(2, min(clusters, pages // 4)))
    one, other = _pairs(pages)
    inside = membership[one] == membership[other]
    return _area_under_curve(similarity[one, other], inside)


def _pairs(pages: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs i < j, or on large sites as many drawn at random, the same every time."""
    if pages * (pages - 1) // 2 <= _PAIRS:
        return np.triu_indices(pages, 1)
    random = np.random.default_rng(pages)
    one = random.integers(0, pages, _PAIRS)
    return one, (one + random.integers(1, pages, _PAIRS)) % pages


def _area_under_curve(values: NDArray[np.float32], inside: NDArray[np.bool_]) -> float:
    """Mann and Whitney's statistic: the share of (inside, across) pairs in the right order."""
    n_inside = int(inside.sum())
    n_across = len(inside) - n_inside
    if n_inside == 0 or n_across == 0:
        return 0.5
    ranks = rankdata(values)
    return float((ranks[inside].sum() - n_inside * (n_inside + 1) / 2) / (n_inside * n_across))
