"""How far two partitions of the same pages agree, each by three measures.

The paper judged by eye and wished for a measure [W96 "Clustering example"]. All three care nothing for names and are 1
for equal partitions; they differ in what they count:

- *adjusted Rand*: pairs of pages together or apart in both, corrected for chance (random partitions average 0);
- *V-measure*: the harmonic mean of homogeneity and completeness, from entropies (equals normalised mutual information);
- *B³*: page by page, the share of its cluster that is of its class, and the share of its class that is in its cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a membership with a truth."""

    adjusted_rand: float
    homogeneity: float
    completeness: float
    v_measure: float
    b3_precision: float
    b3_recall: float
    b3: float


def agreement(truth: ArrayLike, membership: ArrayLike) -> Agreement:
    """Compare two partitions given as one class per page; classes may be of any hashable, sortable type."""
    table = _contingency(np.asarray(truth), np.asarray(membership))
    homogeneity, completeness = _conditional_entropies(table)
    precision, recall = _b3(table)
    return Agreement(
        adjusted_rand=_adjusted_rand(table),
        homogeneity=homogeneity,
        completeness=completeness,
        v_measure=_harmonic(homogeneity, completeness),
        b3_precision=precision,
        b3_recall=recall,
        b3=_harmonic(precision, recall),
    )


def _contingency(truth: NDArray[np.generic], membership: NDArray[np.generic]) -> NDArray[np.float64]:
    """(n_classes, n_clusters): how many pages are in both."""
    if truth.shape != membership.shape or truth.ndim != 1 or not len(truth):
        raise BadSetting(
            f"two partitions of the same pages are needed, got shapes {truth.shape} and {membership.shape}"
        )
    _, row = np.unique(truth, return_inverse=True)
    _, column = np.unique(membership, return_inverse=True)
    table = np.zeros((row.max() + 1, column.max() + 1))
    np.add.at(table, (row, column), 1)
    return table


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0


def _adjusted_rand(table: NDArray[np.float64]) -> float:
    def pairs(counts: NDArray[np.float64]) -> float:
        return float((counts * (counts - 1)).sum() / 2)

    together, in_class, in_cluster = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    expected = in_class * in_cluster / max(pairs(table.sum(keepdims=True)), 1.0)
    highest = (in_class + in_cluster) / 2
    # Both partitions all in one or all apart: they are equal, and chance could do nothing else.
    return 1.0 if highest == expected else (together - expected) / (highest - expected)


def _conditional_entropies(table: NDArray[np.float64]) -> tuple[float, float]:
    """Homogeneity 1 - H(class | cluster)/H(class) and completeness, the same the other way round."""
    share = table / table.sum()

    def entropy(p: NDArray[np.float64]) -> float:
        p = p[p > 0]
        return float(-(p * np.log(p)).sum())

    joint, classes, clusters = entropy(share.ravel()), entropy(share.sum(1)), entropy(share.sum(0))
    return (
        1 - (joint - clusters) / classes if classes else 1.0,
        1 - (joint - classes) / clusters if clusters else 1.0,
    )


def _b3(table: NDArray[np.float64]) -> tuple[float, float]:
    squares, pages = table**2, table.sum()
    return float((squares / table.sum(0)).sum() / pages), float((squares / table.sum(1, keepdims=True)).sum() / pages)
