"""Link similarity [W96 eq. 2-5] on paper, against the literal reference, and what must hold on any graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from hypursuit.errors import BadSetting
from hypursuit.similarity import (
    LinkWeights,
    ancestor_similarity,
    descendant_similarity,
    link_similarity,
    path_similarity,
    reference,
)

Links = set[tuple[int, int]]
Part = Callable[[sparse.csr_array], np.ndarray]

PARTS: dict[Part, Callable[[reference.Graph, int, int], float]] = {
    path_similarity: reference.path_similarity_of,
    ancestor_similarity: reference.ancestor_similarity_of,
    descendant_similarity: reference.descendant_similarity_of,
}


def adjacency(pages: int, links: Iterable[tuple[int, int]]) -> sparse.csr_array:
    matrix = sparse.lil_array((pages, pages), dtype=np.int8)
    for source, target in links:
        matrix[source, target] = 1
    return matrix.tocsr()


def graph_of(pages: int, links: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    graph: dict[int, set[int]] = {page: set() for page in range(pages)}
    for source, target in links:
        if source != target:
            graph[source].add(target)
    return graph


# --- on paper ---------------------------------------------------------------------------------------------------

# Every case: links; i, j; eq. 2, eq. 3, eq. 4 for that pair.
#
#   diamond     0 -> 1 -> 3      siblings 1 and 2 share a parent and a child, each 2**-(1 + 1)
#                 -> 2 ->
DIAMOND = {(0, 1), (0, 2), (1, 3), (2, 3)}
#   through     0 -> 1 -> 2      0 reaches 2 only through 1: not a proper common ancestor of 1 and 2
THROUGH = {(0, 1), (1, 2)}
#   detour      0 -> 1 -> 2      0 -> 2 takes 2 links, but 3 when it must avoid 1; 4 has no link to 1
#                 -> 3 -> 4 -> 2
DETOUR = {(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)}
#   two parents 0 -> 2, 3   1 -> 2, 3: two ancestors on level 1 share the weight of one
PARENTS = {(0, 2), (0, 3), (1, 2), (1, 3)}
#   levels      0 -> 2, 3   1 -> 2 and 1 -> 0: both on level 1, 1 at 1 link from 2 and 2 links from 3
LEVELS = {(0, 2), (0, 3), (1, 2), (1, 0)}
#   grandparent 4 -> 0 -> 2, 3: level 1 holds 0, level 2 holds 4
GRANDPARENT = {(0, 2), (0, 3), (4, 0)}
#   both ways   0 <-> 1
BOTH = {(0, 1), (1, 0)}
#   ring        0 -> 1 -> 2 -> 0: 2 reaches 1 only through 0; 1 reaches 0, as a descendant, only past 2
RING = {(0, 1), (1, 2), (2, 0)}

ON_PAPER = [
    pytest.param(DIAMOND, 1, 2, 0, 1 / 4, 1 / 4, id="siblings"),
    pytest.param(DIAMOND, 0, 3, 1 / 4, 0, 0, id="top and bottom of the diamond"),
    pytest.param(DIAMOND, 0, 1, 1 / 2, 0, 1 / 8, id="parent and child share a descendant on another way"),
    pytest.param(THROUGH, 1, 2, 1 / 2, 0, 0, id="an ancestor through the other page is not proper"),
    pytest.param(DETOUR, 1, 2, 1 / 2, 1 / 16, 0, id="the path round the other page counts"),
    pytest.param(PARENTS, 2, 3, 0, 1 / 4, 0, id="ancestors of one level share its weight"),
    pytest.param(LEVELS, 2, 3, 0, (1 / 4 + 1 / 8) / 2, 0, id="the level is that of the shorter path"),
    pytest.param(GRANDPARENT, 2, 3, 0, 1 / 4 + 1 / 16, 0, id="levels are added up"),
    pytest.param(BOTH, 0, 1, 1, 0, 0, id="linked both ways"),
    pytest.param(RING, 0, 1, 1 / 2 + 1 / 4, 0, 0, id="ring"),
    pytest.param(set(), 0, 1, 0, 0, 0, id="no links"),
]


@pytest.mark.parametrize(("links", "i", "j", "path", "ancestor", "descendant"), ON_PAPER)
def test_hand_computed_pairs(links: Links, i: int, j: int, path: float, ancestor: float, descendant: float) -> None:
    site = adjacency(5, links)

    assert path_similarity(site)[i, j] == path
    assert ancestor_similarity(site)[i, j] == ancestor
    assert descendant_similarity(site)[i, j] == descendant


@pytest.mark.parametrize(("links", "i", "j", "path", "ancestor", "descendant"), ON_PAPER)
def test_the_reference_agrees_with_paper(
    links: Links, i: int, j: int, path: float, ancestor: float, descendant: float
) -> None:
    graph = graph_of(5, links)

    assert reference.path_similarity_of(graph, i, j) == path
    assert reference.ancestor_similarity_of(graph, i, j) == ancestor
    assert reference.descendant_similarity_of(graph, i, j) == descendant


def test_weights_multiply_the_parts() -> None:
    """Siblings of the diamond: no path, a quarter for the parent, a quarter for the child."""
    assert link_similarity(adjacency(4, DIAMOND))[1, 2] == 1 / 2
    assert link_similarity(adjacency(4, DIAMOND), LinkWeights.even())[1, 2] == 3 / 4 + 3 / 4
    assert link_similarity(adjacency(4, DIAMOND), LinkWeights(2, 0, 9))[0, 1] == 2 * 1 / 8 + 9 * 1 / 2


def test_an_ancestor_256_links_away_is_still_on_its_level() -> None:
    """Pages 0 and 258 are on level 1 of (1, 257); 0 is 256 links from 257, so far that 2**-length counts nothing."""
    long_way = {(0, 2)} | {(page, page + 1) for page in range(2, 257)}
    site = adjacency(259, long_way | {(0, 1), (258, 1), (258, 257)})

    assert ancestor_similarity(site)[1, 257] == pytest.approx((2.0**-257 + 2.0**-2) / 2)


# Sums of 2**-length are kept in double; where a correction cancels nearly all of one, this much may be left.
ROUNDING = 1e-16

# --- against the reference --------------------------------------------------------------------------------------


def random_links(pages: int, density: float, seed: int) -> Links:
    chosen = np.random.default_rng(seed).random((pages, pages)) < density
    return {(int(i), int(j)) for i, j in np.argwhere(chosen)}


def with_navigation(pages: int, common: int, seed: int) -> Links:
    """Every page links to the first few, itself included; the rest is sparse."""
    return random_links(pages, 1 / pages, seed) | {(page, shared) for page in range(pages) for shared in range(common)}


def islands(pages: int, seed: int) -> Links:
    """Two halves with no link between them."""
    half = pages // 2
    left, right = random_links(half, 0.4, seed), random_links(pages - half, 0.4, seed + 1)
    return left | {(i + half, j + half) for i, j in right}


def directory_tree(pages: int, fan: int, back: bool) -> Links:
    """Each page links to ``fan`` children and, perhaps, up."""
    down = {((page - 1) // fan, page) for page in range(1, pages)}
    return down | {(child, parent) for parent, child in down} if back else down


def chain(pages: int, *, ring: bool = False, home: bool = False) -> Links:
    links = {(page, page + 1) for page in range(pages - 1)}
    return links | ({(pages - 1, 0)} if ring else set()) | ({(page, 0) for page in range(pages)} if home else set())


def ladder(pages: int, seed: int) -> Links:
    """Two chains with random rungs: many long detours."""
    steps = {(page, page + 2) for page in range(pages - 2)}
    rungs = np.random.default_rng(seed).integers(0, pages, (pages // 3, 2))
    return steps | {(int(a), min(pages - 1, int(a) + 1)) for a, _ in rungs}


def star(pages: int, *, inward: bool, outward: bool) -> Links:
    spokes = range(1, pages)
    return ({(page, 0) for page in spokes} if inward else set()) | (
        {(0, page) for page in spokes} if outward else set()
    )


HAND_MADE: dict[str, tuple[int, Links]] = {
    "one page linking to itself": (1, {(0, 0)}),
    "two pages": (2, {(0, 1), (1, 1)}),
    "all self-links": (6, {(page, page) for page in range(6)}),
    "chain": (12, chain(12)),
    "ring": (11, chain(11, ring=True)),
    "chain with home links": (12, chain(12, home=True)),
    "long chain, lists of single pages": (40, chain(40)),
    "long ring": (30, chain(30, ring=True)),
    "complete": (9, {(i, j) for i in range(9) for j in range(9)}),
    "complete but for one page": (9, {(i, j) for i in range(8) for j in range(8)}),
    "star inward": (10, star(10, inward=True, outward=False)),
    "star outward": (10, star(10, inward=False, outward=True)),
    "star both ways": (10, star(10, inward=True, outward=True)),
    "tree downward": (15, directory_tree(15, 2, back=False)),
    "tree with up links": (15, directory_tree(15, 2, back=True)),
    "tree with up links and home": (15, directory_tree(15, 3, back=True) | {(page, 0) for page in range(15)}),
    "bipartite": (10, {(i, j) for i in range(5) for j in range(5, 10)}),
    "two parallel detours": (8, {(0, 1), (1, 7), (0, 2), (2, 3), (3, 7), (0, 4), (4, 5), (5, 6), (6, 7)}),
    "detour inside the cut-off part": (7, {(0, 1), (1, 2), (0, 3), (3, 0), (3, 4), (4, 5), (5, 2), (6, 0), (6, 3)}),
}
RANDOM: dict[str, tuple[int, Links]] = (
    {
        f"random {n} pages, {d}, {s}": (n, random_links(n, d, s))
        for n in (5, 9, 13)
        for d in (0.1, 0.2, 0.4)
        for s in range(16)
    }
    | {f"navigation {n}, {k}, {s}": (n, with_navigation(n, k, s)) for n in (7, 12) for k in (1, 2, 4) for s in range(8)}
    | {f"islands {n}, {s}": (n, islands(n, s)) for n in (8, 13) for s in range(8)}
    | {f"ladder {n}, {s}": (n, ladder(n, s)) for n in (10, 20) for s in range(8)}
)
GRAPHS = HAND_MADE | RANDOM
BATCHES = [dict(list(GRAPHS.items())[start : start + 20]) for start in range(0, len(GRAPHS), 20)]


def test_there_are_enough_graphs() -> None:
    assert len(GRAPHS) >= 200


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{next(iter(batch))} and on")
def test_equal_to_the_reference(batch: dict[str, tuple[int, Links]]) -> None:
    for name, (pages, links) in batch.items():
        site, graph = adjacency(pages, links), graph_of(pages, links)
        for part, of_pair in PARTS.items():
            wanted = [[of_pair(graph, i, j) if i != j else 0.0 for j in range(pages)] for i in range(pages)]
            np.testing.assert_allclose(part(site), wanted, rtol=2e-7, atol=ROUNDING, err_msg=f"{part.__name__}: {name}")


@pytest.mark.parametrize(
    ("pages", "links"),
    [
        pytest.param(150, random_links(150, 0.02, 5), id="sparse"),
        pytest.param(150, random_links(150, 0.3, 6), id="dense"),
        pytest.param(150, with_navigation(150, 8, 7), id="navigation"),
        pytest.param(150, directory_tree(150, 6, back=True), id="directories"),
        pytest.param(120, ladder(120, 8), id="ladder"),
        pytest.param(90, chain(90, home=True), id="chain with home links"),
    ],
)
def test_equal_to_the_reference_on_pairs_of_larger_sites(pages: int, links: Links) -> None:
    """More pages than a machine word has bits, and layers kept as lists beside layers kept as bit sets."""
    site, graph = adjacency(pages, links), graph_of(pages, links)
    pairs = np.random.default_rng(9).integers(0, pages, (25, 2))
    for part, of_pair in PARTS.items():
        similarity = part(site)
        wanted = [of_pair(graph, int(i), int(j)) if i != j else 0.0 for i, j in pairs]
        np.testing.assert_allclose(similarity[tuple(pairs.T)], wanted, rtol=2e-7, atol=ROUNDING, err_msg=part.__name__)


def shortened(graph: reference.Graph, i: int, j: int, longest_path: int) -> float:
    """[W96 eq. 3], but 2**-length is 0 for longer paths; all ancestors still count on their level."""
    ancestors = reference.common_ancestors(graph, i, j)
    on_level = Counter(min(lengths) for lengths in ancestors)
    return sum(2.0 ** -sum(lengths) / on_level[min(lengths)] for lengths in ancestors if max(lengths) <= longest_path)


@pytest.mark.parametrize("longest_path", [1, 2, 3, 5])
def test_longest_path_drops_weights_but_no_ancestors(longest_path: int) -> None:
    only_ancestors = LinkWeights(descendants=0, paths=0)
    for name, (pages, links) in list(GRAPHS.items())[::3]:
        graph = graph_of(pages, links)
        similarity = link_similarity(adjacency(pages, links), only_ancestors, longest_path=longest_path)
        wanted = [[shortened(graph, i, j, longest_path) * (i != j) for j in range(pages)] for i in range(pages)]
        np.testing.assert_allclose(similarity, wanted, rtol=2e-7, atol=ROUNDING, err_msg=name)


@pytest.mark.parametrize("longest_path", [1, 2, 4, 8, 16])
def test_longest_path_errs_by_no_more_than_stated(longest_path: int) -> None:
    for pages, links in HAND_MADE.values():
        site = adjacency(pages, links)
        for part in (LinkWeights(1, 0, 0), LinkWeights(0, 1, 0), LinkWeights(0, 0, 1)):
            error = np.abs(link_similarity(site, part, longest_path=longest_path) - link_similarity(site, part))
            assert error.max() <= 2.0**-longest_path


@pytest.mark.parametrize(
    ("links", "part", "of_pair"),
    [
        pytest.param(chain(420, home=True), ancestor_similarity, reference.ancestor_similarity_of, id="ancestors"),
        pytest.param(
            chain(420, home=True), descendant_similarity, reference.descendant_similarity_of, id="descendants"
        ),
        pytest.param(chain(420, ring=True), ancestor_similarity, reference.ancestor_similarity_of, id="ring"),
    ],
)
def test_long_chains_of_pages_are_equal_to_the_reference(
    links: Links, part: Part, of_pair: Callable[[reference.Graph, int, int], float]
) -> None:
    """A "next" link on each of 420 pages: longer paths than lengths are kept for, and corrections in stripes."""
    similarity, graph = part(adjacency(420, links)), graph_of(420, links)

    for i, j in [(0, 1), (0, 419), (5, 6), (5, 300), (10, 12), (210, 211), (250, 240), (418, 419)]:
        assert similarity[i, j] == pytest.approx(of_pair(graph, i, j), rel=2e-7, abs=ROUNDING)


# --- on any graph -----------------------------------------------------------------------------------------------


@st.composite
def sites(draw: st.DrawFn) -> tuple[int, Links]:
    pages = draw(st.integers(1, 24))
    page = st.integers(0, pages - 1)
    return pages, draw(st.sets(st.tuples(page, page), max_size=5 * pages))


@given(sites())
@settings(max_examples=60, deadline=None)
def test_symmetric_with_zero_diagonal_and_within_bounds(site: tuple[int, Links]) -> None:
    for part, most in ((path_similarity, 1), (ancestor_similarity, 1 / 3), (descendant_similarity, 1 / 3)):
        similarity = part(adjacency(*site))
        np.testing.assert_array_equal(similarity, similarity.T)
        assert not similarity.diagonal().any()
        assert similarity.min() >= 0
        assert similarity.max() <= most


@given(sites())
@settings(max_examples=60, deadline=None)
def test_descendants_are_ancestors_with_links_turned_round(site: tuple[int, Links]) -> None:
    pages, links = site
    turned = adjacency(pages, {(target, source) for source, target in links})

    np.testing.assert_array_equal(descendant_similarity(adjacency(*site)), ancestor_similarity(turned))
    np.testing.assert_array_equal(path_similarity(adjacency(*site)), path_similarity(turned))


@given(sites(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_page_numbers_do_not_matter(site: tuple[int, Links], random: object) -> None:
    pages, links = site
    number = list(range(pages))
    random.shuffle(number)  # type: ignore[attr-defined]
    renumbered = link_similarity(adjacency(pages, {(number[i], number[j]) for i, j in links}))

    np.testing.assert_allclose(
        renumbered[np.ix_(number, number)], link_similarity(adjacency(*site)), rtol=3e-7, atol=ROUNDING
    )


@given(sites())
@settings(max_examples=30, deadline=None)
def test_parts_add_up(site: tuple[int, Links]) -> None:
    matrix, weights = adjacency(*site), LinkWeights(descendants=2.0, ancestors=0.5, paths=3.0)
    by_parts = 2.0 * descendant_similarity(matrix) + 0.5 * ancestor_similarity(matrix) + 3.0 * path_similarity(matrix)

    np.testing.assert_allclose(link_similarity(matrix, weights), by_parts, rtol=5e-7, atol=ROUNDING)


# --- what goes in and what comes out ----------------------------------------------------------------------------


def test_any_sparse_format_and_any_values() -> None:
    links = random_links(20, 0.15, 3)
    plain = adjacency(20, links)
    weighted = plain.astype(np.float64) * -7.5
    for same in (plain.tocsc(), plain.todok(), plain.astype(bool).tocoo(), weighted, sparse.csr_matrix(weighted)):
        np.testing.assert_array_equal(link_similarity(same), link_similarity(plain))


def test_parallel_links_count_once_and_stored_zeros_not_at_all() -> None:
    rows, columns, values = [0, 0, 0, 1, 1], [1, 1, 2, 2, 0], [1.0, -1.0, 1.0, 1.0, 0.0]
    stored = sparse.coo_array((values, (rows, columns)), shape=(3, 3))

    np.testing.assert_array_equal(link_similarity(stored), link_similarity(adjacency(3, {(0, 1), (0, 2), (1, 2)})))


def test_the_adjacency_is_left_as_it_was() -> None:
    site = adjacency(4, DIAMOND | {(2, 2)})
    before = site.copy()
    link_similarity(site)

    assert (site != before).nnz == 0


def test_same_bytes_every_run() -> None:
    site = adjacency(80, random_links(80, 0.05, 1))

    assert link_similarity(site).tobytes() == link_similarity(site).tobytes()


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_tiny_collections(pages: int) -> None:
    similarity = link_similarity(sparse.csr_array((pages, pages), dtype=np.int8))

    assert similarity.shape == (pages, pages)
    assert similarity.dtype == np.float32
    assert not similarity.any()


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(sparse.csr_array((3, 4)), id="not square"),
        pytest.param(np.zeros((3, 3)), id="not sparse"),
        pytest.param(sparse.csr_array(np.array([[0.0, np.nan], [0.0, 0.0]])), id="not a number"),
    ],
)
def test_nonsense_is_refused(nonsense: sparse.csr_array) -> None:
    with pytest.raises(BadSetting):
        link_similarity(nonsense)


@pytest.mark.parametrize("longest_path", [0, 255])
def test_longest_path_that_makes_no_sense_is_refused(longest_path: int) -> None:
    with pytest.raises(BadSetting):
        link_similarity(adjacency(4, DIAMOND), longest_path=longest_path)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_weights_that_make_no_sense_are_refused(weight: float) -> None:
    with pytest.raises(BadSetting):
        LinkWeights(paths=weight)
