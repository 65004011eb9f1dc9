"""Rows of a routing part made from loose entries, and routing parts over the same cells made one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hypursuit.label import levels
from hypursuit.label.keys import KEY_BITS, KeySet, shortened, stem_key
from hypursuit.label.routing import ANY_ATTRIBUTE, Cover, RoutingPart, cell_type, changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Entries(NamedTuple):
    """What stands where, in any order: parallel arrays."""

    key: NDArray[np.uint32]
    cell: NDArray[np.integer]
    level: NDArray[np.uint8]
    mask: NDArray[np.uint8]


def with_rows(part: RoutingPart, entries: Entries) -> RoutingPart:
    """The part with rows made of entries in place of its own.

    Those of one stem in one cell become one: highest level, all attributes. Frequencies are 0, see ``counted``.
    """
    order = np.lexsort((entries.cell, entries.key))
    key, cell = entries.key[order], entries.cell[order]
    new_row = np.concatenate(([True], key[1:] != key[:-1]))[: len(key)]
    first = np.flatnonzero(new_row | np.concatenate(([True], cell[1:] != cell[:-1]))[: len(key)])
    starts = np.flatnonzero(new_row[first])
    return changed(
        part,
        keys=key[new_row],
        frequency=np.zeros(len(starts), np.int64),
        start=np.append(starts, len(first)),
        cell=cell[first].astype(cell_type(part.cells)),
        level=_reduced(np.maximum, entries.level[order], first),
        mask=_reduced(np.bitwise_or, entries.mask[order], first),
    )


def counted(part: RoutingPart, keys: NDArray[np.uint32], pages: NDArray[np.int64], most: int) -> RoutingPart:
    """The part with pages added up by key; no stem is on more than ``most``, whatever keys coincide."""
    frequency = np.zeros(len(part.keys), np.int64)
    np.add.at(frequency, np.searchsorted(part.keys, keys), pages)
    return changed(part, frequency=np.minimum(frequency, most))


def entries_of(part: RoutingPart) -> Entries:
    """The rows of a part as loose entries."""
    return Entries(part.keys[part.row_of_entry], part.cell, part.level, part.mask)


def united(parts: Sequence[RoutingPart], most: int) -> RoutingPart:
    """Several parts over the same cells as one; frequencies add up, to at most ``most``."""
    bits = min(part.key_bits for part in parts)
    parts = [with_key_bits(part, bits) for part in parts]
    columns = zip(*(entries_of(part) for part in parts), strict=True)
    rows = with_rows(parts[0], Entries(*(np.concatenate(column) for column in columns)))
    keys = np.concatenate([part.keys for part in parts])
    rows = counted(rows, keys, np.concatenate([part.frequency for part in parts]), most)
    covers = united_covers(cover for part in parts for cover in part.covers)
    return changed(rows, covers=tuple(_at_most(cover, most) for cover in covers))


def with_key_bits(part: RoutingPart, bits: int) -> RoutingPart:
    """The part with stems known by fewer bits; rows that then coincide become one."""
    if bits >= part.key_bits:
        return part
    short = shortened(part.keys, part.key_bits - bits)
    rows = with_rows(part, Entries(short[part.row_of_entry], part.cell, part.level, part.mask))
    # Stems that coincide are most likely on different pages; but no estimate may exceed what there is.
    most = int(part.frequency.max(initial=0))
    return changed(counted(rows, short, part.frequency, most), key_bits=bits)


def united_covers(covers: Iterable[Cover]) -> tuple[Cover, ...]:
    """Covers over the same cells, one per band."""
    by_band: dict[int, Cover] = {}
    for cover in covers:
        known = by_band.get(cover.band)
        by_band[cover.band] = cover if known is None else _both(known, cover)
    return tuple(by_band[band] for band in sorted(by_band))


def describing(part: RoutingPart, stem: str, clusters: Iterable[int], value: float | None = None) -> RoutingPart:
    """The part with a stem added that describes sub-clusters, whether or not a page has it.

    A query with the stem is then routed there, as if a page could score ``value`` with it (by default as much as any
    word can). Bounds only grow, so answers stay exact; no page is counted.
    """
    level = levels.TOP if value is None else int(levels.quantise_up(np.array([value]), part.highest)[0])
    cells = np.flatnonzero(np.isin(part.cell_cluster, list(clusters)))
    short = shortened(np.full(len(cells), stem_key(stem), np.uint32), KEY_BITS - part.key_bits)
    added = with_rows(part, Entries(short, cells, _all(level, cells), _all(ANY_ATTRIBUTE, cells)))
    most = int(part.frequency.max(initial=0))
    return united([part, changed(added, covers=())], most)


def _all(value: int, like: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.full(len(like), value, np.uint8)


def _both(one: Cover, other: Cover) -> Cover:
    weight = len(one.stems), len(other.stems)
    mean = -(-(one.frequency * weight[0] + other.frequency * weight[1]) // sum(weight))
    return Cover(one.stems.union(other.stems), mean, np.maximum(one.level, other.level), one.mask | other.mask)


def _at_most(cover: Cover, most: int) -> Cover:
    return Cover(cover.stems, min(cover.frequency, most), cover.level, cover.mask)


def cover_of(part: RoutingPart, rows: NDArray[np.bool_]) -> Cover:
    """Some rows, one at least, as a cover."""
    gone = rows[part.row_of_entry]
    level = np.zeros(part.cells, np.uint8)
    np.maximum.at(level, part.cell[gone], part.level[gone])
    mean = -(-int(part.frequency[rows].sum()) // int(rows.sum()))
    mask = int(np.bitwise_or.reduce(part.mask[gone]))
    return Cover(KeySet.of(part.keys[rows], part.key_bits), mean, level, mask)


def _reduced(combine: np.ufunc, entries: NDArray[np.uint8], first: NDArray[np.intp]) -> NDArray[np.uint8]:
    if not len(first):
        return np.empty(0, np.uint8)
    return np.asarray(combine.reduceat(entries, first), np.uint8)
