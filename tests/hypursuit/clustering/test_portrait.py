"""Heaviest terms, central page and representative pages of clusters."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from scipy.sparse import csr_array

from hypursuit.clustering.portrait import (
    describe,
    heaviest_terms,
    nearest_the_mean,
    representative_pages,
    similarity_among,
)
from hypursuit.crawl.page import Page
from hypursuit.text import Attribute, Term, term_matrix, term_weights

PAGES = (
    Page("http://a.example/0", title="Cats", text="cats purr and cats sleep"),
    Page("http://a.example/1", title="Cats", text="cats hunt"),
    Page("http://a.example/2", title="Dogs", text="dogs bark"),
)
MATRIX = term_matrix(PAGES)
WEIGHTS = term_weights(MATRIX)


def _similarity(seed: int, n: int) -> np.ndarray:
    points = np.random.default_rng(seed).random((n, 2))
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) * 4)


def test_heaviest_terms_know_their_frequencies_in_the_cluster() -> None:
    """Of the two cat pages "cats" stands in both titles, and three times in both texts."""
    terms = {heavy.term: heavy for heavy in heaviest_terms(np.array([0, 1]), MATRIX, WEIGHTS, 10)}

    assert (terms[Term(Attribute.TITLE, "cat")].tf, terms[Term(Attribute.TITLE, "cat")].df) == (2, 2)
    assert (terms[Term(Attribute.TEXT, "cat")].tf, terms[Term(Attribute.TEXT, "cat")].df) == (3, 2)
    assert terms[Term(Attribute.TEXT, "cat")].word == "cats"
    assert Term(Attribute.TEXT, "bark") not in terms


def test_heaviest_terms_are_weighed_by_hand() -> None:
    """title:cat has weight w on both pages and stands on 2 of 3 pages: mean w · ln(4 / 2)."""
    column = MATRIX.terms.index(Term(Attribute.TITLE, "cat"))
    first = heaviest_terms(np.array([0, 1]), MATRIX, WEIGHTS, 1)[0]

    assert first.term == MATRIX.terms[column]
    assert first.weight == pytest.approx(WEIGHTS[[0, 1]].toarray()[:, column].mean() * log(2))


def test_heaviest_terms_come_in_order_and_ties_by_the_alphabet() -> None:
    terms = heaviest_terms(np.array([0, 1, 2]), MATRIX, WEIGHTS, 99)
    ranks = [(-round(heavy.weight, 9), heavy.term) for heavy in terms]

    assert ranks == sorted(ranks)
    assert len(terms) == len(MATRIX.terms)


@pytest.mark.parametrize("seed", range(20))
def test_the_first_representative_has_the_highest_mean_similarity(seed: int) -> None:
    similarity = _similarity(seed, 30)
    mean = [np.mean([similarity[i, j] for j in range(30) if j != i]) for i in range(30)]

    assert representative_pages(similarity, 1) == [int(np.argmax(mean))]


@pytest.mark.parametrize("seed", range(20))
def test_each_further_representative_is_the_best_addition(seed: int) -> None:
    similarity = _similarity(seed, 25)
    chosen = representative_pages(similarity, 4)

    for i in range(1, 4):
        covered = [similarity[[*chosen[:i], page]].max(axis=0).sum() for page in range(25)]
        assert covered[chosen[i]] == pytest.approx(max(covered))


@pytest.mark.parametrize("seed", range(10))
def test_three_greedy_representatives_cover_nearly_as_well_as_the_best_three(seed: int) -> None:
    """Greedy facility location is within 1 - 1/e of the optimum; in practice far closer."""
    similarity = _similarity(seed, 14)
    best = max(similarity[list(three)].max(axis=0).sum() for three in combinations(range(14), 3))

    assert similarity[representative_pages(similarity, 3)].max(axis=0).sum() > 0.9 * best


def test_representatives_come_from_all_groups() -> None:
    """Five pages of one kind, three of another, two of a third: one each."""
    kind = np.repeat([0, 1, 2], [5, 3, 2])
    similarity = np.where(kind[:, None] == kind[None], 0.9, 0.1)

    assert sorted(kind[representative_pages(similarity, 3)]) == [0, 1, 2]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_representatives_do_not_depend_on_the_scale(scale: float) -> None:
    similarity = _similarity(3, 30)

    assert representative_pages(scale * similarity, 5) == representative_pages(similarity, 5)


def test_equal_pages_need_one_representative() -> None:
    assert representative_pages(np.ones((4, 4)), 3) == [0]


def test_a_single_page_represents_itself() -> None:
    assert representative_pages(np.zeros((1, 1)), 3) == [0]


def test_the_diagonal_does_not_matter() -> None:
    similarity = _similarity(1, 20)
    bare = similarity.copy()
    np.fill_diagonal(bare, 0)
    loud = similarity.copy()
    np.fill_diagonal(loud, np.arange(20))

    assert representative_pages(bare, 1) == representative_pages(loud, 1) == representative_pages(similarity, 1)


def test_the_similarity_may_be_dense_sparse_or_computed() -> None:
    similarity = _similarity(2, 10)
    pages = np.array([7, 1, 4])

    expected = similarity[np.ix_(pages, pages)]

    for source in (similarity, csr_array(similarity), lambda chosen: similarity[np.ix_(chosen, chosen)]):
        assert np.array_equal(similarity_among(source, pages), expected)


@pytest.mark.parametrize("seed", range(5))
def test_of_large_clusters_the_pages_nearest_the_mean_are_compared(seed: int) -> None:
    weights = np.random.default_rng(seed).random((40, 6))
    members = np.arange(5, 35)
    centre = weights[members].mean(axis=0)

    expected = sorted(members, key=lambda page: -float(weights[page] @ centre))[:12]

    assert nearest_the_mean(members, csr_array(weights), 12).tolist() == sorted(expected)


def test_a_portrait_tells_all_about_its_cluster() -> None:
    similarity = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])

    portrait = describe(4, "Everything", np.array([2, 0, 1]), MATRIX, WEIGHTS, similarity, n_terms=2, n_pages=2)

    assert (portrait.id, portrait.name, portrait.size, len(portrait.terms)) == (4, "Everything", 3, 2)
    assert portrait.centroid == 1
    assert portrait.representatives == (1, 2)
