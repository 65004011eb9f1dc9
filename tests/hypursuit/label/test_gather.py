"""Sub-clusters of different children come together by words and by links; links are counted through the levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hypursuit.label import (
    Browsing,
    Card,
    ContentLabel,
    Host,
    LabelBudget,
    LabelTerm,
    Links,
    OutwardLinks,
    Refinement,
    SubCluster,
    gather,
    merge_labels,
)  # fmt: skip
from hypursuit.label.gather import gathered
from hypursuit.label.linking import link_matrix
from hypursuit.label.routing import Cover, blank_part
from hypursuit.text.terms import Attribute

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from hypursuit.crawl.page import Page

# Two children with two sub-clusters each.
#
#   a.test   poems (3 pages) ──4 links──▶ machines (1 page)        a.poems ──8 links──▶ host b.test
#   b.test   verse (1 page)               engines (3 pages)        b.engines ──6 links──▶ host c.test


def cluster(name: str, pages: int, *stems: str) -> SubCluster:
    return SubCluster(name, pages, 0, 0, tuple(LabelTerm(Attribute.TEXT, stem, stem, 5, pages) for stem in stems))


def label(
    host: str, clusters: tuple[SubCluster, ...], links: tuple[Links, ...], outward: tuple[OutwardLinks, ...]
) -> ContentLabel:
    routing = blank_part(2.2, np.arange(len(clusters)), len(clusters), [Cover.everything(len(clusters))])
    pages = sum(part.pages for part in clusters)
    refinement = Refinement(clusters, links, outward)
    return ContentLabel(
        host, f"http://{host}/", 1, (Host(host),), 1, pages, 0, 0, refinement, routing, Browsing(Card())
    )


def two_sites(*, words: bool = True, links: bool = True) -> tuple[ContentLabel, ContentLabel]:
    said = ("rhyme", "metre", "gear", "steam") if words else ("w", "x", "y", "z")
    a = label(
        "a.test",
        (cluster("poems", 3, said[0], said[1]), cluster("machines", 1, said[2], said[3])),
        (Links(0, 1, 4),) if links else (),
        (OutwardLinks(0, "b.test", 8),) if links else (),
    )
    other = said if words else ("k", "l", "m", "n")
    b = label(
        "b.test",
        (cluster("verse", 1, other[0], other[1]), cluster("engines", 3, other[2], other[3])),
        (),
        (OutwardLinks(1, "c.test", 6),),
    )
    return a, b


def test_links_to_a_host_are_spread_over_its_sub_clusters_by_pages() -> None:
    expected = np.zeros((4, 4))
    expected[0, 1], expected[0, 2], expected[0, 3] = 4, 8 * 1 / 4, 8 * 3 / 4

    assert link_matrix(two_sites()).toarray().tolist() == expected.tolist()


def test_the_same_words_bring_sub_clusters_of_different_children_together() -> None:
    assert gathered(two_sites(links=False), 2).tolist() == [0, 1, 0, 1]


def test_links_bring_sub_clusters_together_where_words_say_nothing() -> None:
    """Six of the poems' links go to engines, more than to machines and verse."""
    assert gathered(two_sites(words=False), 3).tolist() == [0, 1, 2, 0]


def test_a_parent_counts_links_between_its_sub_clusters_and_those_that_leave() -> None:
    """4 inside the first child, 8 from one child to the other; 6 leave."""
    root = merge_labels("root", "http://root/", two_sites(links=True), LabelBudget(10_000, 10, 4))
    fewer = merge_labels("root", "http://root/", two_sites(), LabelBudget(10_000, 10, 2))

    assert sum(link.links for link in root.links) == 12
    assert [(link.host, link.links) for link in root.outward] == [("c.test", 6)]
    assert sum(link.links for link in fewer.links) == 12


def test_frequencies_of_terms_add_up() -> None:
    root = merge_labels("root", "http://root/", two_sites(links=False), LabelBudget(10_000, 10, 2))
    poems = root.clusters[0]

    assert {term.stem: (term.tf, term.df) for term in poems.terms} == {"metre": (10, 4), "rhyme": (10, 4)}
    assert poems.name == "metre, rhyme"
    assert poems.pages == 4


def test_more_sub_clusters_than_can_be_compared_are_gathered_in_steps(
    monkeypatch: pytest.MonkeyPatch, children: tuple[ContentLabel, ...]
) -> None:
    monkeypatch.setattr(gather, "MOST_COMPARED", 12)
    few = gathered(children, 5)
    monkeypatch.setattr(gather, "MOST_COMPARED", 3)
    none = gathered(children, 5)
    total = sum(len(child.clusters) for child in children)

    for membership in (few, none):
        assert len(membership) == total
        assert set(membership.tolist()) == set(range(5))


def test_a_leaf_counts_its_links(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> None:
    pages = site(2, "x.test", 12)
    made = label_of("x", pages, LabelBudget(clusters=4))
    inside = {
        (page.url, link.target) for page in pages for link in page.links if link.target.startswith("http://x.test/")
    }
    outside = {(page.url, link.target.split("/")[2]) for page in pages for link in page.links} - {
        (page.url, "x.test") for page in pages
    }

    assert sum(link.links for link in made.links) == len(inside)
    assert sum(link.links for link in made.outward) == len(outside)
