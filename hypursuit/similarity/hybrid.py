"""Hybrid similarity [W96 eq. 1]: one number from what pages say and how they are linked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]

Combine = Callable[["FloatMatrix", "FloatMatrix"], "FloatMatrix"]
"""F of eq. 1: two (n, n) matrices of similarities ≥ 0 to one, elementwise and symmetric."""


def maximum(term: FloatMatrix, link: FloatMatrix) -> FloatMatrix:
    """F of the paper: pages are alike if either says so."""
    return np.maximum(term, link)


def mean(term: FloatMatrix, link: FloatMatrix) -> FloatMatrix:
    """Pages are alike as far as both say so together."""
    return (term + link) * np.float32(0.5)


def geometric_mean(term: FloatMatrix, link: FloatMatrix) -> FloatMatrix:
    """Pages are alike only if neither denies it."""
    return np.asarray(np.sqrt(term * link), np.float32)


COMBINATIONS: Mapping[str, Combine] = MappingProxyType(
    {"maximum": maximum, "mean": mean, "geometric-mean": geometric_mean}
)


def hybrid_similarity(term: FloatMatrix, link: FloatMatrix, combine: Combine = maximum) -> FloatMatrix:
    """Combine term and link similarity of the same pages [W96 eq. 1].

    The numbers are taken as they are. Term and link similarity live on different scales, so ``maximum`` mostly
    returns the larger-scaled one; see :func:`comparable`.
    """
    if term.shape != link.shape or term.ndim != 2 or term.shape[0] != term.shape[1]:
        raise BadSetting(f"term and link similarity must be square and of one size, got {term.shape} and {link.shape}")
    return combine(term, link)


def comparable(similarity: FloatMatrix) -> FloatMatrix:
    """The same similarities in units of their own root mean square over all pairs; all zero stays all zero."""
    size = float(np.sqrt(_mean_square(similarity)))
    return similarity / np.float32(size) if size > 0 else similarity


def _mean_square(similarity: FloatMatrix) -> float:
    """Over pairs of different pages; row by row, for a square of the matrix would be another n² array."""
    pages = len(similarity)
    total = sum(float(np.dot(row, row)) - float(row[page]) ** 2 for page, row in enumerate(similarity))
    return total / max(pages * (pages - 1), 1)
