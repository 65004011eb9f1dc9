"""The links between the pages of a collection, packed for the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    SparseMatrix = sparse.sparray | sparse.spmatrix


class LinkGraph(NamedTuple):
    """Links in both directions, each page's targets and sources ascending."""

    link_start: NDArray[np.int64]
    """(n + 1,) where the links of each page begin in ``links``."""
    links: NDArray[np.int32]
    source_start: NDArray[np.int64]
    """(n + 1,) where the pages that link to each page begin in ``sources``."""
    sources: NDArray[np.int32]

    @property
    def pages(self) -> int:
        """How many there are."""
        return self.link_start.size - 1

    def reverse(self) -> LinkGraph:
        """Every link turned round."""
        return LinkGraph(self.source_start, self.sources, self.link_start, self.links)


def read_graph(adjacency: SparseMatrix) -> LinkGraph:
    """Take any sparse matrix: a value that is not zero is a link, self-links are dropped, parallel links kept once.

    Raises:
        BadSetting: it is not sparse, not square, or a value is not a number.
    """
    if not sparse.issparse(adjacency):
        raise BadSetting(f"an adjacency is a scipy sparse matrix, not {type(adjacency).__name__}")
    matrix: Any = adjacency  # the two families of sparse classes have no common type that knows its shape
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise BadSetting(f"an adjacency has a row and a column for each page; this one has the shape {matrix.shape}")
    entries = matrix.tocoo()
    if np.isnan(entries.data).any():
        raise BadSetting("an adjacency value is not a number: neither a link nor none")
    # Parts of one entry are not added up as scipy would: a link stored as +1 and -1 is still a link.
    is_link = (entries.data != 0) & (entries.row != entries.col)
    rows, columns = entries.row[is_link].astype(np.int64), entries.col[is_link].astype(np.int64)
    pages = matrix.shape[0]
    return LinkGraph(*_compress(rows, columns, pages), *_compress(columns, rows, pages))


def _compress(
    rows: NDArray[np.int64], columns: NDArray[np.int64], pages: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where each row begins, and the columns in it: ascending, each once."""
    entries = np.unique(rows * pages + columns)
    start = np.searchsorted(entries, np.arange(pages + 1, dtype=np.int64) * pages)
    return start.astype(np.int64), (entries % max(pages, 1)).astype(np.int32)
