"""The compact form: what was encoded comes back, anything else is refused in bounded time and memory."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.errors import MalformedLabel
from hypursuit.label import ContentLabel, LabelBudget, decode, encode, figure5, merge_labels, wire_arrays
from hypursuit.label.wire import MAGIC, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypursuit.crawl.page import Page

GOLDEN = Path(__file__).parent / "golden"
PREFIX = MAGIC + bytes([VERSION])


def test_a_label_comes_back(children: tuple[ContentLabel, ...]) -> None:
    tiny = merge_labels("tiny", "http://router.test/", children, LabelBudget(400, 3, 4, 4))

    assert tiny.routing.covers
    for label in (*children, merge_labels("root", "http://router.test/", children), tiny):
        assert decode(encode(label)) == label
        assert encode(decode(encode(label))) == encode(label)


@pytest.mark.parametrize("name", ["leaf", "interior", "tiny"])
def test_labels_written_by_earlier_versions_are_read(name: str) -> None:
    """Golden files: the form cannot change by accident. A new form gets a new version byte and new files."""
    label = decode((GOLDEN / f"{name}.label").read_bytes())

    assert figure5(label) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert decode(encode(label)) == label


@pytest.mark.parametrize("name", ["leaf", "interior", "tiny"])
def test_the_content_of_frames_is_written_as_before(name: str) -> None:
    """Compressed bytes may differ between releases of zstd; what they hold may not."""
    golden = (GOLDEN / f"{name}.label").read_bytes()

    assert frames_of(encode(decode(golden))) == frames_of(golden)


def frames_of(encoded: bytes) -> list[bytes]:
    return [zstd.decompress(frame) for frame in msgspec.msgpack.decode(encoded[len(PREFIX) :])]


def encoded_with(encoded: bytes, frame: int, content: bytes) -> bytes:
    """The label with the content of one frame replaced."""
    frames = msgspec.msgpack.decode(encoded[len(PREFIX) :])
    frames[frame] = zstd.compress(content)
    return PREFIX + msgspec.msgpack.encode(frames)


def mutated(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        place = rng.randrange(len(changed))
        match rng.randrange(4):
            case 0:
                changed[place] = rng.randrange(256)
            case 1:
                changed[place] ^= 1 << rng.randrange(8)
            case 2:
                del changed[place : place + rng.randint(1, 9)]
            case _:
                changed[place:place] = rng.randbytes(rng.randint(1, 9))
        if not changed:
            return b""
    return bytes(changed)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_labels_are_read_or_refused(seed: int, children: tuple[ContentLabel, ...]) -> None:
    """Thousands of damaged labels: MalformedLabel or a label that can be encoded again, never anything else."""
    rng = random.Random(seed)
    label = merge_labels("tiny", "http://router.test/", children, LabelBudget(rng.choice([400, 500, 99_000]), 3, 4, 9))
    encoded = encode(label)
    contents = frames_of(encoded)
    refused = 0
    for round_ in range(500):
        frame = round_ % 5
        damaged = mutated(rng, encoded) if frame == 4 else encoded_with(encoded, frame, mutated(rng, contents[frame]))
        try:
            read = decode(damaged, limit=1_000_000)
        except MalformedLabel:
            refused += 1
        else:
            assert decode(encode(read)) == read
            for stem in ("river", "novel"):
                assert read.routing.largest_parts(stem).shape == (read.routing.cells,)
    assert refused > 100


def test_what_is_read_takes_memory_in_proportion_to_what_was_received(children: tuple[ContentLabel, ...]) -> None:
    encoded = encode(children[0])
    bomb = encoded_with(encoded, 2, bytes(200_000_000))
    claim = msgspec.msgpack.encode([2.2, b"\x01\x01", 32, b"\x01" + bytes(60_000), b"", b"", b"", b"", b"", []])
    for hostile in (bomb, encoded_with(encoded, 2, claim), encoded_with(encoded, 0, b"\xdd\xff\xff\xff\xff")):
        tracemalloc.start()
        with pytest.raises(MalformedLabel):
            decode(hostile)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak < 30_000_000


def test_size_magic_and_version_are_looked_at_first(children: tuple[ContentLabel, ...]) -> None:
    encoded = encode(children[0])
    with pytest.raises(MalformedLabel, match="accepted"):
        decode(encoded, limit=len(encoded) - 1)
    with pytest.raises(MalformedLabel, match="start"):
        decode(b"<html>")
    with pytest.raises(MalformedLabel, match="version"):
        decode(MAGIC + b"\xff" + encoded[5:])
    for end in range(0, len(encoded), 97):
        with pytest.raises(MalformedLabel):
            decode(encoded[:end])


def test_counts_that_do_not_add_up_are_refused(children: tuple[ContentLabel, ...]) -> None:
    encoded = encode(children[0])
    head = msgspec.msgpack.decode(frames_of(encoded)[0])
    for place in (5, 6, 7):
        wrong = [*head[:place], head[place] + 1, *head[place + 1 :]]
        with pytest.raises(MalformedLabel, match="add up"):
            decode(encoded_with(encoded, 0, msgspec.msgpack.encode(wrong)))


@given(st.lists(st.integers(0, (1 << 56) - 1)))
def test_numbers_are_unpacked_as_packed(numbers: list[int]) -> None:
    assert wire_arrays.unpack(wire_arrays.pack(np.array(numbers, np.int64)), "").tolist() == numbers


@given(st.sets(st.integers(0, 5000)))
def test_gaps_give_back_ascending_numbers(numbers: set[int]) -> None:
    ascending = np.array(sorted(numbers), np.int64)

    assert wire_arrays.from_gaps(wire_arrays.gaps(ascending), 5001, "").tolist() == sorted(numbers)


@given(st.lists(st.sets(st.integers(0, 300), min_size=1)))
def test_row_gaps_give_back_rows(rows: list[set[int]]) -> None:
    numbers = np.array([number for row in rows for number in sorted(row)], np.int64)
    start = np.cumsum([0, *(len(row) for row in rows)])

    assert (wire_arrays.from_row_gaps(wire_arrays.row_gaps(numbers, start), start, 301, "") == numbers).all()


def test_hostile_strings_are_carried_harmlessly(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> None:
    pages = site(3, "x.test", 4)
    hostile = '\ud800 "(title: x))" ' + "long " * 2000
    damaged = [*pages[1:], type(pages[0])("http://x.test/\ud801", title=hostile, text=hostile)]
    label = label_of("x\udfff", damaged)

    assert decode(encode(label)) == label
