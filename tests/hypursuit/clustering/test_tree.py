from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from hypursuit.clustering import ClusterTree
from hypursuit.errors import BadSetting, NothingToCluster, StoreUnusable

# 0 ─┬─ 6 ─────┬─ 8      merged in the order 5, 6, 7, 8
# 3 ─┘         │
# 1 ─┬─ 5 ─┬─ 7┘
# 4 ─┘     │
# 2 ───────┘
TREE = ClusterTree(5, np.array([[1, 4], [0, 3], [5, 2], [6, 7]]), np.array([0.9, 0.7, 0.7, 0.0]))


def random_tree(seed: int, pages: int) -> ClusterTree:
    """Any tree: two random clusters of those left, again and again."""
    random = np.random.default_rng(seed)
    left, merges = list(range(pages)), []
    for merge in range(pages - 1):
        merges.append([left.pop(int(random.integers(len(left)))) for _ in range(2)])
        left.append(pages + merge)
    return ClusterTree(pages, np.array(merges).reshape(-1, 2), np.sort(random.random(len(merges)))[::-1])


def descend(tree: ClusterTree, cluster: int) -> set[int]:
    """The pages below a cluster, by following its children."""
    below, todo = set(), [cluster]
    while todo:
        cluster = todo.pop()
        todo.extend(tree.children(cluster))
        if cluster < tree.pages:
            below.add(cluster)
    return below


def test_relations_of_the_drawn_tree() -> None:
    assert TREE.root == 8
    assert [TREE.children(c) for c in (8, 7, 6, 5, 2)] == [(6, 7), (5, 2), (0, 3), (1, 4), ()]
    assert [TREE.parent(c) for c in (8, 7, 6, 5, 2)] == [None, 8, 8, 7, 7]
    assert [TREE.members(c).tolist() for c in (8, 7, 6, 5, 2)] == [[0, 1, 2, 3, 4], [1, 2, 4], [0, 3], [1, 4], [2]]
    assert [TREE.size(c) for c in (8, 7, 6, 5, 2)] == [5, 3, 2, 2, 1]
    assert [TREE.similarity(c) for c in (8, 7, 6, 5, 2)] == [0.0, 0.7, 0.7, 0.9, 1.0]


def test_cuts_of_the_drawn_tree() -> None:
    assert [TREE.clusters(k) for k in (1, 2, 3, 4, 5)] == [(8,), (6, 7), (6, 5, 2), (0, 5, 2, 3), (0, 1, 2, 3, 4)]
    assert TREE.cut(1).tolist() == [0, 0, 0, 0, 0]
    assert TREE.cut(2).tolist() == [0, 1, 1, 0, 1]
    assert TREE.cut(3).tolist() == [0, 1, 2, 0, 1]
    assert TREE.cut(4).tolist() == [0, 1, 2, 3, 1]
    assert TREE.cut(99).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(60))
def test_every_cut_is_what_its_clusters_hold(seed: int) -> None:
    tree = random_tree(seed, 1 + seed)

    for k in range(1, tree.pages + 1):
        membership, clusters = tree.cut(k), tree.clusters(k)
        assert len(clusters) == k
        for number, cluster in enumerate(clusters):
            assert set(np.flatnonzero(membership == number).tolist()) == descend(tree, cluster)
        assert [int(np.argmax(membership == number)) for number in range(k)] == sorted(
            int(tree.members(cluster)[0]) for cluster in clusters
        )


@pytest.mark.parametrize("seed", range(20))
def test_members_sizes_and_parents_agree_with_the_children(seed: int) -> None:
    tree = random_tree(seed, 40)

    for cluster in range(tree.root + 1):
        assert tree.members(cluster).tolist() == sorted(descend(tree, cluster))
        assert tree.size(cluster) == len(descend(tree, cluster))
        assert all(tree.parent(child) == cluster for child in tree.children(cluster))


def test_a_finer_cut_splits_one_cluster_of_the_coarser() -> None:
    tree = random_tree(1, 50)

    for k in range(1, 50):
        gone, new = set(tree.clusters(k)) - set(tree.clusters(k + 1)), set(tree.clusters(k + 1)) - set(tree.clusters(k))
        assert len(gone) == 1
        assert set(tree.children(gone.pop())) == new


def test_a_chain_of_fifty_thousand_pages_is_no_deeper_than_memory() -> None:
    """One heap that takes page after page: recursion would not survive it."""
    pages = 50_000
    heap = np.concatenate([[0], pages + np.arange(pages - 2)])
    tree = ClusterTree(pages, np.column_stack([heap, np.arange(1, pages)]), np.zeros(pages - 1))

    assert np.bincount(tree.cut(30)).tolist() == [pages - 29] + [1] * 29
    np.testing.assert_array_equal(tree.members(tree.root), np.arange(pages))


def test_one_page_is_its_own_root() -> None:
    tree = ClusterTree(1, np.empty((0, 2)), np.empty(0))

    assert (tree.root, tree.parent(0), tree.children(0), tree.clusters(3)) == (0, None, (), (0,))
    assert tree.cut(1).tolist() == [0]
    assert ClusterTree.from_bytes(tree.to_bytes()) == tree


def test_a_tree_without_pages_has_no_root() -> None:
    tree = ClusterTree(0, np.empty((0, 2)), np.empty(0))

    assert tree.cut(5).tolist() == []
    assert tree.clusters(5) == ()
    assert ClusterTree.from_bytes(tree.to_bytes()) == tree
    with pytest.raises(NothingToCluster):
        _ = tree.root
    with pytest.raises(BadSetting):
        tree.size(0)


@pytest.mark.parametrize("cluster", [-1, 9])
def test_an_unknown_cluster_is_refused(cluster: int) -> None:
    for ask in (TREE.children, TREE.parent, TREE.members, TREE.size, TREE.similarity):
        with pytest.raises(BadSetting, match="from 0 to 8"):
            ask(cluster)


def test_a_cut_into_nothing_is_refused() -> None:
    with pytest.raises(BadSetting, match="at least 1"):
        TREE.cut(0)


def test_a_tree_cannot_be_changed() -> None:
    merges = TREE.merges.copy()
    tree = ClusterTree(5, merges, TREE.similarities)
    merges[:] = 0

    assert tree == TREE
    with pytest.raises(ValueError, match="read-only"):
        tree.merges[0, 0] = 3


def test_equal_trees_are_equal_and_hash_alike() -> None:
    other = ClusterTree(5, TREE.merges, TREE.similarities - 0.0)
    lower = ClusterTree(5, TREE.merges, TREE.similarities - 0.1)

    assert other == TREE
    assert len({TREE, other, lower}) == 2
    assert TREE != "a tree"


@pytest.mark.parametrize("seed", range(20))
def test_bytes_bring_back_the_tree_exactly(seed: int) -> None:
    tree = random_tree(seed, 1 + 7 * seed)
    back = ClusterTree.from_bytes(memoryview(tree.to_bytes()))

    assert back.pages == tree.pages
    np.testing.assert_array_equal(back.merges, tree.merges)
    np.testing.assert_array_equal(back.similarities, tree.similarities)


@pytest.mark.parametrize("pages", [0, 1, 2, 6])
def test_no_flipped_bit_goes_unnoticed(pages: int) -> None:
    stored = random_tree(0, pages).to_bytes()

    for bit in range(8 * len(stored)):
        damaged = bytearray(stored)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StoreUnusable, match="cluster again"):
            ClusterTree.from_bytes(damaged)


def test_no_cut_or_added_byte_goes_unnoticed() -> None:
    stored = TREE.to_bytes()

    for damaged in [stored[:length] for length in range(len(stored))] + [stored + b"\0"]:
        with pytest.raises(StoreUnusable):
            ClusterTree.from_bytes(damaged)


def test_a_right_checksum_over_merges_that_are_no_tree_is_refused() -> None:
    rest = struct.pack("<Q", 3) + np.array([[0, 1], [0, 2]], dtype="<u4").tobytes() + np.zeros(2).tobytes()

    with pytest.raises(StoreUnusable, match="merged twice"):
        ClusterTree.from_bytes(struct.pack("<4sII", b"HyCT", 1, zlib.crc32(rest)) + rest)


@pytest.mark.parametrize(
    ("merges", "similarities", "said"),
    [
        ([[0, 1]], [0.5, 0.4], "3 pages need"),
        ([[0, 1], [2, 3]], [0.5], "3 pages need"),
        ([0, 1, 2, 3], [0.5, 0.4], "does not exist yet"),
        ([[0, 4], [1, 2]], [0.5, 0.4], "does not exist yet"),
        ([[0, -1], [1, 2]], [0.5, 0.4], "does not exist yet"),
        ([[0, 1], [1, 3]], [0.5, 0.4], "merged twice"),
        ([[0, 1], [2, 3]], [0.4, 0.5], "rise"),
        ([[0, 1], [2, 3]], [0.4, np.nan], "not finite"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(merges: list[list[int]], similarities: list[float], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        ClusterTree(3, np.array(merges), np.array(similarities))
