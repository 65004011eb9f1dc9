"""Making a routing part smaller: fewer cells, fewer rows, fewer bits. Bounds grow, nothing is lost from under them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.complete_link import merge_tree
from hypursuit.label import levels
from hypursuit.label.routing import Cover, RoutingPart, band_of, changed
from hypursuit.label.rows import Entries, cover_of, united_covers, with_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMPARED = 1500
"""Cells of one sub-cluster that are compared pair by pair; where there are more, neighbours are joined first."""


def joined(part: RoutingPart, membership: NDArray[np.int64], cell_cluster: NDArray[np.int64]) -> RoutingPart:
    """The part over coarser cells: ``membership`` leads from cells to new cells, whose sub-clusters are given."""
    over = changed(part, cell_cluster=cell_cluster, clusters=int(cell_cluster.max(initial=-1)) + 1)
    keys = part.keys[part.row_of_entry]
    rows = with_rows(over, Entries(keys, membership[part.cell], part.level, part.mask))
    covers = (
        Cover(cover.stems, cover.frequency, _highest(membership, cover.level, len(cell_cluster)), cover.mask)
        for cover in part.covers
    )
    return changed(rows, frequency=part.frequency, covers=tuple(covers))


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


def with_grain(part: RoutingPart, grain: int) -> RoutingPart:
    """The part with levels rounded up to multiples of the grain."""
    covers = (Cover(cover.stems, cover.frequency, _rounded_up(cover.level, grain), cover.mask) for cover in part.covers)
    return changed(part, level=_rounded_up(part.level, grain), covers=united_covers(covers))


def without_rows(part: RoutingPart, dropped: NDArray[np.bool_], bits: int) -> RoutingPart:
    """The part with some rows given up to covers, whose stems are then known by at most so many bits."""
    band = band_of(highest_levels(part))
    gone = [cover_of(part, dropped & (band == value)) for value in np.unique(band[dropped])]
    covers = united_covers((*part.covers, *gone))
    kept = ~dropped
    entries = kept[part.row_of_entry]
    return changed(
        part,
        keys=part.keys[kept],
        frequency=part.frequency[kept],
        start=np.concatenate(([0], np.cumsum(np.diff(part.start)[kept]))),
        cell=part.cell[entries],
        level=part.level[entries],
        mask=part.mask[entries],
        covers=tuple(Cover(c.stems.coarse(bits), c.frequency, c.level, c.mask) for c in covers),
    )


def highest_levels(part: RoutingPart) -> NDArray[np.uint8]:
    """(rows,): the highest level that a stem has anywhere."""
    if not len(part.keys):
        return np.empty(0, np.uint8)
    return np.asarray(np.maximum.reduceat(part.level, part.start[:-1]), np.uint8)


def _highest(membership: NDArray[np.int64], level: NDArray[np.uint8], cells: int) -> NDArray[np.uint8]:
    found = np.zeros(cells, np.uint8)
    np.maximum.at(found, membership, level)
    return found


def _rounded_up(level: NDArray[np.uint8], grain: int) -> NDArray[np.uint8]:
    wide = -(-level.astype(np.int64) // grain) * grain
    return np.minimum(wide, levels.TOP).astype(np.uint8)


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
