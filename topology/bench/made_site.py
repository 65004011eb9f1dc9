"""A documentation-like web site made from a seed: the same seed, the same bytes."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PAGES_PER_CHAPTER = 30
_SYLLABLES = ("ba", "con", "de", "fi", "gra", "hel", "in", "jo", "kel", "lo", "mar", "net", "or", "qui", "set", "tor")
_ROBOTS = "User-agent: *\nDisallow: /private/\n"


def make_site(folder: Path, pages: int, seed: int = 1996) -> None:
    """Write a site of ``pages`` pages, all reachable from its index.html, each about 35 kB with about 100 links.

    Every page also links to one below /private/, which exists and which robots.txt forbids: who fetches it does not
    obey.
    """
    writer = _SiteWriter(pages, random.Random(seed))  # noqa: S311 - a reproducible site is the point
    for number in range(pages):
        file = folder / writer.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(writer.page(number), encoding="utf-8")
    (folder / "private").mkdir()
    (folder / "private" / "index.html").write_text("<title>Private</title>", encoding="utf-8")
    (folder / "robots.txt").write_text(_ROBOTS, encoding="utf-8")


class _SiteWriter:
    def __init__(self, pages: int, chance: random.Random) -> None:
        self._pages, self._chance = pages, chance
        self._words = sorted({"".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(4000)})
        chance.shuffle(self._words)
        # Words as frequent as in language: the k-th most frequent has weight 1/k.
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self._words) + 1)))
        self._titles = [self._text(4).capitalize() for _ in range(pages)]

    def path(self, number: int) -> str:
        """The file of a page: chapters are folders, their first page the index."""
        chapter, place = divmod(number, _PAGES_PER_CHAPTER)
        name = "index" if place == 0 else f"page-{place}"
        return f"{name}.html" if chapter == 0 else f"chapter-{chapter}/{name}.html"

    def page(self, number: int) -> str:
        sections = "".join(self._section(place) for place in range(10))
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{self._titles[number]}</title>'
            f'<meta name="keywords" content="{self._text(5)}"><link rel="stylesheet" href="/style.css"></head>\n'
            f'<body><nav class="sidebar"><ul>{self._navigation(number)}</ul></nav>\n'
            f'<main><h1>{self._titles[number]}</h1>\n{sections}</main>\n<footer><a href="/private/index.html">'
            "Imprint</a></footer></body></html>\n"
        )

    def _navigation(self, number: int) -> str:
        """Links to all chapters and to the pages of one's own chapter, as documentation tools write them."""
        first = number - number % _PAGES_PER_CHAPTER
        own = range(first, min(first + _PAGES_PER_CHAPTER, self._pages))
        chapters = range(0, self._pages, _PAGES_PER_CHAPTER)
        # On a small site the two overlap; a page is listed once.
        return "".join(f'<li class="toctree-l1">{self._link(target)}</li>' for target in sorted({*own, *chapters}))

    def _section(self, place: int) -> str:
        paragraphs = "".join(f"<p>{self._paragraph()}</p>\n" for _ in range(3))
        code = f'<pre class="code"><span class="k">def</span> {self._text(18)}</pre>\n'
        cells = "".join(f"<tr><td><code>{self._text(1)}</code></td><td>{self._text(9)}</td></tr>" for _ in range(3))
        return f'<h2 id="s{place}">{self._text(3)}</h2>\n{paragraphs}{code}<table>{cells}</table>\n'

    def _paragraph(self) -> str:
        """Text with a link in its middle three times in four."""
        link = self._link(self._chance.randrange(self._pages)) if self._chance.random() < 0.75 else ""
        return f"{self._text(30)} <em>{self._text(2)}</em> {link} {self._text(24)}"

    def _link(self, target: int) -> str:
        path = self.path(target)
        return f'<a class="reference internal" href="/{path}"><span>{self._titles[target]}</span></a>'

    def _text(self, words: int) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=words))
