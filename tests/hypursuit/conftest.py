"""A small site drawn in words: an index page over three sections, whose pages share words and links."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from hypursuit.crawl.page import Link, Page

if TYPE_CHECKING:
    from collections.abc import Callable

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


VOCABULARY = [
    "river",
    "mountain",
    "forest",
    "island",
    "valley",
    "glacier",
    "canyon",
    "desert",
    "ocean",
    "meadow",
    "painter",
    "sculptor",
    "novel",
    "poem",
    "theatre",
    "opera",
    "symphony",
    "canvas",
    "gallery",
    "museum",
    "kernel",
    "compiler",
    "thread",
    "socket",
    "buffer",
    "parser",
    "packet",
    "daemon",
    "cluster",
    "router",
]


def made_site(seed: int, host: str, pages: int) -> list[Page]:
    """Pages of seeded words, a few words common and most rare, under all attributes, linked at random."""
    rng = random.Random(f"{seed} {host}")
    folders = rng.choice([("",), ("", "a/"), ("docs/", "docs/b/")])
    urls = [f"http://{host}/{rng.choice(folders)}{number}.html" for number in range(pages)]

    def said(most: int) -> str:
        return " ".join(VOCABULARY[int(len(VOCABULARY) * rng.random() ** 2)] for _ in range(rng.randint(0, most)))

    return [
        Page(
            url,
            title=said(3),
            headers=tuple(said(3) for _ in range(rng.randint(0, 2))),
            keywords=(said(2),),
            addresses=(said(1),),
            text=said(rng.choice([5, 40, 300])),
            links=tuple(
                Link(target, "", 0, 0)
                for target in rng.sample([*urls, "http://elsewhere.test/", "http://one.north.test/x"], k=2)
                if target != url
            ),
        )
        for url in urls
    ]


@pytest.fixture
def site() -> Callable[[int, str, int], list[Page]]:
    """(seed, host, pages) → the pages of a made site."""
    return made_site
