"""Which links a map shows: all of them would blacken it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

_LINKS_PER_PAGE = 3
_TIES_PER_CLUSTER = 2


@dataclass(frozen=True, slots=True)
class DrawnLinks:
    """The links of a map; parallel and opposite ones count once, those of a page to itself never."""

    total: int
    """How many linked pairs of pages there are."""
    inside: tuple[tuple[int, int], ...]
    """Linked pairs of drawn pages of the same cluster, as rows among the drawn pages."""
    between: tuple[tuple[int, int, int], ...]
    """Pairs of clusters and the number of linked pairs of pages between them."""


def links_to_draw(
    links: csr_array, chosen: NDArray[np.intp], membership: NDArray[np.intp], among: NDArray[np.floating]
) -> DrawnLinks:
    """Choose the links that a map shows.

    Inside clusters a few for each page, the most similar pages first; between clusters the pairs with most links for
    their sizes, about two for each cluster.

    Args:
        links: (n_pages, n_pages) nonzero where a page links to another.
        chosen: (m,) the pages drawn.
        membership: (n_pages,) cluster numbers.
        among: (m, m) similarity of the pages drawn.
    """
    source, target = links.nonzero()
    real = source != target
    pairs = np.unique(np.sort(np.stack((source[real], target[real])), axis=0), axis=1)
    of_cluster = membership[pairs]
    same = of_cluster[0] == of_cluster[1]
    inside = _strongest_inside(pairs[:, same], chosen, among)
    between = _strongest_between(of_cluster[:, ~same], np.bincount(membership))
    return DrawnLinks(pairs.shape[1], tuple(inside), tuple(between))


def _strongest_inside(
    pairs: NDArray[np.intp], chosen: NDArray[np.intp], among: NDArray[np.floating]
) -> list[tuple[int, int]]:
    """Alike pairs first; a link is left out once both its pages have enough."""
    row = {int(page): i for i, page in enumerate(chosen)}
    rows = [(row[a], row[b]) for a, b in pairs.T.tolist() if a in row and b in row]
    largest = float(among.max()) or 1.0
    rows.sort(key=lambda pair: (-round(float(among[pair]) / largest, 6), pair))
    drawn = np.zeros(len(chosen), np.int64)
    kept: list[tuple[int, int]] = []
    for a, b in rows:
        if min(drawn[a], drawn[b]) < _LINKS_PER_PAGE:
            kept.append((a, b))
            drawn[[a, b]] += 1
    return sorted(kept)


def _strongest_between(of_cluster: NDArray[np.intp], sizes: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """The pairs of clusters with most links for their sizes, about two for each cluster."""
    joined, count = np.unique(np.sort(of_cluster, axis=0), axis=1, return_counts=True)
    density = count / np.sqrt(sizes[joined[0]] * sizes[joined[1]])
    order = np.argsort(-np.round(density, 9), kind="stable")[: _TIES_PER_CLUSTER * len(sizes)]
    return [(int(joined[0, i]), int(joined[1, i]), int(count[i])) for i in order]
