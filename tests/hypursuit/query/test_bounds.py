"""bound ≥ best score below: for random sites, trees, budgets and queries, always."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hypursuit.clustering.organise import Collection, organise
from hypursuit.crawl.page import Page
from hypursuit.errors import LabelOverBudget
from hypursuit.label import ContentLabel, LabelBudget, LeafSource, decode, encode, leaf_label, merge_labels
from hypursuit.query.bounds import bound
from hypursuit.query.index import PageIndex
from hypursuit.query.query import And, Expression, Not, Or, Phrase, Query, Scope, Word
from hypursuit.text.scoring import Scoring
from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute
from hypursuit.text.weights import AttributeFactors

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTS = ["one.north.test", "two.north.test", "deep.two.north.test", "south.test", "east.test:8080", "west.other"]
BUDGETS = [260, 300, 400, 600, 1000, 2500, 8000, 400_000]
WORDS = ["river", "mountain", "forest", "island", "painter", "kernel", "cluster", "router", "museum", "absent"]


@dataclass
class Below:
    """A label of a random tree with the indexes of the leaves below it."""

    label: ContentLabel
    indexes: list[PageIndex]


def random_budget(rng: random.Random) -> LabelBudget:
    return LabelBudget(rng.choice(BUDGETS), rng.choice([0, 5, 100]), rng.choice([1, 3, 30]), rng.choice([1, 10, 240]))


def with_more_room(make: Callable[[LabelBudget], ContentLabel], budget: LabelBudget) -> ContentLabel:
    """The label at the first multiple of the budget that its name and hosts fit in."""
    for factor in (1, 2, 4):
        given = budget.scaled(factor)
        try:
            label = make(given)
        except LabelOverBudget:
            continue
        assert len(encode(label)) <= given.bytes
        return label
    pytest.fail(f"no label within {budget.bytes * 4} bytes")


def leaf(pages: list[Page], budget: LabelBudget, scoring: Scoring) -> Below:
    """A leaf whose pages are as large as their texts have characters."""
    index = PageIndex.build(pages, scoring)
    clusters = organise(Collection.of(pages))
    name = pages[0].url.split("/")[2]
    links = [(page.url, page.links) for page in pages]
    sizes = [len(page.text) for page in pages]
    label = with_more_room(
        lambda given: leaf_label(name, f"http://r/{name}", index, clusters, given, sizes=sizes, links=links), budget
    )
    assert label.bytes == sum(sizes)
    return Below(label, [index])


def merged(children: list[Below], budget: LabelBudget, name: str) -> Below:
    # What travels is what was encoded.
    labels = [decode(encode(child.label)) for child in children]
    label = with_more_room(lambda given: merge_labels(name, f"http://r/{name}", labels, given), budget)
    return Below(label, [index for child in children for index in child.indexes])


def random_tree(rng: random.Random, site: Callable[[int, str, int], list[Page]], scoring: Scoring) -> list[Below]:
    """All routers of a tree of two to five levels over two to six leaves."""
    seed = rng.randrange(1 << 30)
    hosts = rng.sample(HOSTS, rng.randint(2, 6))
    level = [leaf(site(seed, host, rng.randint(1, 12)), random_budget(rng), scoring) for host in hosts]
    everything = list(level)
    while len(level) > 1:
        rng.shuffle(level)
        size = rng.randint(1, 3)
        groups = [level[start : start + size] for start in range(0, len(level), size)]
        if len(groups) == len(level) and len(everything) > 12:
            groups = [level]
        level = [merged(group, random_budget(rng), f"n{len(everything)}-{n}") for n, group in enumerate(groups)]
        everything += level
    return everything


def random_expression(rng: random.Random, depth: int = 0) -> Expression:
    stems = Stems()
    attribute = rng.choice([None, None, *Attribute])
    kind = rng.choice(["word"] * 4 + ["phrase", "scope"] + (["and", "or", "not"] * 2 if depth < 3 else []))
    match kind:
        case "word":
            return Word(stems[rng.choice(WORDS)], attribute)
        case "phrase":
            return Phrase(tuple(stems[word] for word in rng.sample(WORDS[:6], 2)), (0, rng.randint(1, 2)), attribute)
        case "scope":
            return Scope(rng.choice([*HOSTS, "north.test", "test", "east.test"]), rng.choice(["/", "/a", "/docs/b/"]))
        case "not":
            return Not(random_expression(rng, depth + 1))
        case _:
            parts = tuple(random_expression(rng, depth + 1) for _ in range(rng.randint(1, 3)))
            return And(parts) if kind == "and" else Or(parts)


@pytest.mark.parametrize("seed", range(60))
def test_no_page_scores_above_its_bound(seed: int, site: Callable[[int, str, int], list[Page]]) -> None:
    rng = random.Random(seed)
    scoring = Scoring(k1=rng.choice([0.5, 1.2]), factors=AttributeFactors(keyword=rng.choice([0.0, 5.0])))
    tree = random_tree(rng, site, scoring)
    for _ in range(40):
        query = Query("", random_expression(rng))
        idf = {stem: rng.choice([1e-3, 0.3, 1.0, 7.0]) * (1 + rng.random()) for stem in query.stems()}
        for router in tree:
            scores = [match.score for index in router.indexes for match in index.search(query, idf, 1)[0]]
            found = bound(decode(encode(router.label)), query, idf)

            assert found.best >= max(scores, default=0.0), (seed, query, router.label.name)
            assert found.best == found.clusters.max(initial=0.0)


@pytest.mark.parametrize("seed", range(20))
def test_no_page_scores_above_the_bound_of_its_cluster(seed: int, site: Callable[[int, str, int], list[Page]]) -> None:
    rng = random.Random(seed)
    pages = site(seed, "south.test", 30)
    index, clusters = PageIndex.build(pages), organise(Collection.of(pages))
    for size in (400, 900, 400_000):
        label = leaf_label("south", "http://r/", index, clusters, LabelBudget(size, 5, 6, rng.choice([6, 12])))
        membership = LeafSource(index, clusters, len(label.clusters)).membership
        for _ in range(20):
            query = Query("", random_expression(rng))
            idf = {stem: 1 + rng.random() for stem in query.stems()}
            found = bound(label, query, idf).clusters
            for page, score in index.search(query, idf, len(pages))[0]:
                assert score <= found[membership[page]]


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_exact_at_every_level(seed: int, site: Callable[[int, str, int], list[Page]]) -> None:
    tree = random_tree(random.Random(seed), site, Scoring())
    size_of_site = {id(leaf.indexes[0]): leaf.label.bytes for leaf in tree if leaf.label.name in HOSTS}
    for router in tree:
        label = router.label
        frequencies = [index.postings(stem)[1] for index in router.indexes for stem in index.stems]

        assert label.leaves == len(router.indexes)
        assert label.pages == sum(len(index.urls) for index in router.indexes)
        assert label.n_terms == sum(np.count_nonzero(rows) for rows in frequencies)
        assert label.bytes == sum(size_of_site[id(index)] for index in router.indexes)


@pytest.mark.parametrize("seed", range(10))
def test_with_room_for_everything_page_frequencies_are_exact(
    seed: int, site: Callable[[int, str, int], list[Page]]
) -> None:
    leaves = [leaf(site(seed, host, 10), LabelBudget.leaf(), Scoring()) for host in HOSTS]
    root = merged([merged(leaves[:3], LabelBudget.interior(), "a"), *leaves[3:]], LabelBudget.interior(), "root")
    for stem in {stem for index in root.indexes for stem in index.stems}:
        assert root.label.page_frequency(stem) == sum(index.page_frequency(stem) for index in root.indexes)


def one_page_label(page: Page) -> ContentLabel:
    index, clusters = PageIndex.build([page]), organise(Collection.of([page]))
    return leaf_label("one", "http://r/", index, clusters)


def test_the_bound_of_a_single_page_is_its_score_rounded_up() -> None:
    """One word of one: f = 1/(0.5 + 0.5·1/400), part = 2.2·f/(1.2 + f) = 1.374…; the next level is 0.4 % above."""
    page = Page("http://x.test/", text="river")
    word = Query("river", Word("river"))
    part = 2.2 / (1.2 * (0.5 + 0.5 / 400) + 1)
    found = bound(one_page_label(page), word, {"river": 2.0})

    assert 2 * part <= found.best <= 2 * part * 1.01


def test_a_word_that_is_nowhere_makes_the_bound_zero() -> None:
    label = one_page_label(Page("http://x.test/", title="river", text="river valley"))
    idf = {"river": 1.0, "valley": 1.0, "desert": 1.0}
    river, valley, desert = (Word(stem) for stem in idf)

    assert bound(label, Query("", And((river, desert))), idf).best == 0
    assert bound(label, Query("", Or((river, desert))), idf).best == bound(label, Query("", river), idf).best
    assert bound(label, Query("", And((river, Not(valley)))), idf).best > 0
    assert bound(label, Query("", Word("valley", Attribute.TITLE)), idf).best == 0
    assert bound(label, Query("", Phrase(("river", "desert"), (0, 1))), idf).best == 0
    assert bound(label, Query("", And((river, Scope("y.test")))), idf).best == 0
    assert bound(label, Query("", And((river, Scope("test")))), idf).best > 0


def test_words_on_different_pages_do_not_add_up_where_cells_are_apart(
    site: Callable[[int, str, int], list[Page]],
) -> None:
    pages = [Page("http://x.test/a", text="river"), Page("http://x.test/b", text="desert")]
    index, clusters = PageIndex.build(pages), organise(Collection.of(pages))
    both = Query("", And((Word("river"), Word("desert"))))
    idf = {"river": 1.0, "desert": 1.0}
    apart = leaf_label("x", "http://r/", index, clusters)
    together = leaf_label("x", "http://r/", index, clusters, LabelBudget(clusters=1, cells=1))

    assert bound(apart, both, idf).best == 0
    assert bound(together, both, idf).best > 0
