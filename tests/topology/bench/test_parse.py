"""The peers of the parsing benchmark read the same pages to the same end."""

from __future__ import annotations

from hypursuit.crawl import parse_page
from topology.bench import parse as bench


def test_all_ways_find_the_same_words_and_links() -> None:
    for body in bench._made_pages(3):
        page = parse_page(bench._URL, body)
        title, text, headings, links = bench._by_walking_the_tree(body)

        assert (title, text.split()) == (page.title, page.text.split())
        assert tuple(headings) == page.headers
        assert [link[:2] for link in links] == [link[:2] for link in page.links]
        for less in (bench._by_tree(body), bench._by_html_parser(body)):
            assert less[0] == page.title
            assert set(page.text.split()) <= set(less[1].split())
            assert less[2] == [link[:2] for link in page.links]


def test_a_line_for_every_peer() -> None:
    lines = bench.measure()

    assert [line.peer_name for line in lines] == ["lxml tree walk", "lxml tree, plain", "html.parser"]
    assert all(line.ours > 0 and line.ratio for line in lines)
