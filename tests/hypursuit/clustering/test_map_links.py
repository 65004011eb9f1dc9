"""Which links a map shows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from hypursuit.clustering.map_links import links_to_draw


def _links(n: int, *pairs: tuple[int, int]) -> csr_array:
    matrix = np.zeros((n, n))
    for source, target in pairs:
        matrix[source, target] = 1
    return csr_array(matrix)


def test_opposite_links_count_once_and_self_links_never() -> None:
    """Pages 0 and 1 link to each other, 2 to itself, 1 to 3 in the other cluster."""
    links = _links(4, (0, 1), (1, 0), (2, 2), (1, 3))

    drawn = links_to_draw(links, np.arange(4), np.array([0, 0, 0, 1]), np.ones((4, 4)))

    assert (drawn.total, drawn.inside, drawn.between) == (2, ((0, 1),), ((0, 1, 1),))


def test_links_of_pages_not_drawn_are_left_out() -> None:
    """Of three linked pages 1 is not drawn; page 2 is then row 1 of the drawing."""
    links = _links(3, (0, 1), (1, 2), (0, 2))

    drawn = links_to_draw(links, np.array([0, 2]), np.zeros(3, np.intp), np.ones((2, 2)))

    assert (drawn.total, drawn.inside) == (3, ((0, 1),))


@pytest.mark.parametrize("seed", range(5))
def test_a_menu_of_all_pages_is_thinned_but_leaves_no_page_bare(seed: int) -> None:
    """Forty pages that all link to all: each keeps three links or more, most similar first, far fewer than 780."""
    similarity = np.random.default_rng(seed).random((40, 40))
    similarity += similarity.T
    # Crossed similarities are that small; which links are strongest must not depend on it.
    drawn = links_to_draw(csr_array(np.ones((40, 40))), np.arange(40), np.zeros(40, np.intp), 1e-9 * similarity)

    ends = np.bincount(np.ravel(drawn.inside), minlength=40)
    best = max(((i, j) for i in range(40) for j in range(i)), key=lambda pair: similarity[pair])

    assert drawn.total == 780
    assert ends.min() >= 3
    assert len(drawn.inside) <= 120
    assert tuple(sorted(best)) in drawn.inside


def test_clusters_are_joined_where_links_are_dense_for_their_sizes() -> None:
    """Clusters 0, 1 (four pages each) share 4 links, 2 and 3 (one page each) share 1: 4/4 ties with 1/1."""
    membership = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 3])
    links = _links(10, (0, 4), (1, 5), (2, 6), (3, 7), (8, 9), (0, 8))

    drawn = links_to_draw(links, np.arange(10), membership, np.ones((10, 10)))

    assert drawn.between == ((0, 1, 4), (2, 3, 1), (0, 2, 1))


def test_a_site_without_links_has_none_drawn() -> None:
    drawn = links_to_draw(csr_array((3, 3)), np.arange(3), np.array([0, 0, 1]), np.ones((3, 3)))

    assert (drawn.total, drawn.inside, drawn.between) == (0, (), ())
