"""How large a label may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from hypursuit.errors import BadSetting

MOST_CLUSTERS = 1000
MOST_CELLS = 1 << 16


@dataclass(frozen=True, slots=True)
class LabelBudget:
    """What a parent accepts. A smaller budget makes bounds looser, never wrong; counts stay exact at any size."""

    bytes: int = 410_000
    """Of the encoded label, everything included. The paper's leaves measured 410 KB [W96 Table 2]."""
    terms: int = 100
    """Heaviest terms shown per sub-cluster. The routing part is not cut by this: it keeps what the bytes allow."""
    clusters: int = 30
    cells: int = 2000
    """Pieces of sub-clusters that have a bound of their own, where the bytes allow; at least one per sub-cluster."""

    def __post_init__(self) -> None:
        if min(self.bytes, self.clusters, self.cells) < 1 or self.terms < 0:
            raise BadSetting(f"a label needs at least 1 byte, 1 sub-cluster and 1 cell, got {self}")
        if self.clusters > MOST_CLUSTERS or self.cells > MOST_CELLS:
            raise BadSetting(f"at most {MOST_CLUSTERS} sub-clusters and {MOST_CELLS} cells, got {self}")

    @classmethod
    def leaf(cls) -> Self:
        """The paper's leaf: 410 KB, 30 sub-clusters."""
        return cls()

    @classmethod
    def interior(cls) -> Self:
        """The paper's level 1: 678 KB, 50 sub-clusters."""
        return cls(bytes=678_000, clusters=50)

    def scaled(self, share: float) -> Self:
        """The same with a share of the bytes."""
        return type(self)(max(int(self.bytes * share), 1), self.terms, self.clusters, self.cells)
