"""The whole history of a clustering, so that 5, 30 or 100 clusters can be looked at without clustering again."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from hypursuit.errors import BadSetting, NothingToCluster, StoreUnusable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER = struct.Struct("<4sII")
"""Magic, version, checksum of all that follows: the page count, the merges, the similarities."""
_COUNT = struct.Struct("<Q")
_MAGIC = b"HyCT"
_VERSION = 1
_BYTES_PER_MERGE = 2 * 4 + 8


class _Layout(NamedTuple):
    """What every question about a tree is answered from, indexed by cluster.

    ``order`` lists the pages so that every cluster is one run of it: pages ``order[start : start + size]``.
    """

    parent: NDArray[np.intp]
    """The root's parent is one past the last cluster."""
    size: NDArray[np.intp]
    smallest_page: NDArray[np.intp]
    start: NDArray[np.intp]
    order: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """Every merge of a clustering, best first.

    Page i is cluster i; merge m joins the clusters ``merges[m]`` into cluster ``pages + m``. The first ``pages - k``
    merges make k clusters. Both arrays are copied and read-only; what is not a tree is refused with BadSetting.
    """

    pages: int
    merges: NDArray[np.intp]
    """(pages - 1, 2); each pair leads with the cluster that holds the smaller page."""
    similarities: NDArray[np.float64]
    """(pages - 1,), never rising: of the least similar pair of pages that the merge brings together."""

    def __post_init__(self) -> None:
        for name, kind in (("merges", np.intp), ("similarities", np.float64)):
            kept = np.array(getattr(self, name), dtype=kind) + kind(0)  # no -0.0: equal trees have equal bytes
            kept.setflags(write=False)
            object.__setattr__(self, name, kept)
        fault = _fault(self.pages, self.merges, self.similarities)
        if fault:
            raise BadSetting(f"not a cluster tree: {fault}; take trees from merge_tree() or ClusterTree.from_bytes()")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterTree):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    @property
    def root(self) -> int:
        """The cluster of all pages; NothingToCluster if there are none."""
        if self.pages == 0:
            raise NothingToCluster("the tree has no pages, hence no root; cluster at least one page")
        return 2 * self.pages - 2

    def cut(self, k: int) -> NDArray[np.intp]:
        """Membership of every page when k clusters are left; cluster 0 holds page 0, and so on by smallest page.

        More clusters than pages cannot be: k is then the number of pages.
        """
        ids = self._ids(k)
        layout = self._layout
        by_start = np.argsort(layout.start[ids])
        membership = np.empty(self.pages, dtype=np.intp)
        membership[layout.order] = np.repeat(by_start, layout.size[ids[by_start]])
        return membership

    def clusters(self, k: int) -> tuple[int, ...]:
        """The k clusters of ``cut(k)``, in the order of its numbers."""
        return tuple(self._ids(k).tolist())

    def children(self, cluster: int) -> tuple[int, ...]:
        """The two clusters it was merged from, the one with the smaller page first; none for a page."""
        merge = self._known(cluster) - self.pages
        return tuple(self.merges[merge].tolist()) if merge >= 0 else ()

    def parent(self, cluster: int) -> int | None:
        """The cluster it was merged into; None for the root."""
        return None if self._known(cluster) == self.root else int(self._layout.parent[cluster])

    def members(self, cluster: int) -> NDArray[np.intp]:
        """Its pages, ascending."""
        start = self._layout.start[self._known(cluster)]
        return np.sort(self._layout.order[start : start + self._layout.size[cluster]])

    def size(self, cluster: int) -> int:
        """The number of its pages."""
        return int(self._layout.size[self._known(cluster)])

    def similarity(self, cluster: int) -> float:
        """Of its least similar pair of pages; 1 for a single page, which is wholly like itself."""
        merge = self._known(cluster) - self.pages
        return float(self.similarities[merge]) if merge >= 0 else 1.0

    def to_bytes(self) -> bytes:
        """The same bytes for equal trees, on every machine."""
        arrays = self.merges.astype("<u4").tobytes() + self.similarities.astype("<f8").tobytes()
        body = _COUNT.pack(self.pages) + arrays
        return _HEADER.pack(_MAGIC, _VERSION, zlib.crc32(body)) + body

    @classmethod
    def from_bytes(cls, stored: bytes | bytearray | memoryview) -> Self:
        """The tree that ``to_bytes`` wrote; StoreUnusable if a byte is missing, added or changed."""
        pages, arrays = _unpack(stored)
        count = max(pages - 1, 0)
        merges = np.frombuffer(arrays, dtype="<u4", count=2 * count).reshape(count, 2)
        similarities = np.frombuffer(arrays, dtype="<f8", offset=merges.nbytes)
        try:
            return cls(pages, merges.astype(np.intp), similarities.astype(np.float64))
        except BadSetting as error:
            raise _unusable(str(error)) from error

    def _ids(self, k: int) -> NDArray[np.intp]:
        if k < 1:
            raise BadSetting(f"cannot cut a tree into {k} clusters: ask for at least 1")
        known = 2 * self.pages - min(k, self.pages)
        ids = np.flatnonzero(self._layout.parent[:known] >= known)
        return ids[np.argsort(self._layout.smallest_page[ids])]

    def _known(self, cluster: int) -> int:
        if not 0 <= cluster < 2 * self.pages - 1:
            raise BadSetting(f"there is no cluster {cluster}: this tree's run from 0 to {2 * self.pages - 2}")
        return cluster

    @cached_property
    def _layout(self) -> _Layout:
        pages, pairs = self.pages, self.merges.tolist()
        total = max(2 * pages - 1, 0)
        parent = np.full(total, total, dtype=np.intp)
        parent[self.merges] = np.arange(pages, total)[:, None]
        size = [1] * pages
        smallest = list(range(pages))
        for left, right in pairs:
            size.append(size[left] + size[right])
            smallest.append(min(smallest[left], smallest[right]))
        # Children come before their parents, so walking back hands every cluster its run before it is split.
        start = [0] * total
        for cluster, (left, right) in zip(range(total - 1, pages - 1, -1), reversed(pairs), strict=True):
            start[left] = start[cluster]
            start[right] = start[cluster] + size[left]
        order = np.empty(pages, dtype=np.intp)
        order[start[:pages]] = np.arange(pages)
        return _Layout(parent, np.array(size, np.intp), np.array(smallest, np.intp), np.array(start, np.intp), order)


def _fault(pages: int, merges: NDArray[Any], similarities: NDArray[Any]) -> str:
    """What keeps the arrays from being a tree, or nothing."""
    count = max(pages - 1, 0)
    if pages < 0 or merges.size != 2 * count or similarities.shape != (count,):
        return f"{pages} pages need ({count}, 2) merges and ({count},) similarities"
    if count == 0:
        return ""
    if merges.shape != (count, 2) or merges.min() < 0 or (merges >= pages + np.arange(count)[:, None]).any():
        return "a merge names a cluster that does not exist yet"
    if np.bincount(merges.ravel(), minlength=2 * count).max() > 1:
        return "a cluster is merged twice"
    if not np.isfinite(similarities).all() or (np.diff(similarities) > 0).any():
        return "similarities are not finite or rise from one merge to the next"
    return ""


def _unpack(stored: bytes | bytearray | memoryview) -> tuple[int, bytes]:
    """Page count and arrays of a stored tree whose frame and checksum are right."""
    if len(stored) < _HEADER.size + _COUNT.size:
        raise _unusable(f"{len(stored)} bytes are too few")
    magic, version, checksum = _HEADER.unpack_from(stored)
    if magic != _MAGIC or version != _VERSION:
        raise _unusable(f"it is not a tree of version {_VERSION}")
    body = bytes(stored[_HEADER.size :])
    if zlib.crc32(body) != checksum:
        raise _unusable("its checksum is wrong")
    (pages,) = _COUNT.unpack_from(body)
    if len(body) - _COUNT.size != max(pages - 1, 0) * _BYTES_PER_MERGE:
        raise _unusable(f"{len(body)} bytes do not hold the merges of {pages} pages")
    return pages, body[_COUNT.size :]


def _unusable(reason: str) -> StoreUnusable:
    return StoreUnusable(f"the stored cluster tree is damaged or of another version ({reason}): cluster again")
