"""Where pages and clusters lie on a map."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.clustering.map import MapLayout, lay_out, sample_pages, spread
from hypursuit.errors import BadSetting, NothingToCluster


def _site(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random similarity, membership of uneven sizes, label sizes."""
    random = np.random.default_rng(seed)
    membership = np.concatenate((np.arange(k), np.minimum(random.geometric(0.3, n - k) - 1, k - 1)))
    points = random.random((n, 3)) + membership[:, None] % 7
    similarity = 1 / (1 + ((points[:, None] - points[None]) ** 2).sum(axis=2))
    labels = np.column_stack((random.uniform(20, 220, k), random.choice([20.7, 37.9], k)))
    return similarity, membership, labels


SITES = [
    (seed, n, k)
    for seed, (n, k) in enumerate([(1, 1), (2, 1), (2, 2), (40, 1), (60, 60), (200, 5), (200, 30), (300, 80)])
]


def _boxes(layout: MapLayout) -> np.ndarray:
    """(2k, 4) left, top, right, bottom of all discs and then of all labels."""
    discs = [(r.x - r.radius, r.y - r.radius, r.x + r.radius, r.y + r.radius) for r in layout.regions]
    labels = [(x, y, x + w, y + h) for x, y, w, h in (region.label for region in layout.regions)]
    return np.array(discs + labels)


@pytest.mark.parametrize(("seed", "n", "k"), SITES)
def test_neither_discs_nor_names_of_different_clusters_overlap(seed: int, n: int, k: int) -> None:
    boxes = _boxes(lay_out(*_site(seed, n, k)))
    cluster = np.tile(np.arange(k), 2)

    for i, (left, top, right, bottom) in enumerate(boxes):
        over = (boxes[:, 0] < right) & (left < boxes[:, 2]) & (boxes[:, 1] < bottom) & (top < boxes[:, 3])
        assert not (over & (cluster != cluster[i])).any()


@pytest.mark.parametrize(("seed", "n", "k"), SITES)
def test_a_name_stands_above_its_own_disc(seed: int, n: int, k: int) -> None:
    for region in lay_out(*_site(seed, n, k)).regions:
        left, top, width, height = region.label
        assert top + height <= region.y - region.radius + 1e-9
        assert left + width / 2 == pytest.approx(region.x)


@pytest.mark.parametrize(("seed", "n", "k"), SITES)
def test_every_page_lies_inside_the_disc_of_its_cluster(seed: int, n: int, k: int) -> None:
    similarity, membership, labels = _site(seed, n, k)
    layout = lay_out(similarity, membership, labels)

    for page, cluster in enumerate(membership):
        region = layout.regions[cluster]
        assert np.hypot(*(layout.positions[page] - (region.x, region.y))) < region.radius


@pytest.mark.parametrize(("seed", "n", "k"), SITES)
def test_no_two_dots_are_nearer_than_the_spacing(seed: int, n: int, k: int) -> None:
    layout = lay_out(*_site(seed, n, k))
    distance = np.hypot(*(layout.positions[:, None] - layout.positions[None]).T)

    assert (distance + np.eye(n) * 1e9).min() >= layout.spacing * 0.999


@pytest.mark.parametrize(("seed", "n", "k"), SITES)
def test_everything_lies_on_the_sheet(seed: int, n: int, k: int) -> None:
    layout = lay_out(*_site(seed, n, k))
    boxes = _boxes(layout)

    assert boxes[:, :2].min() >= 0
    assert boxes[:, 2].max() <= layout.width
    assert boxes[:, 3].max() <= layout.height


def test_the_same_site_gives_the_same_map() -> None:
    one, other = lay_out(*_site(3, 200, 20)), lay_out(*_site(3, 200, 20))

    assert np.array_equal(one.positions, other.positions)
    assert one.regions == other.regions


def test_a_scaled_similarity_gives_the_same_map() -> None:
    similarity, membership, labels = _site(4, 80, 9)

    assert np.allclose(
        lay_out(similarity, membership, labels).positions, lay_out(similarity * 4, membership, labels).positions
    )


def test_the_central_page_lies_nearest_the_middle() -> None:
    similarity, membership, labels = _site(5, 120, 6)
    centres = [int(np.flatnonzero(membership == cluster)[-1]) for cluster in range(6)]
    layout = lay_out(similarity, membership, labels, centres)

    for cluster, region in enumerate(layout.regions):
        pages = np.flatnonzero(membership == cluster)
        distance = np.hypot(*(layout.positions[pages] - (region.x, region.y)).T)
        assert pages[np.argmin(np.round(distance, 6))] == centres[cluster] or len(pages) == 2


@pytest.mark.parametrize("seed", range(5))
def test_alike_pages_of_a_cluster_are_neighbours(seed: int) -> None:
    """A cluster of three kinds: pages of a kind lie nearer to each other than to the rest."""
    kind = np.random.default_rng(seed).integers(0, 3, 60)
    same = kind[:, None] == kind[None]
    places = spread(np.where(same, 1.0, 0.2), np.zeros((60, 2)), 0, 10)

    distance = np.hypot(*(places[:, None] - places[None]).T)

    assert distance[same & ~np.eye(60, dtype=bool)].mean() < 0.75 * distance[~same].mean()


def test_pages_lean_towards_the_cluster_they_resemble() -> None:
    """Half of cluster 0 resembles cluster 1: that half lies on its side."""
    membership = np.repeat([0, 1], 20)
    similarity = np.full((40, 40), 0.1)
    similarity[:20, :20] = similarity[20:, 20:] = 0.6
    similarity[:10, :10] = similarity[10:20, 10:20] = 0.9
    similarity[:10, 20:] = similarity[20:, :10] = 0.5
    layout = lay_out(similarity, membership, np.full((2, 2), 20.0))

    way = np.subtract(*[np.array((region.x, region.y)) for region in layout.regions[::-1]])

    assert (layout.positions[:10] @ way).mean() > (layout.positions[10:20] @ way).mean()


@pytest.mark.parametrize("seed", range(5))
def test_alike_clusters_are_neighbours(seed: int) -> None:
    """Twenty clusters of four subjects, each of five pages."""
    subject = np.random.default_rng(seed).permutation(np.repeat(np.arange(4), 5))
    membership = np.repeat(np.arange(20), 5)
    of_page = subject[membership]
    layout = lay_out(np.where(of_page[:, None] == of_page[None], 0.8, 0.1), membership, np.full((20, 2), 40.0))

    places = np.array([(region.x, region.y) for region in layout.regions])
    distance = np.hypot(*(places[:, None] - places[None]).T)
    same = subject[:, None] == subject[None]

    assert distance[same & ~np.eye(20, dtype=bool)].mean() < 0.7 * distance[~same].mean()


@pytest.mark.parametrize("membership", [[0, 0, 2], [0, 0], [0, 0, -1], [1, 1, 1]])
def test_memberships_that_do_not_fit_are_refused(membership: list[int]) -> None:
    with pytest.raises(BadSetting):
        lay_out(np.eye(3), membership, np.full((3, 2), 10.0))


def test_a_map_of_nothing_is_refused() -> None:
    with pytest.raises(NothingToCluster):
        lay_out(np.empty((0, 0)), [], np.empty((0, 2)))


def test_few_pages_are_all_drawn() -> None:
    assert sample_pages([0, 1, 0], most=3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", range(20))
def test_of_many_pages_each_cluster_gets_its_share_with_its_central_page(seed: int) -> None:
    random = np.random.default_rng(seed)
    membership = np.concatenate((np.arange(12), np.minimum(random.geometric(0.2, 900) - 1, 11)))
    keep = [int(random.choice(np.flatnonzero(membership == cluster))) for cluster in range(12)]
    chosen = sample_pages(membership, keep, most=100)

    assert set(keep) <= set(chosen.tolist())
    assert (np.diff(chosen) > 0).all()
    for cluster in range(12):
        pages = [page for page in np.flatnonzero(membership == cluster).tolist() if page != keep[cluster]]
        share = max(1, (len(pages) + 1) * 100 // len(membership))
        assert [p for p in chosen.tolist() if membership[p] == cluster] == sorted([keep[cluster], *pages[: share - 1]])
