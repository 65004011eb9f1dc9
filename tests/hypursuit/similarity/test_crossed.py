"""Two similarities read through each other's neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.similarity.crossed import crossed_similarity, nearest


def symmetric(random: np.random.Generator, n: int) -> np.ndarray:
    half = random.random((n, n)).astype(np.float32)
    both = half + half.T
    np.fill_diagonal(both, 0)
    return both


def written_out(term: np.ndarray, link: np.ndarray, count: int, rounds: int) -> np.ndarray:
    """The definition, without a thought for speed."""

    def shares(similarity: np.ndarray) -> np.ndarray:
        rest = similarity * (1 - np.eye(len(similarity)))
        return rest / rest.sum(axis=1, keepdims=True) / 2 + np.eye(len(similarity)) / 2

    def neighbours(similarity: np.ndarray) -> np.ndarray:
        kept = np.zeros_like(similarity)
        for page, row in enumerate(similarity):
            others = sorted((other for other in range(len(row)) if other != page), key=lambda o: (-row[o], o))[:count]
            kept[page, others] = row[others] / row[others].sum()
        return kept

    by_term, by_link, terms, links = neighbours(term), neighbours(link), shares(term), shares(link)
    for _ in range(rounds):
        crossed = [by_term @ links @ by_term.T, by_link @ terms @ by_link.T]
        terms, links = (shares((matrix + matrix.T) / 2) for matrix in crossed)
    result = terms + links + shares(term) / 2
    result = (result + result.T) / 2
    np.fill_diagonal(result, 0)
    return result


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_equals_the_definition_written_out(seed: int, rounds: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(5, 25))
    term, link = symmetric(random, n), symmetric(random, n)

    found = crossed_similarity(term, link, neighbours=3, rounds=rounds)

    assert found == pytest.approx(written_out(term.astype(float), link.astype(float), 3, rounds), rel=1e-4)
    assert (found == found.T).all()
    assert not np.diag(found).any()


def test_neighbours_by_words_speak_for_a_page_without_links() -> None:
    """Pages 0-2 share words, 3-5 share words; links join 0 with 1 and 3 with 4. Page 2 comes to 0 all the same."""
    term, link = np.full((6, 6), 0.05, np.float32), np.zeros((6, 6), np.float32)
    for block in (slice(0, 3), slice(3, 6)):
        term[block, block] = 0.9
    for one, other in ((0, 1), (3, 4)):
        link[one, other] = link[other, one] = 1

    crossed = crossed_similarity(term, link, neighbours=2)

    assert crossed[2, 0] > 5 * crossed[2, 3]


def test_ties_go_to_the_earlier_page() -> None:
    near = nearest(np.ones((5, 5), np.float32), 2).toarray()

    assert [np.flatnonzero(row).tolist() for row in near] == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]
    assert near.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_sites_work(n: int) -> None:
    ones = np.ones((n, n), np.float32)

    assert crossed_similarity(ones, ones).shape == (n, n)


def test_pages_without_any_similarity_give_no_nan() -> None:
    nothing = np.zeros((6, 6), np.float32)

    assert np.isfinite(crossed_similarity(nothing, nothing)).all()
