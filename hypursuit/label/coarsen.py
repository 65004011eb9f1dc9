"""Making a routing part smaller: fewer cells, fewer rows. Bounds grow, nothing is lost from under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.complete_link import merge_tree
from hypursuit.label import levels
from hypursuit.label.keys import KeySet
from hypursuit.label.routing import Cover, RoutingPart, changed, entries_part, union_cover

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMPARED = 1500
"""Cells of one sub-cluster that are compared pair by pair; where there are more, neighbours are joined first."""


def joined(part: RoutingPart, membership: NDArray[np.int64], cell_cluster: NDArray[np.int64]) -> RoutingPart:
    """The part over coarser cells: ``membership`` leads from cells to new cells, whose sub-clusters are given."""
    blank = changed(part, cell_cluster=cell_cluster, clusters=int(cell_cluster.max(initial=-1)) + 1)
    rows = entries_part(blank, part.keys[part.row_of_entry], membership[part.cell], part.level, part.mask)
    level = np.zeros(len(cell_cluster), np.uint8)
    np.maximum.at(level, membership, part.cover.level)
    cover = Cover(part.cover.stems, part.cover.frequency, level, part.cover.mask)
    return changed(rows, frequency=part.frequency, cover=cover)


def with_cells(part: RoutingPart, cells: int) -> RoutingPart:
    """The part with at most so many cells (one per sub-cluster at least), alike cells joined inside sub-clusters."""
    if part.cells <= max(cells, part.clusters):
        return part
    vectors = _cell_vectors(part)
    membership = np.zeros(part.cells, np.int64)
    cell_cluster: list[int] = []
    for cluster, allowed in enumerate(_allotted(part, cells)):
        members = np.flatnonzero(part.cell_cluster == cluster)
        groups = _alike(vectors[members], int(allowed))
        membership[members] = groups + len(cell_cluster)
        cell_cluster += [cluster] * (int(groups.max(initial=-1)) + 1)
    return joined(part, membership, np.array(cell_cluster, np.int64))


def without_rows(part: RoutingPart, dropped: NDArray[np.bool_], bits: int) -> RoutingPart:
    """The part with some rows given up to the cover, whose stems are then known by at most so many bits."""
    if not dropped.any():
        return changed(part, cover=_coarse_cover(part.cover, bits))
    gone = dropped[part.row_of_entry]
    level = np.zeros(part.cells, np.uint8)
    np.maximum.at(level, part.cell[gone], part.level[gone])
    mask = int(np.bitwise_or.reduce(part.mask[gone]))
    mean = -(-int(part.frequency[dropped].sum()) // int(dropped.sum()))
    cover = union_cover([part.cover, Cover(KeySet.of(part.keys[dropped]), mean, level, mask)])
    counts = np.diff(part.start)[~dropped]
    return changed(
        part,
        keys=part.keys[~dropped],
        frequency=part.frequency[~dropped],
        start=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        cell=part.cell[~gone],
        level=part.level[~gone],
        mask=part.mask[~gone],
        cover=_coarse_cover(cover, bits),
    )


def _coarse_cover(cover: Cover, bits: int) -> Cover:
    return Cover(cover.stems.coarse(bits), cover.frequency, cover.level, cover.mask)


def _allotted(part: RoutingPart, cells: int) -> NDArray[np.int64]:
    """How many cells each sub-cluster may keep: one, and a share by how many it has."""
    have = np.bincount(part.cell_cluster, minlength=part.clusters)
    spare = max(cells - part.clusters, 0)
    more = np.maximum(have - 1, 0)
    return np.asarray(np.minimum(have, 1 + more * spare // max(int(more.sum()), 1)), np.int64)


def _cell_vectors(part: RoutingPart) -> csr_array:
    """(cells, rows): parts times rarity among cells, rows of length 1: joining alike cells loosens bounds least."""
    spread = np.diff(part.start)
    rarity = np.log((part.cells + 1) / np.maximum(spread, 1))
    weight = levels.values(1.0)[part.level] * rarity[part.row_of_entry]
    length = np.sqrt(np.bincount(part.cell, weight * weight, minlength=part.cells))
    weight /= np.where(length > 0, length, 1)[part.cell]
    shape = (part.cells, len(part.keys))
    return csr_array((weight.astype(np.float32), (part.cell, part.row_of_entry)), shape=shape)


def _alike(vectors: csr_array, groups: int) -> NDArray[np.int64]:
    """Membership of rows when so many groups of alike ones are left."""
    count = vectors.shape[0]
    if count <= groups:
        return np.arange(count)
    if groups <= 1:
        return np.zeros(count, np.int64)
    if count > MOST_COMPARED:
        # Neighbours come from one sub-cluster of one child: they are alike already.
        first = np.arange(count) * MOST_COMPARED // count
        summed = csr_array((np.ones(count, np.float32), (first, np.arange(count))), shape=(MOST_COMPARED, count))
        return np.asarray(_alike(csr_array(summed @ vectors), groups)[first], np.int64)
    similarity = (vectors @ vectors.T).toarray()
    return merge_tree(similarity, overwrite=True).cut(groups).astype(np.int64)
