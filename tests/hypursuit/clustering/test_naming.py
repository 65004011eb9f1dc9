"""Names of clusters, on a small site drawn by hand and on many random ones.

all of shop.example ("… - Shop manual")
├── pages 0-3   invoices      ├── 0-1 paper
│                             └── 2-3 electronic
├── pages 4-6   PostgreSQL
└── pages 7-8   mailing lists
"""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from hypursuit.clustering.naming import name_clusters
from hypursuit.clustering.tree import ClusterTree
from hypursuit.crawl.page import Page
from hypursuit.text import Stems, TermMatrix, term_matrix, words

TITLES = (
    "Printing an invoice on paper - Shop manual",
    "Paper sizes of an invoice - Shop manual",
    "Sending invoices by electronic mail - Shop manual",
    "Electronic signatures of invoices - Shop manual",
    "Tuning PostgreSQL - Shop manual",
    "Backup of PostgreSQL - Shop manual",
    "PostgreSQL versions - Shop manual",
    "Mailing lists - Shop manual",
    "Archive of the mailing lists - Shop manual",
)
SITE = term_matrix(
    Page(f"http://shop.example/{i}", title, headers=(title.partition(" - ")[0], "See also"), text="click 42 here x")
    for i, title in enumerate(TITLES)
)
# 9 = {0, 1}, 10 = {2, 3}, 11 = {4, 5}, 12 = {4, 5, 6}, 13 = {7, 8}, 14 = {0..3}, 15 = {4..8}, 16 = all
TREE = ClusterTree(
    9,
    np.array([(0, 1), (2, 3), (4, 5), (11, 6), (7, 8), (9, 10), (12, 13), (14, 15)]),
    np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.1, 0.0]),
)


def _random_tree(random: np.random.Generator, n: int) -> ClusterTree:
    roots, merges = [(page, page) for page in range(n)], []
    while len(roots) > 1:
        one, other = sorted(random.choice(len(roots), 2, replace=False).tolist())
        (first, left), (second, right) = roots[one], roots.pop(other)
        merges.append((left, right) if first < second else (right, left))
        roots[one] = (min(first, second), n + len(merges) - 1)
    return ClusterTree(n, np.array(merges).reshape(-1, 2), np.linspace(1, 0, max(n - 1, 0)))


def _random_site(seed: int) -> tuple[ClusterTree, TermMatrix, list[str]]:
    """Titles of invented words, some empty, some numbers, some alike, some with rubbish."""
    random = np.random.default_rng(seed)
    vocabulary = ["".join(random.choice(list("aeioklmnrst"), 6)) for _ in range(30)]
    odd = ["", "42 17", "x", "\u202eevil \x00", "<b>&amp;", "v1 2 3", "z" * 400]
    n = int(random.integers(2, 60))
    titles = [
        str(random.choice(odd)) if random.random() < 0.2 else " ".join(random.choice(vocabulary, random.integers(1, 6)))
        for _ in range(n)
    ]
    pages = [
        Page(f"http://r.example/{i}", title, text=" ".join(random.choice(vocabulary, random.integers(0, 20))))
        for i, title in enumerate(titles)
    ]
    return _random_tree(random, n), term_matrix(pages), titles


def test_clusters_are_named_by_what_sets_their_pages_apart() -> None:
    names = name_clusters(TREE, SITE, TITLES, [4])

    assert names[12] == "PostgreSQL"
    assert names[13] == "Mailing lists"
    assert "paper" in names[9].lower()
    assert "electronic" in names[10].lower()


def test_a_coarser_cut_names_what_its_parts_share() -> None:
    assert name_clusters(TREE, SITE, TITLES, [2])[14] in ("Invoice", "Invoices")


def test_the_whole_site_is_named_by_what_all_pages_share() -> None:
    assert set(words(name_clusters(TREE, SITE, TITLES, [1])[16].lower())) & {"shop", "manual"}


@pytest.mark.parametrize("k", [2, 3, 4, 5, 9])
def test_what_stands_on_every_page_names_no_part_of_the_site(k: int) -> None:
    for name in name_clusters(TREE, SITE, TITLES, [k]).values():
        assert not set(words(name.lower())) & {"shop", "manual", "see", "also", "click", "here", "42"}


def test_a_name_says_more_than_the_next_coarser_one() -> None:
    """The paper invoices are a part of the invoices: the finer names must not be "Invoice" alone."""
    stems = Stems()
    names = name_clusters(TREE, SITE, TITLES, [1, 2, 3, 4, 9])
    chain = [(14, 9), (14, 10), (15, 12), (15, 13), (16, 14), (16, 15)]

    for outer, inner in chain:
        assert {stems[word] for word in words(names[inner])} != {stems[word] for word in words(names[outer])}


def test_a_cluster_keeps_its_name_in_all_cuts_it_is_part_of() -> None:
    """Cluster 14 is there when two, and when three clusters are left."""
    assert name_clusters(TREE, SITE, TITLES, [2])[14] == name_clusters(TREE, SITE, TITLES, [3, 2])[14]


def test_capitals_are_kept_where_pages_always_write_them() -> None:
    titles = ["CGI scripts", "How CGI works", "Fast CGI", "cooking with gas", "cooking rice", "cooking"]
    matrix = term_matrix(Page(f"http://c.example/{i}", title, text=title.lower() * 3) for i, title in enumerate(titles))
    tree = ClusterTree(6, np.array([(0, 1), (6, 2), (3, 4), (8, 5), (7, 9)]), np.array([0.9, 0.8, 0.7, 0.6, 0.0]))

    names = name_clusters(tree, matrix, titles, [2])

    assert names[7].startswith("CGI")
    assert names[9].startswith("cooking")


def test_identifiers_are_not_torn_apart() -> None:
    titles = ["mod_rewrite flags", "mod_rewrite examples", "bananas", "banana bread"]
    matrix = term_matrix(Page(f"http://m.example/{i}", title) for i, title in enumerate(titles))
    tree = ClusterTree(4, np.array([(0, 1), (2, 3), (4, 5)]), np.array([0.9, 0.8, 0.0]))

    assert name_clusters(tree, matrix, titles, [2])[4] == "mod_rewrite"


def test_pages_that_say_the_same_still_get_names_of_their_own() -> None:
    titles = ["Untitled"] * 12
    matrix = term_matrix(Page("http://s.example/x", "Untitled") for _ in titles)
    tree = _random_tree(np.random.default_rng(0), 12)

    names = name_clusters(tree, matrix, titles, [12])

    assert len(set(names.values())) == 12


def test_pages_without_any_word_are_named_by_their_address() -> None:
    matrix = term_matrix(Page(f"http://s.example/dir/{name}", "") for name in ("one", "two"))
    tree = ClusterTree(2, np.array([(0, 1)]), np.array([0.5]))

    assert name_clusters(tree, matrix, ["", ""], [2]) == {0: "one", 1: "two"}


@pytest.mark.parametrize("seed", range(60))
def test_names_of_a_cut_are_distinct_short_and_clean(seed: int) -> None:
    tree, matrix, titles = _random_site(seed)
    cuts = [1, 3, 8, 20, tree.pages]
    names = name_clusters(tree, matrix, titles, cuts)

    for k in cuts:
        shown = [names[cluster].casefold() for cluster in tree.clusters(k)]
        assert len(set(shown)) == len(shown)
    for name in names.values():
        assert 0 < len(name) <= 48
        assert not any(unicodedata.category(character)[0] == "C" for character in name)


@pytest.mark.parametrize("seed", range(30))
def test_the_words_of_a_name_stand_on_the_cluster_s_pages(seed: int) -> None:
    tree, matrix, titles = _random_site(seed)
    stems = Stems()
    for cluster, name in name_clusters(tree, matrix, titles, [6]).items():
        members = tree.members(cluster)
        there = {matrix.terms[column].stem for column in matrix.counts[members].indices}
        written = " ".join(f"{titles[page]} {matrix.urls[page]}" for page in members)
        assert all(stems[word] in there or word in written for word in words(name))


@pytest.mark.parametrize("seed", range(5))
def test_names_are_the_same_every_time(seed: int) -> None:
    assert name_clusters(*_random_site(seed)) == name_clusters(*_random_site(seed))


def test_a_heading_of_many_pages_names_no_cluster() -> None:
    """All four pages of one cluster, of ten pages in all, have a section of caveats, and nothing else in common."""
    subjects = ("apples", "bread", "cheese", "dates", "eggs", "flour", "grapes", "honey", "ice", "jam")
    headers = [("Caveats",)] * 4 + [()] * 6
    pages = [Page(f"http://f.example/{i}", subjects[i], headers=headers[i]) for i in range(10)]
    merges = [(0, 1), (10, 2), (11, 3), (4, 5), (13, 6), (14, 7), (15, 8), (16, 9), (12, 17)]
    tree = ClusterTree(10, np.array(merges), np.linspace(0.9, 0.1, 9))

    names = name_clusters(tree, term_matrix(pages), subjects, [2])

    assert all("caveat" not in name.lower() for name in names.values())
