from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hypursuit.errors import BadSetting
from hypursuit.similarity import term_similarity

# Columns:                cat  dog  fish
PETS = sparse.csr_array([[0.6, 0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [0.0, 0.6, 0.8]])


def zipf_weights(seed: int, pages: int, terms: int) -> sparse.csr_array[Any]:
    """Rows of length 1; the k-th column is on about one page in k, so that dense and rare columns both occur."""
    random = np.random.default_rng(seed)
    share = 1 / (1 + np.arange(terms))
    weights = np.where(random.random((pages, terms)) < share, random.random((pages, terms)), 0)
    length = np.linalg.norm(weights, axis=1, keepdims=True)
    return sparse.csr_array(weights / np.where(length > 0, length, 1))


def test_shared_terms_multiply_and_add() -> None:
    """Pages 0 and 1: 0.6 x 0.8 + 0.8 x 0.6; pages 2 and 3 share only fish; 0 and 2 nothing."""
    similarity = term_similarity(PETS)

    expected = [[1, 0.96, 0, 0.48], [0.96, 1, 0, 0.36], [0, 0, 1, 0.8], [0.48, 0.36, 0.8, 1]]
    np.testing.assert_allclose(similarity, expected, rtol=1e-6)
    assert similarity.dtype == np.float32


@pytest.mark.parametrize("seed", range(60))
def test_equals_the_plain_product(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = zipf_weights(seed, int(random.integers(1, 120)), int(random.integers(1, 300)))

    np.testing.assert_allclose(term_similarity(weights), (weights @ weights.T).toarray(), atol=1e-6)


@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_equals_the_plain_product_when_all_columns_are_rare_or_all_frequent(share: float) -> None:
    weights = sparse.random_array((150, 80), density=share, rng=np.random.default_rng(1))

    np.testing.assert_allclose(term_similarity(weights), (weights @ weights.T).toarray(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_is_symmetric_to_the_bit_with_ones_for_pages_with_terms(seed: int) -> None:
    weights = zipf_weights(seed, 90, 200)
    weights = sparse.csr_array(sparse.vstack([weights, sparse.csr_array((1, 200))]))

    similarity = term_similarity(weights)

    np.testing.assert_array_equal(similarity, similarity.T)
    np.testing.assert_allclose(np.diag(similarity), [1] * 90 + [0], atol=1e-6)


def test_order_of_pages_and_terms_does_not_matter() -> None:
    random = np.random.default_rng(2)
    weights = zipf_weights(2, 70, 150)
    pages, terms = random.permutation(70), random.permutation(150)

    shuffled = term_similarity(weights[pages][:, terms])

    np.testing.assert_allclose(shuffled, term_similarity(weights)[np.ix_(pages, pages)], atol=1e-6)


def test_negative_weights_and_long_rows_are_multiplied_as_they_are() -> None:
    weights = sparse.csr_array([[3.0, -2.0], [1.0, 1.0]])

    np.testing.assert_allclose(term_similarity(weights), [[13, 1], [1, 2]])


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csc_array, sparse.csr_matrix, sparse.lil_array])
def test_any_sparse_format_will_do(kind: Any) -> None:
    np.testing.assert_array_equal(term_similarity(kind(PETS)), term_similarity(PETS))


def test_unsorted_and_repeated_entries_are_summed_and_left_to_the_caller() -> None:
    weights = sparse.csr_array(
        (np.array([0.5, 0.6, 0.3, 1], np.float32), np.array([1, 0, 1, 1]), np.array([0, 3, 4])), shape=(2, 2)
    )

    np.testing.assert_allclose(term_similarity(weights), [[1, 0.8], [0.8, 1]], rtol=1e-6)
    assert weights.indices.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_out_is_overwritten_whatever_it_held(seed: int) -> None:
    weights = zipf_weights(seed, 60, 100)
    out = np.full((60, 60), np.nan, dtype=np.float32)

    assert term_similarity(weights, out=out) is out
    np.testing.assert_array_equal(out, term_similarity(weights))


def test_no_pages_and_no_terms() -> None:
    assert term_similarity(sparse.csr_array((0, 5))).shape == (0, 0)
    np.testing.assert_array_equal(term_similarity(sparse.csr_array((3, 0))), np.zeros((3, 3)))


@pytest.mark.parametrize(
    "out",
    [
        np.empty((4, 5), np.float32),
        np.empty((4, 4), np.float64),
        np.empty((4, 4), np.float32, order="F"),
        np.broadcast_to(np.float32(0), (4, 4)),
    ],
)
def test_an_unfit_out_is_refused(out: Any) -> None:
    with pytest.raises(BadSetting, match=r"float32 array of shape \(4, 4\)"):
        term_similarity(PETS, out=out)


def test_weights_that_are_no_sparse_matrix_or_not_finite_are_refused() -> None:
    with pytest.raises(BadSetting, match="scipy sparse"):
        term_similarity(PETS.toarray())
    with pytest.raises(BadSetting, match="one row per page"):
        term_similarity(sparse.coo_array(np.ones(3)))
    with pytest.raises(BadSetting, match="NaN"):
        term_similarity(sparse.csr_array([[np.nan, 1.0]]))
