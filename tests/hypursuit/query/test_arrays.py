from __future__ import annotations

import hashlib
import json
import struct

import numpy as np
import pytest

from hypursuit.errors import StoreUnusable
from hypursuit.query.arrays import pack_arrays, unpack_arrays

ARRAYS = {
    "small": np.arange(5, dtype=np.uint8),
    "empty": np.empty((0, 5), np.uint16),
    "wide": np.arange(12, dtype=np.uint16).reshape(4, 3),
    "real": np.array([0.1, -np.inf]),
}
PRELUDE = struct.Struct("<8sII16s")


def packed() -> bytes:
    return b"".join(pack_arrays("test", {"a": "\u00e9"}, ARRAYS))


def with_header(change: dict[str, object] | None = None, entry: dict[str, object] | None = None) -> bytes:
    """The same file with another header, whose checksum is right."""
    content = packed()
    magic, version, length, _ = PRELUDE.unpack_from(content)
    header = json.loads(content[PRELUDE.size : PRELUDE.size + length])
    header |= change or {}
    header["arrays"][2] |= entry or {}
    text = json.dumps(header, separators=(",", ":")).encode().ljust(length)
    assert len(text) == length, "the change does not fit"
    digest = hashlib.blake2b(text, digest_size=16).digest()
    return PRELUDE.pack(magic, version, length, digest) + text + content[PRELUDE.size + length :]


def test_arrays_come_back_as_they_were() -> None:
    facts, arrays = unpack_arrays("test", packed())

    assert facts == {"a": "\u00e9"}
    assert list(arrays) == list(ARRAYS)
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        assert np.array_equal(array, ARRAYS[name])
        assert not array.flags.writeable


def test_arrays_are_aligned_for_any_processor() -> None:
    content = packed()
    length = PRELUDE.unpack_from(content)[2]
    header = json.loads(content[PRELUDE.size : PRELUDE.size + length])

    assert [entry["offset"] % 64 for entry in header["arrays"]] == [0, 0, 0, 0]


def test_byte_order_of_the_maker_does_not_matter() -> None:
    array = np.array([1, 2, 3], ">u4")

    assert unpack_arrays("test", b"".join(pack_arrays("test", {}, {"x": array})))[1]["x"].tolist() == [1, 2, 3]


def test_every_cut_is_noticed() -> None:
    content = packed()
    for length in range(len(content)):
        with pytest.raises(StoreUnusable):
            unpack_arrays("test", content[:length])


def test_every_flipped_bit_outside_the_padding_is_noticed() -> None:
    """Padding holds nothing: there, what comes back is still what was packed."""
    content = packed()
    unnoticed = 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        try:
            _, arrays = unpack_arrays("test", bytes(damaged))
        except StoreUnusable:
            continue
        unnoticed += 1
        assert all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)
    assert unnoticed < 4 * 64


def test_a_file_with_more_behind_it_is_refused() -> None:
    with pytest.raises(StoreUnusable, match="instead of"):
        unpack_arrays("test", packed() + b"x")


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(StoreUnusable, match="'test' where one of 'other' is expected"):
        unpack_arrays("other", packed())
    with pytest.raises(StoreUnusable, match="not one of HyPursuit"):
        unpack_arrays("test", b"SQLite format 3\0" * 100)


def test_another_format_is_refused_and_named() -> None:
    content = bytearray(packed())
    content[8] = 2

    with pytest.raises(StoreUnusable, match="format 2; this version reads format 1"):
        unpack_arrays("test", bytes(content))


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "|O8"},
        {"type": "<M8"},
        {"type": "<u9"},
        {"shape": [-4, 3]},
        {"shape": [4, 99]},
        {"shape": [0, 9]},
        {"offset": -64},
        {"offset": 0},
        {"offset": 321},
        {"offset": 9**9},
        {"crc": 7},
        {"name": 3},
    ],
    ids=str,
)
def test_a_hostile_header_is_refused(entry: dict[str, object]) -> None:
    """Its checksum is right, so somebody made it on purpose."""
    with pytest.raises(StoreUnusable):
        unpack_arrays("test", with_header(entry=entry))


def test_the_hostile_header_would_be_read_without_its_lie() -> None:
    assert unpack_arrays("test", with_header())[0] == {"a": "\u00e9"}


def test_a_header_that_claims_to_be_huge_is_not_believed() -> None:
    with pytest.raises(StoreUnusable, match="header of the file is damaged"):
        unpack_arrays("test", PRELUDE.pack(b"HyPursAr", 1, 0xFFFFFFFF, bytes(16)) + bytes(1000))
