"""One file of arrays, made to be memory-mapped: how its bytes are laid out, and what can be wrong with them.

8 bytes   magic
4 + 4     format and length of the header, little-endian
16        BLAKE2b of the header
header    JSON: kind, facts, size of the file; name, type, shape, offset and CRC-32 of every array
arrays    each at a multiple of 64 bytes
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from math import prod
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from hypursuit.errors import StoreUnusable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    AnyArray = NDArray[Any]

FORMAT: Final = 1
_MAGIC = b"HyPursAr"
_PRELUDE = struct.Struct("<8sII16s")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_TYPES = frozenset({"|u1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8"})


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    type: str
    shape: tuple[int, ...]
    offset: int
    crc: int

    @property
    def size(self) -> int:
        return prod(self.shape) * int(self.type[2:])


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    facts: dict[str, str]
    size: int
    arrays: tuple[_Entry, ...]


_read_header = msgspec.json.Decoder(_Header).decode


def pack_arrays(kind: str, facts: Mapping[str, str], arrays: Mapping[str, AnyArray]) -> Iterator[bytes | memoryview]:
    """The bytes of a file, piece by piece. ``facts`` are what a reader wants to know before it trusts the arrays."""
    plain = {name: _little_endian(array) for name, array in arrays.items()}
    header = _lay_out(kind, facts, plain)
    yield _PRELUDE.pack(_MAGIC, FORMAT, len(header), _digest(header)) + header
    place = _PRELUDE.size + len(header)
    for array in plain.values():
        yield bytes(-place % _ALIGNMENT)
        yield _bytes_of(array)
        place += -place % _ALIGNMENT + array.nbytes


def _little_endian(array: AnyArray) -> AnyArray:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _bytes_of(array: AnyArray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _lay_out(kind: str, facts: Mapping[str, str], arrays: Mapping[str, AnyArray]) -> bytes:
    """The header. Offsets depend on its length and it on theirs, so room is made until they agree."""
    crc = {name: zlib.crc32(_bytes_of(array)) for name, array in arrays.items()}
    room = 0
    while True:
        place = _PRELUDE.size + room
        entries = []
        for name, array in arrays.items():
            place += -place % _ALIGNMENT
            entries.append(_Entry(name, array.dtype.str, array.shape, place, crc[name]))
            place += array.nbytes
        header = msgspec.json.encode(_Header(kind, dict(facts), place, tuple(entries)))
        if len(header) <= room:
            return header.ljust(room)
        room = len(header) + -len(header) % _ALIGNMENT


def _digest(header: bytes) -> bytes:
    return hashlib.blake2b(header, digest_size=16).digest()


def unpack_arrays(kind: str, content: bytes | memoryview) -> tuple[dict[str, str], dict[str, AnyArray]]:
    """The facts and arrays of a file, as views of its bytes.

    Everything is checked, the arrays by their checksums, so what comes back is what was packed.

    Raises:
        StoreUnusable: not such a file, of another format or kind, cut off or damaged.
    """
    content = memoryview(content).cast("B")
    header = _header(content)
    if header.kind != kind:
        raise StoreUnusable(f"this is a file of {header.kind!r} where one of {kind!r} is expected")
    if header.size != len(content):
        raise StoreUnusable(f"the file has {len(content):,} bytes instead of {header.size:,}: it was cut off")
    _check_layout(header.arrays, len(content))
    return header.facts, {entry.name: _array(entry, content) for entry in header.arrays}


def _header(content: memoryview) -> _Header:
    if len(content) < _PRELUDE.size:
        raise StoreUnusable("the file is too short to be one of HyPursuit")
    magic, version, length, digest = _PRELUDE.unpack_from(content)
    if magic != _MAGIC:
        raise StoreUnusable("the file is not one of HyPursuit")
    if version != FORMAT:
        raise StoreUnusable(f"the file has format {version}; this version reads format {FORMAT}")
    header = bytes(content[_PRELUDE.size : _PRELUDE.size + length]) if length <= _LONGEST_HEADER else b""
    if len(header) != length or _digest(header) != digest:
        raise StoreUnusable("the header of the file is damaged")
    try:
        return _read_header(header)
    except msgspec.MsgspecError as error:
        raise StoreUnusable(f"the header of the file makes no sense: {error}") from error


def _check_layout(entries: Iterable[_Entry], size: int) -> None:
    place = _PRELUDE.size
    for entry in entries:
        sound = entry.type in _TYPES and all(side >= 0 for side in entry.shape) and entry.offset % _ALIGNMENT == 0
        if not (sound and place <= entry.offset <= entry.offset + entry.size <= size):
            raise StoreUnusable(f"the array {entry.name!r} is not where the header says")
        place = entry.offset + entry.size


def _array(entry: _Entry, content: memoryview) -> AnyArray:
    stretch = content[entry.offset : entry.offset + entry.size]
    if zlib.crc32(stretch) != entry.crc:
        raise StoreUnusable(f"the array {entry.name!r} is damaged")
    array: AnyArray = np.frombuffer(stretch, entry.type).reshape(entry.shape)
    return array
