"""Sites too large for all pairs of pages: pages are gathered into groups first, and the groups are clustered.

Every q-th page in crawl order leads a group; every other page joins the leader whose words are nearest to its own (one
that it shares a link with, if any leader is near at all, goes first). A group then counts as one page: its terms are
those of its pages, its links theirs. Memory is that of ``LEADERS``² similarities whatever the size of the site. What is
lost: two pages of one group are never separated, and a page cannot come nearer to a cluster than its leader is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.tree import ClusterTree
from hypursuit.text.weights import discriminating_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.text.matrix import TermMatrix

LEADERS = 4_000
_BLOCK = 1_024
_LINKED = 0.25
"""What a link between a page and a leader adds to their similarity by terms, which is at most 1."""


def gather(matrix: TermMatrix, adjacency: csr_array, leaders: int = LEADERS) -> NDArray[np.intp]:
    """(n_pages,): the group of each page, 0…leaders-1; group g is led by page ``g · n // leaders``."""
    pages = len(matrix.urls)
    lead = np.arange(leaders) * pages // leaders
    weights = discriminating_weights(matrix).astype(np.float32)
    led = weights[lead].T.tocsr()
    linked = (adjacency + adjacency.T).tocsc()[:, lead].tocsr()
    group = np.empty(pages, np.intp)
    for first in range(0, pages, _BLOCK):
        rows = slice(first, first + _BLOCK)
        near = (weights[rows] @ led).toarray()
        near += _LINKED * np.minimum(linked[rows].toarray(), 1)
        group[rows] = near.argmax(axis=1)
    group[lead] = np.arange(leaders)
    return group


def grouped(matrix: TermMatrix, adjacency: csr_array, group: NDArray[np.intp]) -> tuple[TermMatrix, csr_array]:
    """Terms and links of the groups: sums of their pages' counts, links from any page of one to any of another."""
    pages, groups = len(group), int(group.max()) + 1
    gathers = csr_array((np.ones(pages, np.int32), (group, np.arange(pages))), shape=(groups, pages))
    counts = (gathers @ matrix.counts).tocsr()
    counts.sort_indices()
    links = (gathers @ adjacency.astype(np.int32) @ gathers.T).tocsr()
    first = np.unique(group, return_index=True)[1]
    return replace(matrix, counts=counts, urls=tuple(matrix.urls[page] for page in first)), links


def ungrouped(tree: ClusterTree, group: NDArray[np.intp]) -> ClusterTree:
    """The tree over pages: those of a group are merged first, as similar as the two most similar groups are."""
    pages, groups = len(group), tree.pages
    by_group = np.argsort(group, kind="stable")
    merges: list[tuple[int, int]] = []
    top = np.full(2 * groups - 1, -1, np.intp)
    for page in by_group.tolist():
        home = group[page]
        if top[home] < 0:
            top[home] = page
        else:
            merges.append((int(top[home]), page))
            top[home] = pages + len(merges) - 1
    inside = len(merges)
    top[groups:] = pages + inside + np.arange(groups - 1)
    merges.extend((int(top[one]), int(top[other])) for one, other in tree.merges.tolist())
    highest = float(tree.similarities[0]) if groups > 1 else 1.0
    similarities = np.concatenate((np.full(inside, highest), tree.similarities))
    return ClusterTree(pages, np.array(merges, np.intp).reshape(-1, 2), similarities)
