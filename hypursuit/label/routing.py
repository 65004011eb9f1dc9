"""The routing part of a label: how well a stem can score in each cell, at most.

A *cell* is a piece of a sub-cluster with a bound of its own. A row per stem gives, for each cell that has it, the
level of its largest part on any page there and the attributes it stands under. Stems whose rows the budget dropped
are in the *cover*: a compact set with one default level per cell. A stem may be in a row and in the cover (kept by
one child, dropped by another): the larger level counts. So nothing that stands on a page is ever bounded too low.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hypursuit.label import levels
from hypursuit.label.keys import KeySet, stem_key
from hypursuit.text.scoring import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hypursuit.text.terms import Attribute

ANY_ATTRIBUTE = 0b11111


def attribute_bit(attribute: Attribute | None) -> int:
    """The bit of an attribute in a mask; all bits for any attribute."""
    return ANY_ATTRIBUTE if attribute is None else 1 << ATTRIBUTES.index(attribute)


@dataclass(frozen=True, eq=False, slots=True)
class Cover:
    """The stems without rows of their own."""

    stems: KeySet
    frequency: int
    """Pages that one of them stands on, on average: an estimate."""
    level: NDArray[np.uint8]
    """(cells,): the highest level of any of them; 0 where none of them stands."""
    mask: int
    """The attributes that they stand under."""

    @classmethod
    def nothing(cls, cells: int) -> Cover:
        """No stem was dropped."""
        return cls(KeySet.empty(), 0, np.zeros(cells, np.uint8), 0)

    @classmethod
    def everything(cls, cells: int) -> Cover:
        """Anything may be anywhere: what is left when there is no room for more."""
        return cls(KeySet(0, np.zeros(1, np.uint32)), 1, np.full(cells, levels.TOP, np.uint8), ANY_ATTRIBUTE)

    def same(self, other: Cover) -> bool:
        """Whether both cover the same."""
        mine, others = (self.frequency, self.mask), (other.frequency, other.mask)
        return mine == others and self.stems.same(other.stems) and np.array_equal(self.level, other.level)


@dataclass(frozen=True, eq=False)
class RoutingPart:
    """Rows in order of their keys, as one sparse matrix (rows, cells); all arrays are to be left as they are."""

    highest: float
    """What no part reaches in the scoring that the leaves share."""
    clusters: int
    cell_cluster: NDArray[np.int64]
    """(cells,), ascending: the sub-cluster that a cell is a piece of."""
    keys: NDArray[np.uint32]
    """(rows,), ascending, distinct."""
    frequency: NDArray[np.int64]
    """(rows,): pages with the stem; those below children that dropped it are not counted."""
    start: NDArray[np.int64]
    """(rows + 1,): the entries of row r are start[r]:start[r + 1]; each row has one at least."""
    cell: NDArray[np.int64]
    """(entries,), ascending inside a row."""
    level: NDArray[np.uint8]
    """(entries,), 1 at least."""
    mask: NDArray[np.uint8]
    """(entries,): the attributes under which the stem stands in the cell."""
    cover: Cover

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RoutingPart):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.name != "cover")
        return all(np.array_equal(mine, others) for mine, others in pairs) and self.cover.same(other.cover)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    @property
    def cells(self) -> int:
        """How many pieces have a bound of their own."""
        return len(self.cell_cluster)

    @cached_property
    def row_of_entry(self) -> NDArray[np.int64]:
        """(entries,): the row that an entry belongs to."""
        return np.repeat(np.arange(len(self.keys)), np.diff(self.start))

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        return levels.values(self.highest)

    def row(self, key: int) -> int | None:
        """The row of a key, if it has one."""
        place = int(np.searchsorted(self.keys, np.uint32(key)))
        return place if place < len(self.keys) and int(self.keys[place]) == key else None

    def page_frequency(self, stem: str) -> int:
        """Pages below with the stem: exact if no budget below dropped it, else what was kept plus an estimate."""
        key = stem_key(stem)
        row = self.row(key)
        kept = 0 if row is None else int(self.frequency[row])
        return kept + (self.cover.frequency if key in self.cover.stems else 0)

    def largest_parts(self, stem: str, attribute: Attribute | None = None) -> NDArray[np.float64]:
        """(cells,): what no page of the cell exceeds with this word; 0 where certainly no page has it."""
        key, bit = stem_key(stem), attribute_bit(attribute)
        if self.cover.mask & bit and key in self.cover.stems:
            found = self.cover.level.copy()
        else:
            found = np.zeros(self.cells, np.uint8)
        row = self.row(key)
        if row is not None:
            entries = slice(self.start[row], self.start[row + 1])
            standing = np.where(self.mask[entries] & bit, self.level[entries], np.uint8(0))
            cells = self.cell[entries]
            found[cells] = np.maximum(found[cells], standing)
        return self._values[found]

    def by_cluster(self, of_cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """(clusters,): the largest of each sub-cluster's cells, of numbers that are not negative."""
        largest = np.zeros(self.clusters)
        np.maximum.at(largest, self.cell_cluster, of_cells)
        return largest

    def describing(self, stem: str, clusters: Iterable[int], part: float | None = None) -> RoutingPart:
        """The same with a stem added that describes sub-clusters, whether or not a page has it.

        A query with the stem is then routed there. Bounds only grow, so answers stay exact; no page is counted.
        """
        level = levels.TOP if part is None else int(levels.quantise_up(np.array([part]), self.highest)[0])
        cells = np.flatnonzero(np.isin(self.cell_cluster, list(clusters)))
        added = entries_part(
            self,
            np.full(len(cells), stem_key(stem), np.uint32),
            cells,
            np.full(len(cells), level, np.uint8),
            np.full(len(cells), ANY_ATTRIBUTE, np.uint8),
        )
        return merge_rows([self, added])


def entries_part(
    like: RoutingPart,
    key: NDArray[np.uint32],
    cell: NDArray[np.int64],
    level: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    pages: NDArray[np.int64] | None = None,
) -> RoutingPart:
    """Rows from loose entries in any order; those of one stem in one cell become one: highest level, all attributes.

    ``pages`` says how many pages an entry stands for in the frequency of its stem; 0 if it is not given.
    """
    order = np.lexsort((cell, key))
    key, cell = key[order], cell[order]
    keys, row = np.unique(key, return_inverse=True)
    frequency = np.zeros(len(keys), np.int64)
    if pages is not None:
        np.add.at(frequency, row, pages[order])
    first = np.flatnonzero(np.concatenate(([True], (np.diff(row) != 0) | (np.diff(cell) != 0))) if len(row) else [])
    start = np.searchsorted(row[first], np.arange(len(keys) + 1))
    return RoutingPart(
        like.highest,
        like.clusters,
        like.cell_cluster,
        keys,
        frequency,
        start.astype(np.int64),
        cell[first].astype(np.int64),
        _reduced(np.maximum, level[order], first),
        _reduced(np.bitwise_or, mask[order], first),
        Cover.nothing(like.cells),
    )


def empty_part(highest: float, cell_cluster: NDArray[np.int64], clusters: int) -> RoutingPart:
    """Cells without a stem."""
    none, byte = np.empty(0, np.int64), np.empty(0, np.uint8)
    keys, start, cover = np.empty(0, np.uint32), np.zeros(1, np.int64), Cover.nothing(len(cell_cluster))
    return RoutingPart(highest, clusters, cell_cluster, keys, none, start, none, byte, byte, cover)


def merge_rows(parts: list[RoutingPart]) -> RoutingPart:
    """Several parts over the same cells as one; frequencies add up."""
    first = parts[0]
    merged = entries_part(
        first,
        np.concatenate([part.keys[part.row_of_entry] for part in parts]),
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.level for part in parts]),
        np.concatenate([part.mask for part in parts]),
    )
    frequency = np.zeros(len(merged.keys), np.int64)
    for part in parts:
        frequency[np.searchsorted(merged.keys, part.keys)] += part.frequency
    return changed(merged, frequency=frequency, cover=union_cover([part.cover for part in parts]))


def union_cover(covers: list[Cover]) -> Cover:
    """Covers over the same cells as one."""
    stems, mask, weighted, count = KeySet.empty(), 0, 0, 0
    for cover in covers:
        stems, mask = stems.union(cover.stems), mask | cover.mask
        weighted, count = weighted + cover.frequency * len(cover.stems), count + len(cover.stems)
    level = np.maximum.reduce([cover.level for cover in covers])
    return Cover(stems, -(-weighted // count) if count else 0, level, mask)


def changed(part: RoutingPart, **changes: Any) -> RoutingPart:
    """A copy with some fields replaced."""
    kept = {field.name: getattr(part, field.name) for field in fields(part)}
    return RoutingPart(**(kept | changes))


def _reduced(combine: np.ufunc, entries: NDArray[np.uint8], first: NDArray[np.int64]) -> NDArray[np.uint8]:
    if not len(first):
        return np.empty(0, np.uint8)
    return np.asarray(combine.reduceat(entries, first), np.uint8)
