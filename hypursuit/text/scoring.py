"""BM25F with a fixed pivot length and idf from outside, so that every leaf scores alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.errors import BadSetting
from hypursuit.text.terms import Attribute
from hypursuit.text.weights import AttributeFactors

if TYPE_CHECKING:
    from numpy.typing import NDArray

ATTRIBUTES: tuple[Attribute, ...] = tuple(Attribute)
"""Order of the columns of frequencies by attribute."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a page is scored: the sum over words of idf · part.

    ``part = f · (k1 + 1) / (k1 + f)`` lies in [0, k1 + 1), with ``f = Σ_a factor_a · tf_a / B`` and
    ``B = 1 - b + b · length / pivot``. For a word under an attribute only that attribute's tf counts.
    """

    k1: float = 1.2
    b: float = 0.5
    pivot: float = 400.0
    """Length of an ordinary page in words; fixed, for leaves share no average."""
    factors: AttributeFactors = field(default_factory=AttributeFactors)

    def __post_init__(self) -> None:
        if not (self.k1 > 0 and 0 <= self.b <= 1 and self.pivot > 0):
            raise BadSetting(f"k1 and pivot must be positive and b between 0 and 1, got {self}")

    @property
    def highest_part(self) -> float:
        """What no part reaches."""
        return self.k1 + 1

    def parts(
        self, frequencies: NDArray[np.integer], lengths: NDArray[np.integer], attribute: Attribute | None = None
    ) -> NDArray[np.float64]:
        """(n,): the part of one word on n pages.

        Args:
            frequencies: (n, 5) tf by attribute, columns as in ATTRIBUTES.
            lengths: (n,) words of the pages, stop words included.
            attribute: count only this one.
        """
        # Column by column rather than as a matrix product, whose order of additions depends on the number of pages.
        weighted = np.zeros(len(frequencies))
        for column, counted in enumerate(ATTRIBUTES):
            if attribute in (None, counted):
                weighted += self.factors[counted] * frequencies[:, column].astype(np.float64)
        weighted /= 1 - self.b + self.b * lengths.astype(np.float64) / self.pivot
        return np.asarray(weighted * (self.k1 + 1) / (self.k1 + weighted), np.float64)

    @staticmethod
    def idf(pages_with: int, pages: int) -> float:
        """Positive always; a stem that nobody has counts like one that a single page has."""
        found = min(max(pages_with, 1), max(pages, 1))
        return log(1 + (pages - found + 0.5) / (found + 0.5))
