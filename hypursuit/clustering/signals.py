"""What pages say and how they are linked, as similarities: plain as in the paper, or shaped so that the hybrid wins."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.clustering.clarity import clarity
from hypursuit.similarity.crossed import crossed_similarity
from hypursuit.similarity.hybrid import Combine, comparable, hybrid_similarity, maximum
from hypursuit.similarity.links import LinkWeights, link_similarity, path_similarity
from hypursuit.similarity.terms import term_similarity
from hypursuit.text.weights import AttributeFactors, discriminating_weights, term_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from hypursuit.text.matrix import TermMatrix

    FloatMatrix = NDArray[np.float32]

KINSHIP = LinkWeights(descendants=1, ancestors=1, paths=0)
"""Common ancestors and descendants, without direct paths."""

CLEAR = 0.935
"""Clarity above which links alone tell the clusters; NOTATION.md, deviation 3, has the measurement."""
_SLOPE = 0.01


class Method(StrEnum):
    """Which similarity pages are clustered by."""

    HYBRID = "hybrid"
    """Shaped signals, each trusted as far as it is clear on this site."""
    PLAIN = "plain"
    """The paper's: F of eq. 9 and eq. 5 as they are."""
    TERMS = "terms"
    LINKS = "links"


@dataclass(frozen=True, slots=True)
class SignalSettings:
    """How similarities are made."""

    method: Method = Method.HYBRID
    combine: Combine = maximum
    """F of eq. 1."""
    factors: AttributeFactors = field(default_factory=AttributeFactors)
    link_weights: LinkWeights = field(default_factory=LinkWeights)
    """Of the methods that take eq. 5 as it is."""


@dataclass(frozen=True, slots=True)
class SiteSimilarity:
    """The similarity that pages are clustered by, and how it came about."""

    matrix: FloatMatrix = field(repr=False)
    method: Method
    link_clarity: float | None = None
    link_trust: float | None = None
    """Weight of the links in [0, 1]; the rest is the words'."""


def site_similarity(terms: TermMatrix, adjacency: csr_array, settings: SignalSettings) -> SiteSimilarity:
    """Similarity of all pairs of pages by the method asked for."""
    if settings.method is Method.HYBRID:
        return _trusting_hybrid(terms, adjacency, settings)
    if settings.method is Method.TERMS:
        return SiteSimilarity(term_similarity(term_weights(terms, settings.factors)), settings.method)
    links = link_similarity(adjacency, settings.link_weights)
    if settings.method is Method.PLAIN:
        words = term_similarity(term_weights(terms, settings.factors))
        links = hybrid_similarity(words, links, settings.combine)
    return SiteSimilarity(links, settings.method)


def _trusting_hybrid(terms: TermMatrix, adjacency: csr_array, settings: SignalSettings) -> SiteSimilarity:
    """F of the words, read through the links, and of the kinship by links, each as heavy as it is trusted.

    On generated documentation kinship falls into clear clusters and the words are much the same on every page; in an
    encyclopedia everything is linked with everything and the words decide. Clarity of the kinship tells the two apart.
    """
    kinship = link_similarity(adjacency, KINSHIP)
    clear = clarity(kinship)
    trust = trust_in_links(clear)
    # Every part of eq. 5 spans [0, 1]: LinkWeights.even(), from parts that are there already.
    even = path_similarity(adjacency)
    even += 3 * kinship
    words = crossed_similarity(term_similarity(discriminating_weights(terms, settings.factors)), even)
    del even
    words = comparable(words) * np.float32(1 - trust)
    kinship = comparable(kinship) * np.float32(trust)
    return SiteSimilarity(hybrid_similarity(words, kinship, settings.combine), settings.method, clear, trust)


def trust_in_links(link_clarity: float) -> float:
    """From 0 to 1, one half at CLEAR, nearly all or nothing 0.03 away from it."""
    return float(1 / (1 + np.exp(-(link_clarity - CLEAR) / _SLOPE)))
