from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from hypursuit.clustering import ClusterTree, complete_link, merge_tree, sparse_merge_tree
from hypursuit.errors import BadSetting

Matrix = NDArray[Any]

# Four pages on a line: 0 and 1 close, 2 and 3 close, 1 and 2 a little.
LINE = np.array(
    [
        [1.0, 0.9, 0.3, 0.1],
        [0.9, 1.0, 0.6, 0.2],
        [0.3, 0.6, 1.0, 0.8],
        [0.1, 0.2, 0.8, 1.0],
    ]
)


def greedy(similarity: Matrix) -> ClusterTree:
    """Complete link word for word: compare every pair of clusters by all their pages, merge the best, repeat.

    Key of a pair: similarity, then fewer pages, then the earlier first page, then the earlier second one.
    """
    n = len(similarity)
    pages, names = [[i] for i in range(n)], list(range(n))
    merges, similarities = [], []
    while len(pages) > 1:
        keys = [
            (-similarity[np.ix_(left, right)].min(), len(left) + len(right), min(left), min(right), a, b)
            for a, left in enumerate(pages)
            for b, right in enumerate(pages)
            if a < b
        ]
        least, _, _, _, a, b = min(keys)
        merges.append((names[a], names[b]))
        similarities.append(-least)
        pages[a], names[a] = pages[a] + pages[b], n + len(merges) - 1
        del pages[b], names[b]
    return ClusterTree(n, np.array(merges, dtype=np.intp).reshape(-1, 2), np.array(similarities))


def tied(seed: int, largest: int = 22) -> Matrix:
    """A symmetric matrix of few different values, the sparser the higher the seed's remainder."""
    random = np.random.default_rng(seed)
    n, levels = int(random.integers(2, largest)), int(random.integers(1, 9))
    values = random.integers(0, levels + 1, (n, n)) * (random.random((n, n)) < 0.2 * (1 + seed % 5))
    return np.maximum(values, values.T).astype(np.float32) / 8


def distinct(seed: int, n: int) -> Matrix:
    """A symmetric float64 matrix without ties."""
    random = np.random.default_rng(seed)
    return squareform(random.permutation(n * (n - 1) // 2) / (n * n)) + np.eye(n)


def test_line_of_four_merges_by_hand() -> None:
    """0-1 at 0.9, 2-3 at 0.8, then all at 0.1: their least similar pair is 0 and 3."""
    tree = merge_tree(LINE)

    assert tree.merges.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert tree.similarities.tolist() == [0.9, 0.8, 0.1]
    assert complete_link(LINE, 2).tolist() == [0, 0, 1, 1]


def test_least_similar_pair_decides_not_the_most_similar() -> None:
    """Page 2 is 0.8 from page 1 but 0.1 from page 0, so it joins page 3 at 0.3 rather than the pair."""
    similarity = np.array([[1, 0.9, 0.1, 0], [0.9, 1, 0.8, 0], [0.1, 0.8, 1, 0.3], [0, 0, 0.3, 1]])

    assert complete_link(similarity, 2).tolist() == [0, 0, 1, 1]


def test_pages_all_alike_merge_in_pairs_in_page_order() -> None:
    """The tie rule on paper: fewest pages first, then earliest pages; also at similarity 0."""
    for similarity in (np.ones((6, 6)), np.zeros((6, 6))):
        assert merge_tree(similarity).merges.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [9, 8]]
        assert complete_link(similarity, 3).tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("seed", range(300))
def test_equals_greedy_merging_with_many_ties(seed: int) -> None:
    similarity = tied(seed)

    assert merge_tree(similarity) == greedy(similarity)


@pytest.mark.parametrize("seed", range(100))
def test_equals_greedy_merging_without_ties(seed: int) -> None:
    similarity = distinct(seed, 2 + seed % 25)

    assert merge_tree(similarity) == greedy(similarity)


@pytest.mark.parametrize("n", [2, 3, 130, 400])
@pytest.mark.parametrize("peer", ["scipy.cluster.hierarchy", "fastcluster"])
def test_merges_the_same_clusters_as_other_libraries(n: int, peer: str) -> None:
    """Cophenetic similarity names, for every pair of pages, the merge that joined them: equal means the same tree."""
    similarity = distinct(n, n)
    theirs = pytest.importorskip(peer).linkage(squareform(1 - similarity, checks=False), method="complete")

    ours = as_linkage(merge_tree(similarity))

    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], atol=1e-12)
    np.testing.assert_allclose(cophenet(ours), cophenet(theirs), atol=1e-12)


def as_linkage(tree: ClusterTree) -> Matrix:
    sizes = [tree.size(tree.pages + merge) for merge in range(tree.pages - 1)]
    return np.column_stack([tree.merges.astype(float), 1 - tree.similarities, sizes])


@pytest.mark.parametrize("seed", range(200))
def test_sparse_equals_dense(seed: int) -> None:
    similarity = tied(seed, largest=60)

    assert sparse_merge_tree(sparse.csr_array(similarity)) == merge_tree(similarity)


def test_sparse_equals_dense_on_a_neighbour_graph() -> None:
    """500 pages, each with its 15 nearest: long chains, many clusters that end with nothing in common."""
    places = np.random.default_rng(5).random((500, 3))
    near = np.exp(-np.linalg.norm(places[:, None] - places[None], axis=2)).astype(np.float32)
    near[near < np.sort(near, axis=1)[:, -16, None]] = 0
    near = np.maximum(near, near.T)

    assert sparse_merge_tree(sparse.coo_array(near)) == merge_tree(near)


@pytest.mark.parametrize("seed", range(20))
def test_no_cluster_spans_a_pair_below_its_similarity(seed: int) -> None:
    similarity = tied(seed)
    tree = merge_tree(similarity)

    for cluster in range(tree.pages, 2 * tree.pages - 1):
        members = tree.members(cluster)
        block = similarity[np.ix_(members, members)]
        assert block[~np.eye(len(members), dtype=bool)].min() == tree.similarity(cluster)


@pytest.mark.parametrize("seed", range(20))
def test_layout_and_type_of_the_matrix_do_not_matter(seed: int) -> None:
    similarity = tied(seed)
    tree = merge_tree(similarity)
    wide = np.zeros((len(similarity), 2 * len(similarity)), dtype=np.float32)
    wide[:, ::2] = similarity

    for same in (np.asfortranarray(similarity), wide[:, ::2], similarity.astype(">f4"), similarity.tolist()):
        assert merge_tree(same) == tree
    for same in (similarity.astype(np.float64), similarity.astype(np.float16)):
        assert merge_tree(same) == tree
    assert merge_tree((similarity * 8).astype(np.int64)).merges.tolist() == tree.merges.tolist()


def test_float64_is_not_rounded_to_float32() -> None:
    similarity = np.array([[1, 0.5, 0.1], [0.5, 1, 0.5 + 1e-12], [0.1, 0.5 + 1e-12, 1]])

    assert complete_link(similarity, 2).tolist() == [0, 1, 1]


def test_membership_is_numbered_by_smallest_page() -> None:
    for seed in range(50):
        membership = complete_link(tied(seed), 4)

        _, first_seen = np.unique(membership, return_index=True)
        assert (np.diff(first_seen) > 0).all()
        assert membership.dtype == np.intp
        assert membership.max() == min(4, len(membership)) - 1


def test_two_processes_agree() -> None:
    program = (
        "import pickle, sys; from hypursuit.clustering import merge_tree;"
        "sys.stdout.buffer.write(merge_tree(pickle.load(sys.stdin.buffer)).to_bytes())"
    )
    similarity = tied(7, largest=200)

    runs = {
        subprocess.run(
            [sys.executable, "-c", program], input=pickle.dumps(similarity), capture_output=True, check=True
        ).stdout
        for _ in range(2)
    }

    assert runs == {merge_tree(similarity).to_bytes()}


def test_more_clusters_than_pages_leave_every_page_alone() -> None:
    assert complete_link(LINE, 30).tolist() == [0, 1, 2, 3]


def test_no_page_and_one_page() -> None:
    assert complete_link(np.zeros((0, 0)), 30).tolist() == []
    assert complete_link(np.ones((1, 1)), 30).tolist() == [0]
    assert sparse_merge_tree(sparse.csr_array((0, 0))).pages == 0
    assert sparse_merge_tree(sparse.csr_array((1, 1))).root == 0


def test_minus_zero_is_zero() -> None:
    similarity = np.array([[0, -0.0, 0], [-0.0, 0, -0.0], [0, -0.0, 0]])

    assert merge_tree(similarity) == merge_tree(np.zeros((3, 3)))


def test_the_diagonal_is_not_read() -> None:
    odd = LINE.copy()
    np.fill_diagonal(odd, [np.nan, np.inf, -np.inf, 0])

    assert merge_tree(odd) == merge_tree(LINE)


def test_negative_similarities_are_ordered_like_others() -> None:
    for seed in range(20):
        similarity = tied(seed) - 0.5
        assert merge_tree(similarity) == greedy(similarity)


def test_rounding_across_the_diagonal_counts_as_the_smaller() -> None:
    similarity = distinct(3, 40).astype(np.float32)
    rounded = similarity.copy()
    rounded[np.tril_indices(40, -1)] *= np.float32(1 + 1e-6)

    assert merge_tree(rounded) == merge_tree(similarity)
    assert merge_tree(np.asfortranarray(rounded)) == merge_tree(similarity)
    assert sparse_merge_tree(sparse.csr_array(rounded)) == merge_tree(similarity)


def test_the_callers_matrix_is_left_alone_unless_given_up() -> None:
    similarity, entries = tied(11), sparse.csr_array(tied(11))
    complete_link(similarity, 3)
    merge_tree(similarity)
    sparse_merge_tree(entries)

    np.testing.assert_array_equal(similarity, tied(11))
    np.testing.assert_array_equal(entries.toarray(), tied(11))


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_given_up_is_used_in_place_and_gives_the_same_tree(order: Any) -> None:
    similarity = np.array(tied(11), order=order)
    tree = merge_tree(similarity.copy())

    assert merge_tree(similarity, overwrite=True) == tree
    assert not np.array_equal(similarity, tied(11))


def test_what_cannot_be_overwritten_is_copied() -> None:
    similarity, entries = tied(11), sparse.csr_array(tied(11))
    for array in (similarity, entries.data, entries.indices):
        array.setflags(write=False)

    assert merge_tree(similarity, overwrite=True) == merge_tree(tied(11))
    assert sparse_merge_tree(entries, overwrite=True) == merge_tree(tied(11))


def test_stored_zeros_diagonals_and_duplicates_of_a_sparse_matrix_change_nothing() -> None:
    rows, columns, values = [0, 1, 0, 1, 2, 2, 0, 2], [1, 0, 1, 0, 2, 0, 2, 1], [0.25, 0.25, 0.5, 0.5, 9, 0.5, 0.5, 0]
    entries = sparse.coo_array((values, (rows, columns)), shape=(3, 3))
    similarity = np.array([[0, 0.75, 0.5], [0.75, 0, 0], [0.5, 0, 0]])

    assert sparse_merge_tree(entries) == merge_tree(similarity)


def broken(i: int, j: int, value: float) -> Matrix:
    similarity = LINE.copy()
    similarity[i, j] = value
    return similarity


@pytest.mark.parametrize(
    ("similarity", "said"),
    [
        (np.zeros((3, 4)), "not square"),
        (np.zeros(4), "not square"),
        (np.array([["a"]]), "real numbers"),
        (np.eye(2, dtype=complex), "real numbers"),
        (broken(1, 2, np.nan), "NaN"),
        (broken(1, 2, np.inf), "NaN or infinite"),
        (broken(1, 2, 0.5), "differ by up to 0.1"),
        (sparse.csr_array(LINE), "sparse_merge_tree"),
    ],
)
def test_a_matrix_without_a_complete_link_is_refused(similarity: Any, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        merge_tree(similarity)


@pytest.mark.parametrize(
    ("similarity", "said"),
    [
        (sparse.csr_array(np.zeros((3, 4))), "not square"),
        (sparse.csr_array(np.eye(2, dtype=complex)), "real numbers"),
        (sparse.csr_array(broken(1, 2, np.nan)), "NaN"),
        (sparse.csr_array(broken(1, 2, 0.5)), "differ by up to 0.1"),
        (sparse.csr_array(broken(1, 2, 0)), "not both stored"),
        (sparse.csr_array(broken(2, 1, 0)), "not both stored"),
        (sparse.csr_array(LINE - 0.2), "negative"),
        (LINE, "merge_tree"),
    ],
)
def test_a_sparse_matrix_without_a_complete_link_is_refused(similarity: Any, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        sparse_merge_tree(similarity)


@pytest.mark.parametrize("max_clusters", [0, -1])
def test_no_clusters_at_all_cannot_be_asked_for(max_clusters: int) -> None:
    with pytest.raises(BadSetting, match="at least 1"):
        complete_link(LINE, max_clusters)
