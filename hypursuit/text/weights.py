"""Term weights [W96 eq. 6-8]."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.text.matrix import TermMatrix
    from hypursuit.text.terms import Attribute


@dataclass(frozen=True, slots=True)
class AttributeFactors:
    """w^at: how much more a word counts for standing where it stands."""

    title: float = 10.0
    header: float = 5.0
    keyword: float = 5.0
    address: float = 5.0
    text: float = 1.0

    def __post_init__(self) -> None:
        if min(astuple(self)) < 0 or max(astuple(self)) == 0:
            raise BadSetting(f"attribute factors must not be negative nor all zero, got {self}")

    def __getitem__(self, attribute: Attribute) -> float:
        factor: float = getattr(self, attribute.value)
        return factor

    def of(self, matrix: TermMatrix) -> NDArray[np.float64]:
        """(n_terms,): the factor of every column."""
        return np.array([self[term.attribute] for term in matrix.terms], np.float64)


def term_weights(matrix: TermMatrix, factors: AttributeFactors = AttributeFactors()) -> csr_array:
    """(n_pages, n_terms) w = w^tf · w^ds · w^at; rows have length 1, a page without terms is a zero row."""
    return _weighted(matrix.counts, factors.of(matrix))


def discriminating_weights(matrix: TermMatrix, factors: AttributeFactors = AttributeFactors()) -> csr_array:
    """The same with the collection frequency that the paper wished for, and with milder attribute factors.

    Columns count by √(w^at · ln(pages / pages with the term)): a word on every page, navigation above all, counts
    nothing, and a title word counts 10 times in a product of two pages, not 100 times. Terms of one page only are
    left out: they join it to no other. NOTATION.md, deviation 4, has the measurement.
    """
    pages, frequency = matrix.counts.shape[0], matrix.page_frequency
    rarity = np.where(frequency > 1, np.log(pages / np.maximum(frequency, 1)), 0.0)
    return _weighted(matrix.counts, np.sqrt(factors.of(matrix) * rarity))


def _weighted(counts: csr_array, column_factor: NDArray[np.float64]) -> csr_array:
    page = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    tf = 0.5 + 0.5 * counts.data / _row_maximum(counts)[page]  # eq. 6
    weight = tf * column_factor[counts.indices]
    length = np.sqrt(np.bincount(page, weight * weight, minlength=counts.shape[0]))
    weight /= np.where(length > 0, length, 1)[page]  # eq. 7 and 8
    return csr_array((weight, counts.indices, counts.indptr), shape=counts.shape)


def _row_maximum(counts: csr_array) -> NDArray[np.int32]:
    """(n_pages,): the highest tf on each page; 0 on empty ones, where nothing is divided by it."""
    highest = np.zeros(counts.shape[0], counts.dtype)
    filled = np.flatnonzero(np.diff(counts.indptr))
    if len(filled):
        # reduceat() on an empty row would repeat its neighbour: skip those rows.
        highest[filled] = np.maximum.reduceat(counts.data, counts.indptr[filled])
    return highest
