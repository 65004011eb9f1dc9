"""A small site drawn in words: an index page over three sections, whose pages share words and links."""

from __future__ import annotations

import pytest

from hypursuit.crawl.page import Link, Page

SITE = "http://garden.example"
SECTIONS = {
    "roses": "rose petal thorn bloom pruning",
    "tools": "spade rake shears handle steel",
    "soil": "compost clay humus drainage acidity",
}
PER_SECTION = 8

#            /index.html
#           /     |     \
#     roses/    tools/   soil/      (section index pages, each linked to and from its pages)
#    0 … 7      0 … 7    0 … 7      (every page links to the next one of its section and home)


def link(path: str) -> Link:
    return Link(f"{SITE}/{path}", "", 0, 0)


def garden_pages() -> list[Page]:
    """1 + 3 + 24 pages in breadth-first order, titles ending in the site's name."""
    pages = [Page(f"{SITE}/", title="Garden", text="welcome garden", links=tuple(link(f"{s}/") for s in SECTIONS))]
    for section, words in SECTIONS.items():
        below = tuple(link(f"{section}/{i}.html") for i in range(PER_SECTION))
        text = f"garden {words}"
        pages.append(Page(f"{SITE}/{section}/", title=f"{section} - Garden", text=text, links=(link(""), *below)))
    for section, words in SECTIONS.items():
        vocabulary = words.split()
        for i in range(PER_SECTION):
            own = " ".join(vocabulary[i % 5 :] + vocabulary[: i % 5] + [vocabulary[i % 5]] * 2)
            onward = (link(""), link(f"{section}/"), link(f"{section}/{(i + 1) % PER_SECTION}.html"))
            title = f"{vocabulary[i % 5]} and {vocabulary[(i + 1) % 5]} - Garden"
            pages.append(Page(f"{SITE}/{section}/{i}.html", title=title, text=f"garden {own} {section}", links=onward))
    return pages


@pytest.fixture
def garden() -> list[Page]:
    return garden_pages()
