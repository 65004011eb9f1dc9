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
    from collections.abc import Iterator

    from numpy.typing import NDArray

    FloatMatrix = NDArray[np.float32]

MOST_NEIGHBOURS = 50
"""Work is n² · neighbours; more than this many changed no result on sites of up to 2,000 pages."""

_AS_SAID = 0.5
"""Weight of the words as they are beside the two crossed similarities, which weigh 1 each."""
_BLOCK = 512


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
    terms, links = term, link
    for _ in range(rounds):
        terms, links = _read_through(by_term, links), _read_through(by_link, terms)
    # Where links are the same between all pages, crossing leaves of the words only who is whose neighbour.
    return _sum_of_shares((terms, 1.0), (links, 1.0), (term, _AS_SAID))


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


def _read_through(neighbours: csr_array, similarity: FloatMatrix) -> FloatMatrix:
    """The mean share between the neighbours of one page and those of another: N · S · Nᵀ, made symmetric.

    S holds what each page gives to every page: half of it to itself, half to the others as they are similar. It is
    never written down: S = ½ + diag(share) · similarity. Besides the result only a block of rows is in memory.
    """
    share = _share(similarity)
    scaled = neighbours.copy()
    scaled.data = neighbours.data * share[neighbours.indices]
    # The diagonal of the similarity is not to be read: take out what the products below would make of it.
    itself = scaled.copy()
    itself.data = scaled.data * np.diagonal(similarity)[scaled.indices]
    kept = neighbours * np.float32(0.5) - itself
    result = np.empty_like(similarity, dtype=np.float32)
    for rows in _blocks(len(similarity)):
        half = scaled[rows] @ similarity
        half += kept[rows].toarray()
        result[rows] = (neighbours @ np.ascontiguousarray(half.T)).T
    return _symmetric(result)


def _share(similarity: FloatMatrix) -> NDArray[np.float32]:
    """(n,): what the similarities of each page to others are to be multiplied with so that they add up to one half."""
    total = similarity.sum(axis=1) - np.diagonal(similarity)
    return np.asarray(0.5 / np.where(total > 0, total, np.inf), np.float32)


def _sum_of_shares(*weighted: tuple[FloatMatrix, float]) -> FloatMatrix:
    """Shares of several symmetric similarities, weighted, each the mean of both pages' shares; zero diagonal."""
    shares = [(similarity, _share(similarity) * np.float32(weight / 2)) for similarity, weight in weighted]
    result = np.zeros_like(weighted[0][0], dtype=np.float32)
    for rows in _blocks(len(result)):
        for similarity, share in shares:
            result[rows] += similarity[rows] * (share[rows, None] + share)
    np.fill_diagonal(result, 0)
    return result


def _symmetric(matrix: FloatMatrix) -> FloatMatrix:
    """The mean of a matrix and its transpose, in place, with a zero diagonal."""
    for rows in _blocks(len(matrix)):
        for columns in _blocks(len(matrix)):
            if columns.start >= rows.start:
                mean = (matrix[rows, columns] + matrix[columns, rows].T) * np.float32(0.5)
                matrix[rows, columns], matrix[columns, rows] = mean, mean.T
    np.fill_diagonal(matrix, 0)
    return matrix


def _blocks(pages: int) -> Iterator[slice]:
    return (slice(first, first + _BLOCK) for first in range(0, pages, _BLOCK))
