"""A made site's links: navigation on every page, directories, neighbours, and some links across."""

from __future__ import annotations

import numpy as np
from scipy import sparse

_NAVIGATION = 12
_DIRECTORY = 40


def made_adjacency(pages: int) -> sparse.csr_array:
    """(pages, pages) ones; about 23 links from each page, the same ones every run.

    Pages come in directories of 40, whose first page is their index. Every page links to the indexes of the first
    twelve directories, its own index, the pages before and after it, five of its directory and three anywhere.
    Indexes link to all their pages, the first page to all indexes.
    """
    random = np.random.default_rng(1996)
    page = np.arange(pages)
    index = page - page % _DIRECTORY
    indexes = np.unique(index)
    navigation = indexes[:_NAVIGATION]
    near = np.repeat(page, 5)
    links = [
        (np.repeat(page, len(navigation)), np.tile(navigation, pages)),
        (page, index),
        (index, page),
        (np.zeros_like(indexes), indexes),
        (page[:-1], page[1:]),
        (page[1:], page[:-1]),
        (near, np.minimum(index[near] + random.integers(0, _DIRECTORY, near.size), pages - 1)),
        (np.repeat(page, 3), random.integers(0, pages, 3 * pages)),
    ]
    source, target = (np.concatenate(ends) for ends in zip(*links, strict=True))
    distinct = np.unique((source * pages + target)[source != target])
    ones = np.ones(distinct.size, np.int8)
    return sparse.csr_array((ones, (distinct // pages, distinct % pages)), shape=(pages, pages))
