"""Term, link and hybrid similarity [W96 eq. 1-9]."""

from __future__ import annotations

from hypursuit.similarity.links import (
    LinkWeights,
    ancestor_similarity,
    descendant_similarity,
    link_similarity,
    path_similarity,
)
from hypursuit.similarity.terms import term_similarity

__all__ = [
    "LinkWeights",
    "ancestor_similarity",
    "descendant_similarity",
    "link_similarity",
    "path_similarity",
    "term_similarity",
]
