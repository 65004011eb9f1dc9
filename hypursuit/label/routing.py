"""The routing part of a label: how well a stem can score in each cell, at most.

A *cell* is a piece of a sub-cluster with a bound of its own. A row per stem gives, for each cell that has it, the
level of its largest part on any page there and the attributes it stands under. Stems whose rows the budget dropped
are in a *cover*: a compact set with one level per cell for all its stems. A stem may be in a row and in covers (kept
by one child, dropped by another): the highest level counts. So nothing that stands on a page is bounded too low.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hypursuit.label import levels
from hypursuit.label.keys import KEY_BITS, KeySet, stem_key
from hypursuit.text.scoring import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hypursuit.text.terms import Attribute

ANY_ATTRIBUTE = 0b11111
BANDS = 8
"""Covers at most: dropped stems are parted by their highest level, so that those that score low are bounded low."""


def attribute_bit(attribute: Attribute | None) -> int:
    """The bit of an attribute in a mask; all bits for any attribute."""
    return ANY_ATTRIBUTE if attribute is None else 1 << ATTRIBUTES.index(attribute)


def cell_type(cells: int) -> type[np.unsignedinteger]:
    """The smallest type that numbers so many cells; labels of many routers are held in memory."""
    return np.uint16 if cells <= 1 << 16 else np.uint32


def band_of(level: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The band that a stem with this highest level falls into."""
    return level // np.uint8(256 // BANDS)


@dataclass(frozen=True, eq=False, slots=True)
class Cover:
    """Stems without rows of their own."""

    stems: KeySet
    """Not empty."""
    frequency: int
    """Pages that one of them stands on, on average: an estimate."""
    level: NDArray[np.uint8]
    """(cells,): the highest level of any of them; 0 where none of them stands."""
    mask: int
    """The attributes that they stand under."""

    @classmethod
    def everything(cls, cells: int) -> Cover:
        """Anything may be anywhere: what is left when there is no room for more."""
        return cls(KeySet(0, np.zeros(1, np.uint32)), 1, np.full(cells, levels.TOP, np.uint8), ANY_ATTRIBUTE)

    @property
    def band(self) -> int:
        """What tells covers of one label apart."""
        return int(band_of(self.level.max(initial=0)))

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
    key_bits: int
    keys: NDArray[np.uint32]
    """(rows,), ascending, distinct: the first ``key_bits`` bits of the stems' keys."""
    frequency: NDArray[np.int64]
    """(rows,): pages with the stem; those below children that dropped it are not counted."""
    start: NDArray[np.int64]
    """(rows + 1,): the entries of row r are start[r]:start[r + 1]; each row has one at least."""
    cell: NDArray[np.unsignedinteger]
    """(entries,), ascending inside a row."""
    level: NDArray[np.uint8]
    """(entries,), 1 at least."""
    mask: NDArray[np.uint8]
    """(entries,): the attributes under which the stem stands in the cell."""
    covers: tuple[Cover, ...] = ()
    """By band, ascending; one per band at most."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RoutingPart):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.name != "covers")
        return (
            all(np.array_equal(mine, others) for mine, others in pairs)
            and len(self.covers) == len(other.covers)
            and all(mine.same(others) for mine, others in zip(self.covers, other.covers, strict=True))
        )

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

    def page_frequency(self, stem: str) -> int:
        """Pages below with the stem: exact if no budget below dropped it, else what was kept plus an estimate."""
        key = stem_key(stem)
        row = self._row(key)
        kept = 0 if row is None else int(self.frequency[row])
        return kept + max((cover.frequency for cover in self.covers if key in cover.stems), default=0)

    def largest_parts(self, stem: str, attribute: Attribute | None = None) -> NDArray[np.float64]:
        """(cells,): what no page of the cell exceeds with this word; 0 where certainly no page has it."""
        key, bit = stem_key(stem), attribute_bit(attribute)
        found = np.zeros(self.cells, np.uint8)
        row = self._row(key)
        if row is not None:
            entries = slice(self.start[row], self.start[row + 1])
            found[self.cell[entries]] = np.where(self.mask[entries] & bit, self.level[entries], np.uint8(0))
        for cover in self.covers:
            if cover.mask & bit and key in cover.stems:
                np.maximum(found, cover.level, out=found)
        return self._values[found]

    def by_cluster(self, of_cells: NDArray[np.float64]) -> NDArray[np.float64]:
        """(clusters,): the largest of each sub-cluster's cells, of numbers that are not negative."""
        largest = np.zeros(self.clusters)
        np.maximum.at(largest, self.cell_cluster, of_cells)
        return largest

    def _row(self, key: int) -> int | None:
        prefix = key >> (KEY_BITS - self.key_bits)
        place = int(np.searchsorted(self.keys, np.uint32(prefix)))
        return place if place < len(self.keys) and int(self.keys[place]) == prefix else None


def changed(part: RoutingPart, **changes: Any) -> RoutingPart:
    """A copy with some fields replaced."""
    kept = {field.name: getattr(part, field.name) for field in fields(part)}
    return RoutingPart(**(kept | changes))


def blank_part(highest: float, cell_cluster: NDArray[np.int64], clusters: int, covers: Iterable[Cover]) -> RoutingPart:
    """Cells without a row."""
    none, byte = np.empty(0, np.int64), np.empty(0, np.uint8)
    keys, start, cell = np.empty(0, np.uint32), np.zeros(1, np.int64), np.empty(0, np.uint16)
    return RoutingPart(highest, clusters, cell_cluster, KEY_BITS, keys, none, start, cell, byte, byte, tuple(covers))
