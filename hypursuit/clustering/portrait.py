"""What a cluster is about, in figures and pages: heaviest terms, central page, representative pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hypursuit.text.matrix import TermMatrix
    from hypursuit.text.terms import Term

SimilaritySource: TypeAlias = "NDArray[np.floating] | csr_array | Callable[[NDArray[np.intp]], NDArray[np.floating]]"
"""The similarity of pages: the whole (n_pages, n_pages) matrix, dense or sparse, or — where that would not fit in
memory — what computes the (m, m) part of it for m given pages."""

_MOST_COMPARED = 1500
"""Pages of a cluster that are compared pair by pair; of larger clusters those nearest the mean of their terms."""


@dataclass(frozen=True, slots=True)
class HeavyTerm:
    """A term of a cluster and how much of the cluster it is."""

    term: Term
    word: str
    """The stem as it is mostly written on the site."""
    tf: int
    """How often it stands on the cluster's pages, in this attribute."""
    df: int
    """On how many of the cluster's pages it stands, in this attribute."""
    weight: float
    """Its mean weight on the cluster's pages [W96 eq. 8], times ln((n + 1) / df) over the n pages of the site.

    The paper leaves this factor out, for a label speaks to other sites; a portrait stands beside others of the same
    site, and what all its pages share tells them apart in nothing.
    """


@dataclass(frozen=True, slots=True)
class ClusterPortrait:
    """A cluster as it is shown to people and summed up in labels. Pages are row numbers of the term matrix."""

    id: int
    """Its number in the merge tree."""
    name: str
    size: int
    terms: tuple[HeavyTerm, ...]
    """Heaviest first."""
    centroid: int
    """The page most similar to the cluster's pages on average."""
    representatives: tuple[int, ...]
    """The centroid page, then pages that show what it does not: each the one that most raises the similarity of the
    cluster's pages to the nearest shown."""


def describe(
    cluster: int,
    name: str,
    members: NDArray[np.intp],
    matrix: TermMatrix,
    weights: csr_array,
    similarity: SimilaritySource,
    *,
    n_terms: int = 20,
    n_pages: int = 3,
) -> ClusterPortrait:
    """Portray one cluster.

    Args:
        cluster: its number in the merge tree.
        name: as :func:`hypursuit.clustering.naming.name_clusters` gave it.
        members: (size,) its pages, at least one.
        matrix: term frequencies of all pages.
        weights: (n_pages, n_terms) weights of the same terms on all pages, e.g. ``term_weights(matrix)``.
        similarity: of all pages; the hybrid that made the clusters.
        n_terms: how many heaviest terms.
        n_pages: how many representative pages.
    """
    members = np.sort(np.asarray(members, np.intp))
    compared = nearest_the_mean(members, weights, _MOST_COMPARED)
    shown = representative_pages(similarity_among(similarity, compared), n_pages)
    pages = tuple(int(compared[row]) for row in shown)
    terms = heaviest_terms(members, matrix, weights, n_terms)
    return ClusterPortrait(cluster, name, len(members), terms, pages[0], pages)


def similarity_among(similarity: SimilaritySource, pages: NDArray[np.intp]) -> NDArray[np.floating]:
    """(m, m): the similarity of the given pages, whatever the source."""
    if callable(similarity):
        return similarity(pages)
    if isinstance(similarity, csr_array):
        return np.asarray(similarity[pages][:, pages].toarray())
    return similarity[np.ix_(pages, pages)]


def heaviest_terms(
    members: NDArray[np.intp], matrix: TermMatrix, weights: csr_array, n_terms: int
) -> tuple[HeavyTerm, ...]:
    """The heaviest terms, ties in alphabetical order. [W96 "Content labels"]"""
    rarity = np.log((len(matrix.urls) + 1) / np.maximum(matrix.page_frequency, 1))
    mean = rarity * np.asarray(weights[members].sum(axis=0)).ravel() / len(members)
    here = matrix.counts[members]
    tf, df = np.asarray(here.sum(axis=0)).ravel(), np.bincount(here.indices, minlength=len(matrix.terms))
    # Equal weights may differ in their last bit by order of summation; rounding lets the alphabet decide.
    rank = np.round(-mean, 9).tolist()
    found = sorted(np.flatnonzero(mean > 0).tolist(), key=lambda column: (rank[column], matrix.terms[column]))
    return tuple(
        HeavyTerm(
            matrix.terms[column],
            matrix.spelling.get(matrix.terms[column].stem, matrix.terms[column].stem),
            int(tf[column]),
            int(df[column]),
            float(mean[column]),
        )
        for column in found[:n_terms]
    )


def nearest_the_mean(members: NDArray[np.intp], weights: csr_array, most: int) -> NDArray[np.intp]:
    """The members whose terms are nearest the mean of all members' terms, ascending; all of them if few."""
    if len(members) <= most:
        return members
    here = weights[members]
    closeness = here @ np.asarray(here.sum(axis=0)).ravel()
    nearest = np.argsort(-np.round(closeness, 9), kind="stable")[:most]
    return np.sort(members[nearest])


def representative_pages(similarity: NDArray[np.floating], count: int) -> list[int]:
    """Rows that stand for all: the first is nearest to everything, the others cover what the first leaves.

    Greedy facility location: maximise the sum, over all pages, of the similarity to the nearest representative.
    Stops early when another page would add nothing.

    Args:
        similarity: (m, m), symmetric, m > 0, of any scale; the diagonal is not read.
        count: how many rows at most, at least 1.
    """
    alike = np.array(similarity, np.float64)
    np.fill_diagonal(alike, 0)
    # In units of the largest: similarities may be of any size, and ties are those equal to nine digits.
    alike /= alike.max() or 1.0
    chosen = [int(np.argmax(np.round(alike.sum(axis=1), 9)))]
    np.fill_diagonal(alike, 1)
    covered = alike[chosen[0]].copy()
    while len(chosen) < count:
        gain = np.round(np.maximum(alike - covered, 0).sum(axis=1), 9)
        best = int(np.argmax(gain))
        if not gain[best]:
            break
        chosen.append(best)
        covered = np.maximum(covered, alike[best])
    return chosen
