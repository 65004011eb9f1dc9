"""The routing function: for every stem the largest part per cell, as much of it as fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.label import levels, wire
from hypursuit.label.coarsen import joined, with_cells, without_rows
from hypursuit.label.fitting import largest_fitting
from hypursuit.label.keys import KEY_BITS, stem_keys
from hypursuit.label.routing import Cover, RoutingPart, changed, empty_part, entries_part, merge_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.label.sources import ChildLabels, LeafSource

FINEST = 2000
"""Cells that a leaf starts from: its pages, if they are not more."""
_SPARE_BITS = 8
"""Bits per dropped stem beyond those that number them: one absent stem in 2**8 then looks dropped."""


@dataclass(frozen=True, slots=True)
class RoutingFunction:
    """Joins cells first; where one cell per sub-cluster is still too much, gives rows up to the cover."""

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> RoutingPart:
        """From the postings of the leaf's index."""
        return fitted(leaf_rows(leaf), budget.cells, room)

    def of_children(self, source: ChildLabels, budget: LabelBudget, room: int) -> RoutingPart:
        """From the rows and covers of the children's routing parts."""
        return fitted(children_rows(source), budget.cells, room)


def leaf_rows(leaf: LeafSource) -> RoutingPart:
    """Every stem of a leaf with as many cells as it has pages, up to FINEST."""
    index, postings = leaf.index, leaf.postings
    fine = leaf.pages_cut(max(FINEST, leaf.k))
    # Clusters of a finer cut lie inside those of a coarser one, so any page of a cell tells its sub-cluster.
    owner = np.zeros(int(fine.max(initial=-1)) + 1, np.int64)
    owner[fine] = leaf.membership
    order = np.argsort(owner, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    lengths = np.asarray(index.lengths)[postings.page]
    parts = index.scoring.parts(postings.frequencies, lengths)
    mask = (postings.frequencies > 0) @ (1 << np.arange(5))
    blank = empty_part(index.scoring.highest_part, owner[order], leaf.number)
    rows = entries_part(
        blank,
        stem_keys(index.stems)[postings.stem],
        number[fine[postings.page]],
        levels.quantise_up(parts, index.scoring.highest_part),
        mask.astype(np.uint8),
        np.ones(len(parts), np.int64),
    )
    return changed(rows, frequency=np.minimum(rows.frequency, len(index.urls)))


def children_rows(source: ChildLabels) -> RoutingPart:
    """The children's rows beside each other, cells in the order of the parent's sub-clusters."""
    highest = max(child.routing.highest for child in source.children)
    owners = [source.membership[source.first[i] :][c.routing.cell_cluster] for i, c in enumerate(source.children)]
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    shifted, begin = [], 0
    for child in source.children:
        place = number[begin : begin + child.routing.cells]
        shifted.append(joined(_rescaled(child.routing, highest), place, owner[order]))
        begin += child.routing.cells
    merged = merge_rows(shifted)
    pages = sum(child.pages for child in source.children)
    cover = merged.cover
    cover = Cover(cover.stems, min(cover.frequency, pages), cover.level, cover.mask)
    return changed(merged, clusters=source.number, frequency=np.minimum(merged.frequency, pages), cover=cover)


def fitted(full: RoutingPart, cells: int, room: int) -> RoutingPart:
    """The part within so many cells and bytes."""
    part = with_cells(full, cells)
    while _size(part) > room and part.cells > part.clusters:
        part = with_cells(part, part.cells // 2)
    if _size(part) <= room:
        return part
    return _rows_fitted(part, room)


def _rows_fitted(part: RoutingPart, room: int) -> RoutingPart:
    first_to_go = np.argsort(_value(part), kind="stable")
    for spare in (_SPARE_BITS, _SPARE_BITS // 2, 1):

        def keeping(kept: int, spare: int = spare) -> RoutingPart:
            dropped = np.zeros(len(part.keys), bool)
            dropped[first_to_go[: len(part.keys) - kept]] = True
            known = int(dropped.sum()) + len(part.cover.stems)
            return without_rows(part, dropped, min(KEY_BITS, known.bit_length() + spare))

        found = largest_fitting(keeping, len(part.keys), room, _size)
        if found is not None:
            return found
    bare = empty_part(part.highest, np.arange(part.clusters), part.clusters)
    return changed(bare, cover=Cover.everything(part.clusters))


def _value(part: RoutingPart) -> NDArray[np.float64]:
    """What a row is worth keeping for: the highest level it has anywhere."""
    return np.maximum.reduceat(part.level, part.start[:-1]).astype(np.float64) if len(part.keys) else np.empty(0)


def _rescaled(part: RoutingPart, highest: float) -> RoutingPart:
    """The same levels in a scoring whose parts reach higher."""
    if part.highest == highest:
        return part
    new = np.concatenate(([0], levels.quantise_up(levels.values(part.highest)[1:], highest))).astype(np.uint8)
    cover = Cover(part.cover.stems, part.cover.frequency, new[part.cover.level], part.cover.mask)
    return changed(part, highest=highest, level=new[part.level], cover=cover)


def _size(part: RoutingPart) -> int:
    return len(wire.routing_frame(part))
