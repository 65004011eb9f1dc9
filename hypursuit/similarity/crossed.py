"""Two similarities read through each other's nearest neighbours.

A page's words alone are noisy, and so are its links: a page with three links looks like no other, a page of ten words
like every other. But a page's neighbours by words and its neighbours by links are mostly about the same thing. So two
pages count as alike by links as far as *their neighbours by words* are alike by links, and the other way round. What
both signals support is strengthened, what only one of them happens to say is averaged away.

This is the diffusion step of similarity network fusion (Wang et al., Nature Methods 11, 2014), applied to terms and
links.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]

MOST_NEIGHBOURS = 50
"""Work is n² · neighbours; more than this many changed no result on sites of up to 2,000 pages."""

_AS_SAID = np.float32(0.5)
"""Weight of the words as they are beside the two crossed similarities, which weigh 1 each."""


def crossed_similarity(term: FloatMatrix, link: FloatMatrix, *, neighbours: int = 0, rounds: int = 2) -> FloatMatrix:
    """Term and link similarity, each read through the neighbours that the other gives, added to the terms themselves.

    Args:
        term: (n, n), not negative, symmetric; the diagonal is not read.
        link: the same for links.
        neighbours: how many nearest neighbours speak for a page; 0 takes 2·√n, but not over an eighth of all pages,
            of which clusters would be smaller, nor over MOST_NEIGHBOURS.
        rounds: how often the results are read through each other again.

    Returns:
        (n, n), symmetric, not negative, zero diagonal; comparable within the matrix only.
    """
    pages = len(term)
    wanted = neighbours or max(2, min(math.ceil(2 * math.sqrt(pages)), pages // 8, MOST_NEIGHBOURS))
    by_term, by_link = nearest(term, wanted), nearest(link, wanted)
    said, links = _shares(term), _shares(link)
    terms = said
    for _ in range(rounds):
        terms, links = _shares(_read_through(by_term, links)), _shares(_read_through(by_link, terms))
    links += terms
    # Where links are the same between all pages, crossing leaves of the words only who is whose neighbour.
    links += _AS_SAID * said
    return _symmetric(links)


def nearest(similarity: FloatMatrix, count: int) -> csr_array:
    """(n, n) sparse: each page's ``count`` most similar pages, weights adding up to 1; ties go to the earlier page."""
    pages = len(similarity)
    count = min(count, pages - 1)
    columns = np.empty((pages, max(count, 0)), np.int32)
    weights = np.zeros(columns.shape, np.float32)
    for page in range(pages if count > 0 else 0):
        row = similarity[page].copy()
        row[page] = -1
        columns[page] = chosen = _largest(row, count)
        weights[page] = row[chosen]
    total = weights.sum(axis=1, keepdims=True)
    weights /= np.where(total > 0, total, 1)
    start = np.arange(pages + 1) * columns.shape[1]
    return csr_array((weights.ravel(), columns.ravel(), start), shape=(pages, pages))


def _largest(row: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """Places of the ``count`` largest values, ascending; of equal values the first ones."""
    threshold = np.partition(row, len(row) - count)[len(row) - count]
    above = np.flatnonzero(row > threshold)
    level = np.flatnonzero(row == threshold)[: count - len(above)]
    return np.sort(np.concatenate((above, level)))


def _shares(similarity: FloatMatrix) -> FloatMatrix:
    """Rows that add up to 1: half of it on the page itself, half spread over the others as they are similar."""
    shares = similarity.astype(np.float32, copy=True)
    np.fill_diagonal(shares, 0)
    total = shares.sum(axis=1, keepdims=True)
    shares /= np.where(total > 0, 2 * total, 1)
    np.fill_diagonal(shares, 0.5)
    return shares


def _read_through(neighbours: csr_array, shares: FloatMatrix) -> FloatMatrix:
    """The mean share between the neighbours of one page and those of another: N · S · Nᵀ, made symmetric."""
    half: FloatMatrix = neighbours @ np.ascontiguousarray(shares.T)
    return _symmetric(neighbours @ np.ascontiguousarray(half.T))


def _symmetric(matrix: FloatMatrix) -> FloatMatrix:
    both = matrix + matrix.T
    both *= np.float32(0.5)
    np.fill_diagonal(both, 0)
    return both
