"""Stems as numbers, sets of their prefixes, parts as levels: all round upwards, never downwards."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.label import levels
from hypursuit.label.keys import KEY_BITS, KeySet, stem_key, stem_keys

KEYS = st.lists(st.integers(0, (1 << KEY_BITS) - 1), max_size=40)


def key_set(keys: list[int], bits: int = KEY_BITS) -> KeySet:
    return KeySet.of(np.array(keys, np.uint32), KEY_BITS).coarse(bits)


def test_keys_are_the_same_on_every_machine() -> None:
    """First four bytes of BLAKE2b-32; written down so that labels of different versions understand each other."""
    assert stem_key("river") == 0x62F4AE7E
    assert stem_keys(["river", "", "große"]).tolist() == [stem_key("river"), stem_key(""), stem_key("große")]


def test_keys_are_the_same_in_every_process() -> None:
    code = "from hypursuit.label.keys import stem_key; print(stem_key('river'))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(told.stdout) == stem_key("river")


@given(KEYS, st.integers(0, KEY_BITS))
def test_a_set_by_fewer_bits_still_has_all_its_keys(keys: list[int], bits: int) -> None:
    found = key_set(keys, bits)

    assert all(key in found for key in keys)
    assert len(found) <= len(set(keys))


@given(KEYS, KEYS, st.integers(0, KEY_BITS), st.integers(0, KEY_BITS))
def test_a_union_has_the_keys_of_both(one: list[int], other: list[int], bits: int, others: int) -> None:
    both = key_set(one, bits).union(key_set(other, others))

    assert all(key in both for key in one + other)
    assert both.same(key_set(other, others).union(key_set(one, bits)))


@given(KEYS, st.integers(0, (1 << KEY_BITS) - 1))
def test_with_all_bits_a_set_has_nothing_else(keys: list[int], key: int) -> None:
    assert (key in key_set(keys)) == (key in keys)


def test_a_set_without_bits_has_everything_and_an_empty_one_nothing() -> None:
    assert 12345 in key_set([7], 0)
    assert 12345 not in key_set([], 0)


@given(st.lists(st.floats(0, 2.2), min_size=1), st.sampled_from([2.2, 2.2000001, 3.0, 100.0]))
def test_a_level_stands_for_no_less_than_the_part(parts: list[float], highest: float) -> None:
    given_parts = np.array(parts)
    kept = levels.values(highest)[levels.quantise_up(given_parts, highest)]

    assert (kept * (1 + 1e-12) >= given_parts).all()
    assert (levels.quantise_up(given_parts, highest) >= 1).all()


def test_levels_are_finest_near_the_top() -> None:
    steps = np.diff(levels.values(2.2))

    assert (np.diff(steps) < 0).all()
    assert steps[-1] < 2.2 / 255 / 100
    assert steps[0] == pytest.approx(2.2 * (1 - (254 / 255) ** 2))


def test_a_part_above_the_highest_is_refused() -> None:
    with pytest.raises(ValueError, match="highest"):
        levels.quantise_up(np.array([2.3]), 2.2)
