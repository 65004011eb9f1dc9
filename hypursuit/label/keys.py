"""Stems as numbers that are the same in every process and on every machine, and compact sets of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

KEY_BITS = 32


@lru_cache(maxsize=1 << 16)
def stem_key(stem: str) -> int:
    """32 bits of a stem. Two stems may share a key; a label then holds the larger of both, so bounds still hold."""
    return int.from_bytes(blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def stem_keys(stems: Iterable[str]) -> NDArray[np.uint32]:
    """The keys of many stems, in their order."""
    return np.fromiter((stem_key.__wrapped__(stem) for stem in stems), np.uint32)


def shortened(keys: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """Keys without their last bits."""
    # Shifting 32 bits by 32 is undefined in C, hence in numpy.
    return keys >> np.uint32(bits) if bits < KEY_BITS else np.zeros_like(keys)


@dataclass(frozen=True, eq=False, slots=True)
class KeySet:
    """A set of keys, each known by its first ``bits`` bits: may say yes wrongly, never no wrongly.

    Fewer bits are less to carry; with none, everything is in every set that is not empty.
    """

    bits: int
    prefixes: NDArray[np.uint32]
    """Ascending, distinct."""

    @classmethod
    def empty(cls) -> KeySet:
        """Holds nothing, for certain."""
        return cls(KEY_BITS, np.empty(0, np.uint32))

    @classmethod
    def of(cls, prefixes: NDArray[np.uint32], bits: int) -> KeySet:
        """The set of some keys that are known by so many bits."""
        return cls(bits, np.unique(prefixes))

    def __len__(self) -> int:
        return len(self.prefixes)

    def __contains__(self, key: int) -> bool:
        prefix = key >> (KEY_BITS - self.bits)  # of all 32 bits
        place = int(np.searchsorted(self.prefixes, np.uint32(prefix)))
        return place < len(self.prefixes) and int(self.prefixes[place]) == prefix

    def coarse(self, bits: int) -> KeySet:
        """The same set by fewer bits."""
        if bits >= self.bits or not len(self):
            return self
        return KeySet(bits, np.unique(shortened(self.prefixes, self.bits - bits)))

    def union(self, other: KeySet) -> KeySet:
        """Both, by the bits that both have; an empty set costs no bits."""
        if not len(self) or not len(other):
            return self if len(self) else other
        bits = min(self.bits, other.bits)
        both = np.concatenate((self.coarse(bits).prefixes, other.coarse(bits).prefixes))
        return KeySet(bits, np.unique(both))

    def same(self, other: KeySet) -> bool:
        """Whether both hold the same, known by the same bits."""
        return self.bits == other.bits and np.array_equal(self.prefixes, other.prefixes)
