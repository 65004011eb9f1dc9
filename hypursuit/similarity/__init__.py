"""Term, link and hybrid similarity [W96 eq. 1-9]."""

from __future__ import annotations

from hypursuit.similarity.crossed import crossed_similarity
from hypursuit.similarity.hybrid import COMBINATIONS, comparable, hybrid_similarity
from hypursuit.similarity.links import (
    LinkWeights,
    ancestor_similarity,
    descendant_similarity,
    link_similarity,
    path_similarity,
)
from hypursuit.similarity.terms import term_similarity

__all__ = [
    "COMBINATIONS",
    "LinkWeights",
    "ancestor_similarity",
    "comparable",
    "crossed_similarity",
    "descendant_similarity",
    "hybrid_similarity",
    "link_similarity",
    "path_similarity",
    "term_similarity",
]
