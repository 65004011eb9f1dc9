"""Every way of saying less makes bounds larger or leaves them as they are."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hypursuit.label.coarsen import with_cells, with_grain, without_rows
from hypursuit.label.keys import KEY_BITS, stem_keys
from hypursuit.label.routing import RoutingPart, blank_part, changed
from hypursuit.label.rows import Entries, counted, describing, united, with_key_bits, with_rows
from hypursuit.text.terms import Attribute

STEMS = [f"stem{number}" for number in range(60)]
ABSENT = [f"absent{number}" for number in range(60)]


def random_part(seed: int, cells: int = 24, clusters: int = 4) -> RoutingPart:
    rng = np.random.default_rng(seed)
    cell_cluster = np.sort(np.concatenate((np.arange(clusters), rng.integers(0, clusters, cells - clusters))))
    count = 400
    keys = stem_keys(STEMS)[rng.integers(0, len(STEMS), count)]
    level, mask = rng.integers(1, 256, count).astype(np.uint8), rng.integers(1, 32, count).astype(np.uint8)
    rows = with_rows(
        blank_part(2.2, cell_cluster, clusters, ()), Entries(keys, rng.integers(0, cells, count), level, mask)
    )
    return counted(rows, keys, np.ones(count, np.int64), 200)


def bounds(part: RoutingPart) -> np.ndarray:
    """(stems and attributes, clusters)."""
    asked = [(stem, attribute) for stem in STEMS + ABSENT for attribute in (None, *Attribute)]
    return np.array([part.by_cluster(part.largest_parts(*word)) for word in asked])


@pytest.mark.parametrize("seed", range(10))
def test_saying_less_never_lowers_a_bound(seed: int) -> None:
    part = random_part(seed)
    rng = random.Random(seed)
    full = bounds(part)
    for _ in range(8):
        match rng.randrange(4):
            case 0:
                part = with_cells(part, rng.randint(1, part.cells))
            case 1:
                part = with_grain(part, rng.choice([2, 4, 8, 16]))
            case 2:
                part = with_key_bits(part, rng.randint(4, KEY_BITS))
            case _:
                dropped = np.array([rng.random() < 0.3 for _ in part.keys], bool)
                part = without_rows(part, dropped, rng.randint(3, KEY_BITS))

        assert (bounds(part) >= full).all()
        full = bounds(part)


def test_rows_hold_the_highest_level_and_all_attributes() -> None:
    keys = np.array([9, 4, 9, 9], np.uint32)
    entries = Entries(keys, np.array([1, 0, 1, 0]), np.array([7, 8, 9, 1], np.uint8), np.array([1, 2, 16, 4], np.uint8))
    part = counted(with_rows(blank_part(2.2, np.arange(2), 2, ()), entries), keys, np.ones(4, np.int64), 99)

    assert part.keys.tolist() == [4, 9]
    assert part.frequency.tolist() == [1, 3]
    assert part.start.tolist() == [0, 1, 3]
    assert list(zip(part.cell.tolist(), part.level.tolist(), part.mask.tolist(), strict=True)) == [
        (0, 8, 2),
        (0, 1, 4),
        (1, 9, 17),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_union_bounds_what_both_bound(seed: int) -> None:
    """And no more, for words without attribute; the level of a cell is one for all attributes."""
    one, other = random_part(seed), random_part(seed + 100)
    other = changed(other, cell_cluster=one.cell_cluster)
    both = united([one, other], 10_000)

    assert (bounds(both) >= np.maximum(bounds(one), bounds(other))).all()
    for stem in STEMS + ABSENT:
        parts = np.maximum(one.largest_parts(stem), other.largest_parts(stem))
        assert both.largest_parts(stem).tolist() == parts.tolist()
    assert sum(both.page_frequency(stem) for stem in STEMS) == sum(
        part.page_frequency(stem) for part in (one, other) for stem in STEMS
    )


def test_fewer_cells_stay_inside_their_sub_clusters() -> None:
    part = with_cells(random_part(3), 9)

    assert part.clusters == 4
    assert 4 <= part.cells <= 9
    assert sorted(set(part.cell_cluster.tolist())) == [0, 1, 2, 3]


def test_cells_that_say_the_same_are_joined_first() -> None:
    """Cells 0 and 2 hold one word, 1 and 3 another: two cells keep the words apart."""
    keys = np.array([5, 5, 8, 8], np.uint32)
    entries = Entries(keys, np.array([0, 2, 1, 3]), np.full(4, 99, np.uint8), np.full(4, 1, np.uint8))
    part = with_cells(with_rows(blank_part(2.2, np.zeros(4, np.int64), 1, ()), entries), 2)

    assert part.cells == 2
    assert np.diff(part.start).tolist() == [1, 1]


def test_dropped_stems_are_bounded_by_their_band() -> None:
    """A stem that scores low everywhere is not bounded by one that scores high, though both were dropped."""
    keys = stem_keys(["low", "high"])
    entries = Entries(keys, np.array([0, 1]), np.array([20, 250], np.uint8), np.full(2, 1, np.uint8))
    part = with_rows(blank_part(2.2, np.arange(2), 2, ()), entries)
    bare = without_rows(part, np.ones(2, bool), KEY_BITS)

    assert len(bare.keys) == 0
    assert bare.largest_parts("low").tolist() == part.largest_parts("low").tolist()
    assert bare.largest_parts("high").tolist() == part.largest_parts("high").tolist()


def test_a_describing_term_raises_only_its_own_bound() -> None:
    part = random_part(1)
    added = describing(part, "literatur", [2])

    assert (bounds(added) == bounds(part)).all()
    assert np.flatnonzero(added.by_cluster(added.largest_parts("literatur"))).tolist() == [2]
    assert added.page_frequency("literatur") == 0
