"""The compact form of a label: versioned, checked on receipt in time and memory bounded by its size.

``HyCL``, a version byte, then a MessagePack array of four zstd frames: head, refinement, routing, browsing. The frames
are apart so that each abstraction function can be given a share of the bytes and can measure what it takes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, TypeVar

import msgspec
import numpy as np
from backports import zstd
from msgspec import Meta, Struct

from hypursuit.errors import MalformedLabel
from hypursuit.label import wire_arrays as arrays
from hypursuit.label.budget import MOST_CELLS
from hypursuit.label.content import ContentLabel
from hypursuit.label.keys import KEY_BITS, KeySet
from hypursuit.label.parts import Browsing, Count, Head, Refinement
from hypursuit.label.routing import ANY_ATTRIBUTE, BANDS, Cover, RoutingPart, cell_type

MAGIC = b"HyCL"
VERSION = 1
DEFAULT_LIMIT = 4_000_000
"""Largest label accepted when nothing else is said."""
FRAMING = len(MAGIC) + 1 + 1 + 4 * 5
"""Bytes around the four frames at most."""
_COMPRESSION = 6
_INFLATION = 24
"""How many times its size a frame may grow to; real labels grow 2 to 5 times, a small one more, hence the floor."""
_FLOOR = 1 << 16

Bits = Annotated[int, Meta(ge=0, le=KEY_BITS)]
T = TypeVar("T")


class _Cover(Struct, array_like=True, frozen=True):
    bits: Bits
    stems: bytes
    frequency: Count
    level: bytes
    mask: Annotated[int, Meta(ge=1, le=ANY_ATTRIBUTE)]


class _Routing(Struct, array_like=True, frozen=True):
    """Arrays as :mod:`hypursuit.label.wire_arrays` packs them."""

    highest: Annotated[float, Meta(gt=0, lt=1e6)]
    cells: bytes
    """How many cells each sub-cluster has."""
    key_bits: Bits
    keys: bytes
    frequency: bytes
    counts: bytes
    """Entries of each row."""
    cell: bytes
    level: bytes
    mask: bytes
    covers: Annotated[tuple[_Cover, ...], Meta(max_length=BANDS)]


def encode(label: ContentLabel) -> bytes:
    """The label in bytes; equal labels give equal bytes."""
    counts = label.leaves, label.pages, label.bytes, label.n_terms
    head = Head(label.name, label.url, label.version, label.hosts, *counts)
    frames = [frame(head), frame(label.refinement), routing_frame(label.routing), frame(label.browsing)]
    return MAGIC + bytes([VERSION]) + msgspec.msgpack.encode(frames)


def decode(received: bytes, limit: int = DEFAULT_LIMIT) -> ContentLabel:
    """The label that was encoded; MalformedLabel for anything else, also if larger than the limit."""
    if len(received) > limit:
        raise MalformedLabel(f"{len(received)} bytes are more than the {limit} that are accepted")
    if received[: len(MAGIC)] != MAGIC:
        raise MalformedLabel(f"it does not start with {MAGIC.decode()}")
    if received[len(MAGIC) : len(MAGIC) + 1] != bytes([VERSION]):
        raise MalformedLabel(f"its version is not {VERSION}")
    frames = _read(received[len(MAGIC) + 1 :], tuple[bytes, bytes, bytes, bytes], "frames")
    head = _unframe(frames[0], Head, "head")
    refinement = _unframe(frames[1], Refinement, "refinement")
    routing = _routing(_unframe(frames[2], _Routing, "routing"))
    browsing = _unframe(frames[3], Browsing, "browsing")
    _check(head, refinement, routing, browsing)
    return assembled(head, refinement, routing, browsing)


def frame(part: Struct) -> bytes:
    """A part as it stands in an encoded label."""
    return zstd.compress(msgspec.msgpack.encode(part), _COMPRESSION)


def assembled(head: Head, refinement: Refinement, routing: RoutingPart, browsing: Browsing) -> ContentLabel:
    """A label of its parts."""
    counts = head.leaves, head.pages, head.bytes, head.n_terms
    return ContentLabel(head.name, head.url, head.version, head.hosts, *counts, refinement, routing, browsing)


def routing_frame(part: RoutingPart) -> bytes:
    """A routing part as it stands in an encoded label."""
    covers = tuple(
        _Cover(c.stems.bits, arrays.pack(arrays.gaps(c.stems.prefixes)), c.frequency, c.level.tobytes(), c.mask)
        for c in part.covers
    )
    return frame(
        _Routing(
            part.highest,
            arrays.pack(np.bincount(part.cell_cluster, minlength=part.clusters)),
            part.key_bits,
            arrays.pack(arrays.gaps(part.keys)),
            arrays.pack(part.frequency),
            arrays.pack(np.diff(part.start) - 1),
            arrays.pack(arrays.row_gaps(part.cell, part.start)),
            part.level.tobytes(),
            part.mask.tobytes(),
            covers,
        )
    )


def _read(packed: bytes, kind: type[T], what: str) -> T:
    try:
        return msgspec.msgpack.decode(packed, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedLabel(f"{what}: {error}") from error


def _unframe(compressed: bytes, kind: type[T], what: str) -> T:
    """A frame's content; refused before it is inflated beyond what a label of its size can hold."""
    most = max(_INFLATION * len(compressed), _FLOOR)
    decompressor = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 25})
    try:
        inflated = decompressor.decompress(compressed, max_length=most + 1)
    except zstd.ZstdError as error:
        raise MalformedLabel(f"{what}: {error}") from error
    if len(inflated) > most or not decompressor.eof or decompressor.unused_data:
        raise MalformedLabel(f"{what}: not one zstd frame of at most {most} bytes")
    return _read(inflated, kind, what)


def _routing(wire: _Routing) -> RoutingPart:
    cells_of = arrays.unpack(wire.cells, "cells")
    if len(cells_of) and (int(cells_of.min()) < 1 or int(cells_of.max()) > MOST_CELLS):
        raise MalformedLabel("cells: a sub-cluster without cells, or with too many")
    cells = int(cells_of.sum())
    if cells > MOST_CELLS:
        raise MalformedLabel(f"cells: {cells} are more than {MOST_CELLS}")
    keys = arrays.from_gaps(arrays.unpack(wire.keys, "keys"), 1 << wire.key_bits, "keys")
    frequency = arrays.unpack(wire.frequency, "frequency")
    counts = arrays.unpack(wire.counts, "counts") + 1
    level, mask = np.frombuffer(wire.level, np.uint8), np.frombuffer(wire.mask, np.uint8)
    distances = arrays.unpack(wire.cell, "entries")
    if not len(keys) == len(frequency) == len(counts):
        raise MalformedLabel("routing: keys, frequencies and counts differ in number")
    if (len(counts) and int(counts.max()) > cells) or not int(counts.sum()) == len(distances) == len(level) == len(
        mask
    ):
        raise MalformedLabel("routing: entries do not add up")
    if len(level) and (int(level.min()) < 1 or int(mask.min()) < 1 or int(mask.max()) > ANY_ATTRIBUTE):
        raise MalformedLabel("routing: an entry without level or attribute")
    start = np.concatenate(([0], np.cumsum(counts)))
    return RoutingPart(
        wire.highest,
        len(cells_of),
        np.repeat(np.arange(len(cells_of)), cells_of),
        wire.key_bits,
        keys.astype(np.uint32),
        frequency,
        start,
        arrays.from_row_gaps(distances, start, cells, "entries").astype(cell_type(cells)),
        level,
        mask,
        _covers(wire.covers, cells),
    )


def _covers(received: tuple[_Cover, ...], cells: int) -> tuple[Cover, ...]:
    covers = []
    for wire in received:
        prefixes = arrays.from_gaps(arrays.unpack(wire.stems, "cover"), 1 << wire.bits, "cover")
        level = np.frombuffer(wire.level, np.uint8)
        if len(level) != cells or not len(prefixes) or not level.any():
            raise MalformedLabel(f"cover: {len(prefixes)} stems with {len(level)} levels for {cells} cells")
        covers.append(Cover(KeySet(wire.bits, prefixes.astype(np.uint32)), wire.frequency, level, wire.mask))
    if any(one.band >= other.band for one, other in pairwise(covers)):
        raise MalformedLabel("covers: not one per band in ascending order")
    return tuple(covers)


def _check(head: Head, refinement: Refinement, routing: RoutingPart, browsing: Browsing) -> None:
    clusters = refinement.clusters
    for name in ("pages", "bytes", "n_terms"):
        if sum(getattr(cluster, name) for cluster in clusters) != getattr(head, name):
            raise MalformedLabel(f"{name}: the sub-clusters do not add up to {getattr(head, name)}")
    if routing.clusters != len(clusters) or len(browsing.clusters) > len(clusters):
        raise MalformedLabel("the parts speak of different sub-clusters")
    numbers = [number for link in refinement.links for number in (link.source, link.target)]
    numbers += [link.source for link in refinement.outward]
    if any(number >= len(clusters) for number in numbers):
        raise MalformedLabel("links: of a sub-cluster that is not there")
    estimates = [cover.frequency for cover in routing.covers]
    if max(int(routing.frequency.max(initial=0)), *estimates, 0) > head.pages:
        raise MalformedLabel("frequency: a stem on more pages than there are")
