"""The routing function: for every stem the largest part per cell, as much of it as fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hypursuit.label import levels, wire
from hypursuit.label.coarsen import highest_levels, joined, with_cells, with_grain, without_rows
from hypursuit.label.fitting import largest_fitting
from hypursuit.label.keys import KEY_BITS, stem_keys
from hypursuit.label.routing import Cover, RoutingPart, blank_part, changed
from hypursuit.label.rows import Entries, counted, united, with_key_bits, with_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.sources import ChildLabels, LeafSource


class Coarseness(NamedTuple):
    """One way of saying less."""

    spare_bits: int
    """Bits of keys beyond those that number the stems: one absent stem in 2**spare looks present."""
    grain: int
    """Levels are multiples of it."""
    share: float
    """Of the cells."""


STEPS = (
    Coarseness(KEY_BITS, 1, 1),
    Coarseness(10, 2, 1),
    Coarseness(8, 4, 1),
    Coarseness(8, 4, 1 / 2),
    Coarseness(8, 4, 1 / 4),
    Coarseness(8, 8, 1 / 8),
    Coarseness(8, 8, 0),
    Coarseness(6, 16, 0),
)
"""What is given up, one after the other, before any row is; a share of 0 leaves one cell per sub-cluster. Cells are
dearest: see the README for what each step costs in leaves asked."""


@dataclass(frozen=True, slots=True)
class RoutingFunction:
    """Coarsens step by step; where that is still too much, gives rows up to covers, the lowest levels first."""

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> RoutingPart:
        """From the postings of the leaf's index."""
        return fitted(leaf_rows(leaf, max(budget.cells, leaf.k)), budget.cells, room)

    def of_children(self, source: ChildLabels, budget: LabelBudget, room: int) -> RoutingPart:
        """From the rows and covers of the children's routing parts."""
        return fitted(children_rows(source), budget.cells, room)


def leaf_rows(leaf: LeafSource, cells: int) -> RoutingPart:
    """Every stem of a leaf, its pages cut into so many cells: clusters of a finer cut, or single pages."""
    index, postings = leaf.index, leaf.postings
    fine = leaf.pages_cut(cells)
    # Clusters of a finer cut lie inside those of a coarser one, so any page of a cell tells its sub-cluster.
    owner = np.zeros(int(fine.max(initial=-1)) + 1, np.int64)
    owner[fine] = leaf.membership
    place, cell_cluster = _in_order(owner)
    highest = index.scoring.highest_part
    parts = index.scoring.parts(postings.frequencies, np.asarray(index.lengths)[postings.page])
    mask = (postings.frequencies > 0) @ (1 << np.arange(5))
    keys = stem_keys(index.stems)[postings.stem]
    level = levels.quantise_up(parts, highest)
    entries = Entries(keys, place[fine[postings.page]], level, mask.astype(np.uint8))
    rows = with_rows(blank_part(highest, cell_cluster, leaf.number, ()), entries)
    return counted(rows, keys, np.ones(len(keys), np.int64), len(index.urls))


def children_rows(source: ChildLabels) -> RoutingPart:
    """The children's rows beside each other, cells in the order of the parent's sub-clusters."""
    highest = max(child.routing.highest for child in source.children)
    groups = (source.membership[begin:] for begin in source.first.tolist())
    owners = [group[child.routing.cell_cluster] for group, child in zip(groups, source.children, strict=False)]
    place, cell_cluster = _in_order(np.concatenate(owners))
    ends = np.cumsum([len(owner) for owner in owners])[:-1]
    parts = [
        joined(_rescaled(child.routing, highest), places, cell_cluster)
        for child, places in zip(source.children, np.split(place, ends), strict=True)
    ]
    return united(parts, sum(child.pages for child in source.children))


def fitted(full: RoutingPart, cells: int, room: int) -> RoutingPart:
    """The part within so many cells and bytes."""
    part = full
    for step in STEPS:
        part = with_cells(part, max(int(cells * step.share), 1))
        part = with_key_bits(part, min(KEY_BITS, len(part.keys).bit_length() + step.spare_bits))
        part = with_grain(part, step.grain)
        if _size(part) <= room:
            return part
    return _rows_fitted(part, room)


def _rows_fitted(part: RoutingPart, room: int) -> RoutingPart:
    first_to_go = np.argsort(highest_levels(part), kind="stable")
    # With no bits at all a cover holds everything, but no higher than the highest level that was dropped.
    for spare in (6, 3, 0, -KEY_BITS):

        def keeping(kept: int, spare: int = spare) -> RoutingPart:
            dropped = np.zeros(len(part.keys), bool)
            dropped[first_to_go[: len(part.keys) - kept]] = True
            known = int(dropped.sum()) + sum(len(cover.stems) for cover in part.covers)
            return without_rows(part, dropped, max(known.bit_length() + spare, 0))

        found = largest_fitting(keeping, len(part.keys), room, _size)
        if found is not None:
            return found
    return blank_part(part.highest, np.arange(part.clusters), part.clusters, [Cover.everything(part.clusters)])


def _in_order(owner: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """New numbers of cells, by sub-cluster; and the sub-clusters in that order."""
    order = np.argsort(owner, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place, owner[order]


def _rescaled(part: RoutingPart, highest: float) -> RoutingPart:
    """The same levels in a scoring whose parts reach higher."""
    if part.highest == highest:
        return part
    new = np.concatenate(([0], levels.quantise_up(levels.values(part.highest)[1:], highest))).astype(np.uint8)
    covers = tuple(Cover(c.stems, c.frequency, new[c.level], c.mask) for c in part.covers)
    return changed(part, highest=highest, level=new[part.level], covers=covers)


def _size(part: RoutingPart) -> int:
    return len(wire.routing_frame(part))
