"""The link graph of a collection of pages."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hypursuit.crawl.page import Link

_NONE: Mapping[str, str] = MappingProxyType({})


def page_adjacency(pages: Iterable[tuple[str, Iterable[Link]]], stands_for: Mapping[str, str] = _NONE) -> csr_array:
    """(n, n) ones where page i links to page j; rows and columns in the order given.

    Links to a page's other addresses count as links to it, links to itself and links that their author disowns
    (nofollow) do not count, parallel links count once.

    Args:
        pages: the URL and the links of each page.
        stands_for: from a page's other addresses (duplicates, redirects) to its URL.
    """
    listed = list(pages)
    number = {url: place for place, (url, _) in enumerate(listed)}
    number.update((other, number[url]) for other, url in stands_for.items() if url in number and other not in number)
    targets = [
        np.array(
            sorted({number[link.target] for link in links if link.follow and link.target in number} - {page}), np.int32
        )
        for page, (_, links) in enumerate(listed)
    ]
    start = np.concatenate(([0], np.cumsum([len(row) for row in targets], dtype=np.int64)))
    column = np.concatenate([*targets, np.empty(0, np.int32)])
    return csr_array((np.ones(len(column), np.int8), column, start), shape=(len(listed), len(listed)))
