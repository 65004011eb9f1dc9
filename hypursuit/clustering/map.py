"""The map of a site: every page a dot, every cluster a disc of dots, similar ones close together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh, svd

from hypursuit.clustering.packing import pack
from hypursuit.errors import BadSetting, NothingToCluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

MOST_PAGES = 2000
"""More dots than this cannot be told apart on a screen."""
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
_GAP = 12.0
_DISC_AREA = 90_000.0


@dataclass(frozen=True, slots=True)
class Region:
    """Where a cluster lies: a disc that holds its dots, its name in a box of its own above it."""

    x: float
    y: float
    radius: float
    label: tuple[float, float, float, float]
    """Left, top, width, height of the box kept free for the name."""


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Places for pages and clusters on a plane of ``width`` by ``height``, x to the right, y downwards."""

    positions: NDArray[np.float64]
    """(n_pages, 2); no two dots nearer than ``spacing``."""
    regions: tuple[Region, ...]
    """By cluster number; discs and label boxes of different clusters do not overlap."""
    width: float
    height: float
    spacing: float


def lay_out(
    similarity: NDArray[np.floating],
    membership: ArrayLike,
    labels: ArrayLike,
    centres: Sequence[int] | None = None,
) -> MapLayout:
    """Place pages by similarity, cluster by cluster.

    Clusters are placed first, by the mean similarity between their pages; then the pages of each on the seeds of a
    sunflower, the central page in the middle, alike pages on neighbouring seeds, the whole turned so that pages
    lean towards the clusters they resemble. The same input gives the same map.

    Args:
        similarity: (n_pages, n_pages), symmetric; any scale.
        membership: (n_pages,) cluster numbers 0…k-1, each with at least one page.
        labels: (k, 2) width and height of the clusters' names as they will be drawn: room is kept for them.
        centres: (k,) the page to put in the middle of each cluster; by default the one most similar to the others.
    """
    labels = np.asarray(labels, np.float64).reshape(-1, 2)
    membership = _checked(membership, len(similarity), len(labels))
    members = [np.flatnonzero(membership == cluster) for cluster in range(len(labels))]
    between, leaning = _cluster_similarity(similarity, membership, len(labels))
    spacing = _spacing([len(pages) for pages in members])
    radii = np.array([_radius(len(pages), spacing) for pages in members])
    boxes = np.column_stack((np.maximum(2 * radii, labels[:, 0]), 2 * radii + labels[:, 1])) + _GAP
    middle = pack(boxes, between)
    middle -= (middle - boxes / 2).min(axis=0)
    width, height = (middle + boxes / 2).max(axis=0)
    regions = tuple(_region(*row) for row in zip(middle, boxes, radii, labels, strict=True))
    positions = np.empty((len(membership), 2))
    discs = np.array([(region.x, region.y) for region in regions])
    for cluster, pages in enumerate(members):
        alike = np.asarray(similarity[np.ix_(pages, pages)], np.float64)
        central = int(np.flatnonzero(pages == centres[cluster])[0]) if centres else int(np.argmax(alike.sum(axis=0)))
        lean = leaning[pages] @ _directions(discs, cluster)
        positions[pages] = discs[cluster] + spread(alike, lean, central, spacing)
    return MapLayout(positions, regions, float(width), float(height), spacing)


def sample_pages(membership: ArrayLike, keep: Sequence[int] = (), most: int = MOST_PAGES) -> NDArray[np.intp]:
    """The pages to draw, ascending: all if they are few, else a share of each cluster, at least one.

    ``keep`` (the central pages) come before the others; those in turn in page order, which for a crawl is the
    distance from the root page.
    """
    membership = np.asarray(membership)
    n = len(membership)
    if n <= most:
        return np.arange(n)
    first = np.ones(n, dtype=bool)
    first[list(keep)] = False
    order = np.lexsort((np.arange(n), first, membership))
    size = np.bincount(membership)
    quota = np.maximum(size * most // n, 1)
    rank = np.arange(n) - np.repeat(np.cumsum(size) - size, size)
    return np.sort(order[rank < np.repeat(quota, size)])


def spread(
    similarity: NDArray[np.float64], lean: NDArray[np.float64], central: int, spacing: float
) -> NDArray[np.float64]:
    """(m, 2): pages of one cluster on sunflower seeds around the origin, ``central`` on the innermost.

    Args:
        similarity: (m, m) within the cluster.
        lean: (m, 2) the direction in which each page is drawn by other clusters.
        central: row of the page in the middle.
        spacing: least distance between dots.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  slow to import, and only maps need it

    m = len(similarity)
    seeds = _sunflower(m, spacing)
    if m < 3:
        return seeds[::-1] if central == 1 else seeds
    wanted = _turned(_scaled(similarity), lean)
    wanted *= np.sqrt((seeds**2).sum() / max((wanted**2).sum(), 1e-12))
    cost = ((wanted[:, None] - seeds[None]) ** 2).sum(axis=2)
    cost[central, 0] = -1e9
    page, seed = linear_sum_assignment(np.round(cost, 6))
    places = np.empty((m, 2))
    places[page] = seeds[seed]
    return places


def _checked(membership: ArrayLike, n_pages: int, k: int) -> NDArray[np.intp]:
    checked = np.asarray(membership, np.intp)
    if not n_pages:
        raise NothingToCluster("there is no page to draw")
    if checked.shape != (n_pages,) or not np.array_equal(np.unique(checked), np.arange(k)):
        raise BadSetting(f"a map of {n_pages} pages needs as many memberships, in clusters 0 to {k - 1}, none empty")
    return checked


def _spacing(sizes: Sequence[int]) -> float:
    """Distance between dots, such that the discs fill a screen whatever their number; neither crowded nor lost."""
    return float(np.clip(np.sqrt(_DISC_AREA / (np.array([_radius(m, 1.0) for m in sizes]) ** 2).sum()), 8, 18))


def _radius(m: int, spacing: float) -> float:
    return float(np.hypot(*_sunflower(m, spacing).T).max() + 0.8 * spacing)


def _sunflower(m: int, spacing: float) -> NDArray[np.float64]:
    """(m, 2): evenly spread places, the first in the middle, no two nearer than ``spacing``."""
    rank = np.arange(m)
    radius = 0.62 * spacing * np.sqrt(rank + 1.7)
    radius[0] = 0
    seeds = np.column_stack((radius * np.cos(rank * _GOLDEN_ANGLE), radius * np.sin(rank * _GOLDEN_ANGLE)))
    return np.asarray(seeds - seeds.mean(axis=0)) if m == 2 else seeds


def _region(middle: NDArray[np.float64], box: NDArray[np.float64], radius: float, label: NDArray[np.float64]) -> Region:
    width, height = label.tolist()
    x, top = float(middle[0]), float(middle[1] - box[1] / 2 + _GAP / 2)
    return Region(x, top + height + float(radius), float(radius), (x - width / 2, top, width, height))


def _cluster_similarity(
    similarity: NDArray[np.floating], membership: NDArray[np.intp], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean similarity between clusters (k, k), and of each page to each cluster (n_pages, k)."""
    share = np.zeros((len(membership), k))
    share[np.arange(len(membership)), membership] = 1
    share /= share.sum(axis=0)
    leaning = np.maximum(np.asarray(similarity @ share, np.float64), 0)
    between = share.T @ leaning
    return (between + between.T) / 2, leaning


def _directions(discs: NDArray[np.float64], cluster: int) -> NDArray[np.float64]:
    """(k, 2) unit vectors from one cluster to the others; zero to itself."""
    way = discs - discs[cluster]
    length = np.hypot(*way.T)[:, None]
    return np.asarray(np.divide(way, length, out=np.zeros_like(way), where=length > 0))


def _scaled(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 2) classical scaling: coordinates whose distances approach 1 - similarity best."""
    m = len(similarity)
    distance = 1 - similarity / max(float(similarity.max()), 1e-12)
    np.fill_diagonal(distance, 0)
    squared = distance**2
    centred = -0.5 * (squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean())
    value, vector = eigh((centred + centred.T) / 2, subset_by_index=(m - 2, m - 1))
    # An eigenvector's sign is arbitrary: make its largest component positive.
    vector *= np.sign(vector[np.argmax(np.round(np.abs(vector), 9), axis=0), [0, 1]])
    return np.asarray(vector * np.sqrt(np.maximum(value, 1e-12)), np.float64)


def _turned(places: NDArray[np.float64], lean: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places rotated or mirrored so that they agree best with the pages' leanings (Procrustes)."""
    left, _, right = svd(places.T @ (lean - lean.mean(axis=0)))
    return np.asarray(places @ (left @ right), np.float64)
