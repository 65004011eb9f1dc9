"""Term similarity of all pairs of pages [W96 eq. 9]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.linalg import blas

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]
    SparseMatrix = sparse.sparray | sparse.spmatrix

_FREQUENT = 0.15
"""Above this share of pages a column is cheaper in a dense product than in an inverted list; both give eq. 9."""


def term_similarity(weights: SparseMatrix, *, out: FloatMatrix | None = None) -> FloatMatrix:
    """S_ij = sum over terms k of w_ik w_jk [W96 eq. 9].

    Needs no (n, n) memory besides the result, and half the products: the other half is its mirror image.

    Args:
        weights: (n_pages, n_terms) sparse, any format; the rows that ``term_weights`` makes have length 1.
        out: where to write, (n_pages, n_pages) C-contiguous float32; what it held is lost.

    Returns:
        (n_pages, n_pages), symmetric to the bit, ``out`` if that was given. The diagonal is the squared length of each
        row: 1 for pages with terms, 0 for those without. Equal to the exact product within float32 rounding.
    """
    from hypursuit.similarity import term_kernels as kernels  # noqa: PLC0415  numba is slow to import

    rows = _canonical(weights)
    similarity = _target(rows.shape[0], out)
    frequent = np.bincount(rows.indices, minlength=rows.shape[1]) > _FREQUENT * rows.shape[0]
    _write_products(rows[:, np.flatnonzero(frequent)].toarray(), similarity)
    rare = rows[:, np.flatnonzero(~frequent)]
    lists = rare.tocsc()
    kernels.add_products(similarity, rare.indptr, rare.indices, rare.data, lists.indptr, lists.indices, lists.data)
    kernels.mirror(similarity)
    return similarity


def _canonical(weights: SparseMatrix) -> sparse.csr_array[np.float32]:
    """Rows of sorted, finite float32 without duplicates; the caller's matrix is left as it is."""
    if not sparse.issparse(weights):
        raise BadSetting(f"term weights are a scipy sparse matrix (pages, terms), not {type(weights).__name__}")
    rows = _as_float32(weights)
    if rows.ndim != 2:
        raise BadSetting(f"term weights of shape {rows.shape} are no matrix: give one row per page")
    if not np.isfinite(rows.data).all():
        raise BadSetting("a term weight is NaN or infinite: see that no row was divided by a length of 0")
    return rows


def _as_float32(weights: Any) -> sparse.csr_array[np.float32]:
    rows = sparse.csr_array(weights, dtype=np.float32)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _target(pages: int, out: FloatMatrix | None) -> FloatMatrix:
    if out is None:
        return np.empty((pages, pages), dtype=np.float32)
    if out.shape != (pages, pages) or out.dtype != np.float32 or not (out.flags.c_contiguous and out.flags.writeable):
        raise BadSetting(f"out must be a writable C-contiguous float32 array of shape ({pages}, {pages})")
    return out


def _write_products(dense: FloatMatrix, similarity: FloatMatrix) -> None:
    """Overwrite similarity[i, j], j >= i, with the product of rows i and j."""
    if dense.size == 0:
        similarity.fill(0)
        return
    # BLAS counts by columns: transposed views hand it both arrays without a copy, and turn above into below.
    blas.ssyrk(1.0, dense.T, c=similarity.T, trans=1, lower=1, overwrite_c=1)
