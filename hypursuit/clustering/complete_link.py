"""Complete link [W96 "Similarity-Based Clustering"]: merge the two clusters whose least similar pages are most similar.

**Ties.** Of equally similar pairs of clusters the one with fewer pages in all is merged first; of those, the pair that
holds the earliest page, then the one whose other cluster begins earliest (a cluster begins with its smallest page).
The rule holds at similarity 0 as well, where it makes many small clusters instead of one heap, and where pages are
numbered as they were crawled it puts neighbours together.

The rule also keeps the fast way exact. Ordered by (similarity, fewer pages, earlier pages) no two pairs of clusters are
equal, and the union of two clusters is never closer to a third than the closer of the two was. So clusters that are
each other's nearest stay so until they are merged, a chain of nearest neighbours may merge them at once, and sorting
the merges by the same key gives back the greedy order. Chains take O(n^2) time and no memory beside the matrix.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hypursuit.clustering.tree import ClusterTree
from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Products of matrices differ across the diagonal in their last bits; anything above is another kind of matrix.
_ROUNDING = 1e-4


def complete_link(similarity: ArrayLike, max_clusters: int) -> NDArray[np.intp]:
    """Cluster pages until ``max_clusters`` are left.

    Args:
        similarity: (n_pages, n_pages), symmetric, left as it is; the diagonal is not read.
        max_clusters: the paper takes 30 at a leaf, 50 above; with fewer pages every page is a cluster.

    Returns:
        (n_pages,) membership 0..k-1; cluster 0 holds page 0, and so on by smallest page. Equal input gives equal
        output: see the module about ties.
    """
    if max_clusters < 1:
        raise BadSetting(f"max_clusters is {max_clusters}: ask for at least 1 cluster")
    return merge_tree(similarity).cut(max_clusters)


def merge_tree(similarity: ArrayLike, *, overwrite: bool = False) -> ClusterTree:
    """The whole merge history of complete link.

    Args:
        similarity: (n_pages, n_pages), finite and symmetric; the diagonal is not read. Of a_ij and a_ji that
            differ by rounding the smaller counts. float32 is worked on as such, wider numbers as float64.
        overwrite: allow the matrix to be used up, which saves a copy of it if it is a writable, contiguous
            float32 or float64 array. Nothing in it means anything afterwards.
    """
    from hypursuit.clustering import complete_link_kernels as kernels  # noqa: PLC0415  numba is slow to import

    matrix = _workspace(similarity, overwrite=overwrite)
    np.fill_diagonal(matrix, 0)
    lowest, highest = _extremes(matrix)
    gap = kernels.asymmetry(matrix)
    _check_gap(gap, max(highest, -lowest))
    if gap > 0:
        kernels.symmetrise(matrix)
    log = _MergeLog(len(matrix), matrix.dtype)
    kernels.chain_merges(matrix.reshape(-1), log.pages, *log.columns)
    return log.tree()


def sparse_merge_tree(similarity: sparse.sparray | sparse.spmatrix, *, overwrite: bool = False) -> ClusterTree:
    """The tree that ``merge_tree`` gives for the same matrix, in memory proportional to the stored entries.

    Args:
        similarity: sparse (n_pages, n_pages), symmetric, finite, not negative; what is not stored is 0. The diagonal
            is not read.
        overwrite: allow the entries of a float32 or float64 csr matrix to be used up instead of copied.
    """
    from hypursuit.clustering import sparse_complete_link_kernels as kernels  # noqa: PLC0415  numba is slow to import

    if not sparse.issparse(similarity):
        raise BadSetting("the similarity is not sparse: give it to merge_tree(), or make it a csr_array")
    entries = _sparse_workspace(similarity, overwrite=overwrite)
    begin, column, value = entries.indptr.astype(np.int64), entries.indices, entries.data
    lowest, highest = _extremes(value)
    if lowest < 0:
        raise BadSetting("a sparse similarity is negative, yet what is not stored counts as 0: raise all or drop those")
    _check_gap(kernels.symmetrise(begin, column, value), highest)
    log = _MergeLog(entries.shape[0], value.dtype)
    kernels.chain_merges(begin, column, value, *log.columns)
    return log.tree()


class _MergeLog:
    """Merges as the kernels find them: each by the smallest pages of its two clusters, its size, its similarity."""

    def __init__(self, pages: int, dtype: np.dtype[Any]) -> None:
        count = max(pages - 1, 0)
        self.pages = pages
        self.first, self.second, self.size = (np.empty(count, dtype=np.intp) for _ in range(3))
        self.similarity = np.empty(count, dtype=dtype)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """In the order that the kernels fill them."""
        return self.first, self.second, self.size, self.similarity

    def tree(self) -> ClusterTree:
        """The merges in greedy order, named by cluster."""
        order = np.lexsort((self.second, self.first, self.size, -self.similarity))
        merges = np.empty((len(order), 2), dtype=np.intp)
        # A union begins with the first page of its left part, so that page's entry is always the current cluster.
        cluster = list(range(self.pages))
        pairs = zip(self.first[order].tolist(), self.second[order].tolist(), strict=True)
        for merge, (left, right) in enumerate(pairs):
            merges[merge] = cluster[left], cluster[right]
            cluster[left] = self.pages + merge
        return ClusterTree(self.pages, merges, self.similarity[order])


def _workspace(similarity: ArrayLike, *, overwrite: bool) -> NDArray[Any]:
    """A square C-contiguous float matrix to use up: the caller's if that is allowed and possible."""
    if sparse.issparse(similarity):
        raise BadSetting("the similarity is sparse: give it to sparse_merge_tree(), or .toarray() it")
    given = np.asarray(similarity)
    if given.flags.f_contiguous:
        given = given.T  # the same matrix, as it is symmetric
    dtype = _working_type(given.dtype, given.shape)
    return np.ascontiguousarray(_owned(given, dtype, overwrite=overwrite))


def _sparse_workspace(similarity: Any, *, overwrite: bool) -> sparse.csr_array[Any]:
    """Sorted rows without duplicates and stored zeros, to use up: the caller's if that is allowed and possible."""
    dtype = _working_type(similarity.dtype, similarity.shape)
    given = sparse.csr_array(similarity)
    index = np.dtype(np.int32 if given.nnz <= np.iinfo(np.int32).max else np.int64)
    value = _owned(given.data, dtype, overwrite=overwrite)
    column = _owned(given.indices, index, overwrite=overwrite)
    entries: sparse.csr_array[Any] = sparse.csr_array((value, column, given.indptr.astype(index)), given.shape)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return entries


def _owned(array: NDArray[Any], dtype: np.dtype[Any], *, overwrite: bool) -> NDArray[Any]:
    """The array itself if it may and can be used up, else a copy."""
    return array.astype(dtype, copy=not (overwrite and array.flags.writeable))


def _working_type(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.dtype[Any]:
    """float32 for whatever float32 holds exactly, else float64."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise BadSetting(f"a similarity of shape {shape} is not square: give one row and one column per page")
    if dtype.kind not in "fiub":
        raise BadSetting(f"similarities of type {dtype} cannot be compared: give real numbers")
    return np.dtype(np.float32 if np.result_type(dtype, np.float32) == np.float32 else np.float64)


def _extremes(values: NDArray[Any]) -> tuple[float, float]:
    """The lowest and the highest of the values and 0; BadSetting unless all are finite."""
    lowest, highest = float(values.min(initial=0)), float(values.max(initial=0))
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        raise BadSetting("a similarity is NaN or infinite: replace it, with 0 for pages that have nothing in common")
    return lowest, highest


def _check_gap(gap: float, largest: float) -> None:
    """Refuse an asymmetric matrix; a negative gap stands for an entry without its mirror image."""
    if gap > _ROUNDING * largest or gap < 0:
        shown = f"differ by up to {gap:.3g}" if gap > 0 else "are not both stored"
        raise BadSetting(f"similarity[i, j] and similarity[j, i] {shown}: make it symmetric, e.g. (s + s.T) / 2")
