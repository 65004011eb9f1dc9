"""Content in a few hundred bytes: a digest for equality, a min-hash sketch for likeness.

Both are computed while crawling, so the text need not be read again to find aliases. The sketch is one-permutation
min-hash over runs of four words: two pages agree in a position with the probability that a run of either is in both.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.crawl.page import Page

POSITIONS: Final = 128
SHINGLE_WORDS: Final = 4
SKETCH_BYTES: Final = 4 * (2 + POSITIONS)
FEW_WORDS: Final = 10
"""Below this many words a page is told apart by its links as well: frame sets and redirect stubs all read alike."""

_BIN_BITS: Final = 7
_BLOCK_BYTES: Final = 65_536
_BASE: Final = 0x9E3779B97F4A7C15
_SPACE: Final = ord(" ")
# Lines end where words end; punctuation is left out, so that typography does not tell copies apart.
_LETTERS: Final = bytes.maketrans(b"\n\t", b"  ")
_PUNCTUATION: Final = bytes(code for code in range(33, 127) if not chr(code).isalnum())


def content_key(page: Page) -> bytes:
    """Sixteen bytes that are equal if and, practically, only if title and text are, letter case aside."""
    digest = blake2b(f"{page.title}\0{page.text}".casefold().encode("utf-8", "replace"), digest_size=16)
    if page.text.count(" ") + page.text.count("\n") < FEW_WORDS:
        for link in page.links:
            digest.update(f"\0{link.target}".encode())
    return digest.digest()


def content_sketch(page: Page) -> bytes:
    """``SKETCH_BYTES`` bytes from which :func:`resemblance` estimates how much of two pages' texts is the same.

    The title goes in as a digest only: pages with different titles are never near-duplicates.
    """
    title = blake2b(page.title.casefold().encode("utf-8", "replace"), digest_size=4).digest()
    hashes = _shingle_hashes(page.text)
    count = np.uint32(len(hashes)).tobytes()
    return b"".join((count, title, _minima(hashes).astype("<u4").tobytes()))


class Sketches(NamedTuple):
    """Many sketches, one row each."""

    counts: NDArray[np.uint32]
    """(n,) number of shingles."""
    titles: NDArray[np.uint32]
    """(n,) digest of the title."""
    minima: NDArray[np.uint32]
    """(n, POSITIONS)."""


def read_sketches(sketches: list[bytes]) -> Sketches:
    """Unpack what :func:`content_sketch` made."""
    rows = np.frombuffer(b"".join(sketches), dtype="<u4").reshape(len(sketches), 2 + POSITIONS)
    return Sketches(rows[:, 0], rows[:, 1], rows[:, 2:])


def resemblance(one: bytes, other: bytes) -> float:
    """Estimated share of common shingles in [0, 1]; standard error at most 0.045. Nothing resembles an empty page."""
    sketches = read_sketches([one, other])
    if not sketches.counts.all():
        return 0.0
    return float(np.mean(sketches.minima[0] == sketches.minima[1]))


def _shingle_hashes(text: str) -> NDArray[np.uint64]:
    """One 64-bit hash for each run of SHINGLE_WORDS words (for the whole text if it has fewer); repeats included."""
    letters = text.lower().encode("utf-8", "replace").translate(_LETTERS, _PUNCTUATION).strip()
    if not letters:
        return np.zeros(0, dtype=np.uint64)
    blocks = range(0, len(letters), _BLOCK_BYTES)
    return np.concatenate([_block_hashes(letters[start : start + _BLOCK_BYTES]) for start in blocks])


def _block_hashes(letters: bytes) -> NDArray[np.uint64]:
    """Polynomial hashes mod 2**64 of all shingles at once, as differences of one running sum."""
    powers, inverses = _powers()
    codes = np.frombuffer(letters + b" ", dtype=np.uint8)
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * powers[: len(codes)], out=sums[1:])
    ends = np.flatnonzero(codes == _SPACE) + 1
    starts = np.concatenate((np.zeros(1, dtype=ends.dtype), ends[:-1]))
    span = min(SHINGLE_WORDS, len(starts)) - 1
    starts, ends = starts[: len(starts) - span], ends[span:]
    return _mixed((sums[ends] - sums[starts]) * inverses[starts])


def _minima(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(POSITIONS,) smallest hash of each bin, the bin being the leading bits; empty bins borrow from others."""
    if not len(hashes):
        return np.zeros(POSITIONS, dtype=np.uint64)
    ordered = np.sort(hashes)
    bins = np.arange(POSITIONS, dtype=np.uint64)
    first = np.minimum(np.searchsorted(ordered, bins << np.uint64(64 - _BIN_BITS)), len(ordered) - 1)
    smallest = ordered[first]
    filled = smallest >> np.uint64(64 - _BIN_BITS) == bins
    if not filled.all():
        probes = _probes()
        smallest = smallest[probes[np.arange(POSITIONS), filled[probes].argmax(axis=1)]]
    return (smallest >> np.uint64(64 - _BIN_BITS - 32)) & np.uint64(0xFFFFFFFF)


@lru_cache(maxsize=1)
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Powers of the base and of its inverse mod 2**64, one for each byte of a block."""
    inverse = pow(_BASE, -1, 1 << 64)
    powers, inverses = (
        np.cumprod(np.full(_BLOCK_BYTES + 1, base, dtype=np.uint64), dtype=np.uint64) for base in (_BASE, inverse)
    )
    return powers, inverses


@lru_cache(maxsize=1)
def _probes() -> NDArray[np.intp]:
    """(POSITIONS, POSITIONS): the order in which a bin asks the bins, itself first, the same on every machine."""
    grid = _mixed(np.arange(POSITIONS * POSITIONS, dtype=np.uint64)).reshape(POSITIONS, POSITIONS)
    np.fill_diagonal(grid, 0)
    return np.argsort(grid, axis=1, kind="stable")


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every input bit over all output bits (a bijection)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
