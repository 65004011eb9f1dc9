"""From pages and their links to the graph."""

from __future__ import annotations

from hypursuit.crawl.page import Link
from hypursuit.similarity.adjacency import page_adjacency


def link(target: str, *, follow: bool = True) -> Link:
    return Link(target, "", 0, 0, follow)


def test_links_between_the_pages_count_once_and_not_to_themselves() -> None:
    pages = [("a", [link("b"), link("b"), link("a"), link("elsewhere")]), ("b", [])]

    assert page_adjacency(pages).toarray().tolist() == [[0, 1], [0, 0]]


def test_links_to_another_address_of_a_page_are_links_to_it() -> None:
    pages = [("a", [link("b/index"), link("old-a")]), ("b", [link("c")])]

    graph = page_adjacency(pages, {"b/index": "b", "old-a": "a", "c": "not crawled"})

    assert graph.toarray().tolist() == [[0, 1], [0, 0]]


def test_disowned_links_do_not_count() -> None:
    assert not page_adjacency([("a", [link("b", follow=False)]), ("b", [])]).nnz


def test_no_pages_make_an_empty_graph() -> None:
    assert page_adjacency([]).shape == (0, 0)
