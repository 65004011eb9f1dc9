"""Parsing pages against the usual ways to do it in Python: pages per CPU second, taking turns.

One peer walks lxml's tree and finds most of what we find: text with the ends of blocks, headings, and links with their
places in it. The other two find title, words and links only. Trees lose what is nested deeper than 254 elements.
"""

from __future__ import annotations

import time
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from lxml import etree

from hypursuit.crawl import canonical_url, parse_page
from topology.bench.made_site import make_site
from topology.bench.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = 200
_ROUNDS = 3
_URL = "http://docs.example/chapter-1/index.html"
_HIDDEN = frozenset(("script", "style", "template"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = _HEADINGS | frozenset(
    ("div", "dd", "dl", "dt", "footer", "li", "main", "nav", "ol", "p", "pre", "table", "td", "ul")
)
_WALK: Final = "lxml tree walk"


def measure(large: bool = False) -> list[Measurement]:
    """200 made pages of documentation, or 1,000 if ``large``."""
    pages = _made_pages(5 * _PAGES if large else _PAGES)
    ways: dict[str, Callable[[bytes], object]] = {
        "ours": lambda body: parse_page(_URL, body),
        _WALK: _by_walking_the_tree,
        "lxml tree, plain": _by_tree,
        "html.parser": _by_html_parser,
    }
    speeds = {name: len(pages) / median(seconds) for name, seconds in _take_turns(ways, pages).items()}
    size = sum(map(len, pages)) / len(pages) / 1_000
    what = f"parsing pages of {size:.0f} kB"
    return [
        Measurement(
            *(what, "pages per CPU second", speeds["ours"], speeds[peer], peer),
            higher_is_better=True,
            note="the peer loses deeply nested text" if peer == _WALK else "the peer finds title, words and links only",
        )
        for peer in list(ways)[1:]
    ]


def _made_pages(count: int) -> list[bytes]:
    with TemporaryDirectory() as folder:
        make_site(Path(folder), count)
        return [file.read_bytes() for file in sorted(Path(folder).rglob("*.html"))]


def _take_turns(ways: dict[str, Callable[[bytes], object]], pages: list[bytes]) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            begin = time.process_time()
            for page in pages:
                way(page)
            seconds[name].append(time.process_time() - begin)
    return seconds


def _by_walking_the_tree(body: bytes) -> tuple[str, str, list[str], list[tuple[str, str, int, int]]]:
    """Visit every element on the way down and up, and fold the text piece by piece."""
    tree = etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))
    writer = _FoldingWriter()
    headings, links, opened = [], [], []
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag
        if event == "start":
            if tag in _BLOCKS:
                writer.end_block()
            opened.append(writer.place)
            if element.text and tag not in _HIDDEN and tag != "title":
                writer.write(element.text)
            continue
        start = opened.pop()
        if tag in _HEADINGS:
            headings.append(writer.since(start))
        elif tag == "a" and element.get("href"):
            links.append((canonical_url(element.get("href", ""), _URL), writer.since(start), start, writer.place))
        if tag in _BLOCKS:
            writer.end_block()
        if element.tail:
            writer.write(element.tail)
    return tree.findtext(".//title") or "", "".join(writer.pieces), headings, links


class _FoldingWriter:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.place = 0
        self._ended = " "

    def write(self, text: str) -> None:
        folded = " ".join(text.split())
        if text[0].isspace() and self._ended not in " \n":
            folded = f" {folded}"
        if folded and text[-1].isspace() and folded != " ":
            folded += " "
        self._append(folded)

    def end_block(self) -> None:
        if self._ended != "\n":
            self._append("\n")

    def since(self, start: int) -> str:
        """The text from a place on, which is not far back."""
        found: list[str] = []
        place = self.place
        for piece in reversed(self.pieces):
            if place <= start:
                break
            place -= len(piece)
            found.append(piece)
        return "".join(reversed(found)).strip()

    def _append(self, piece: str) -> None:
        if piece:
            self.pieces.append(piece)
            self.place += len(piece)
            self._ended = piece[-1]


def _by_tree(body: bytes) -> tuple[str, str, list[tuple[str, str]]]:
    """Build the tree, walk it once for the text and once for the links."""
    tree = etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))
    words: list[str] = []
    for element in tree.iter():
        if element.tag not in _HIDDEN and element.text:
            words += element.text.split()
        if element.tail:
            words += element.tail.split()
    links = [
        (
            urljoin(_URL, anchor.get("href", "")).partition("#")[0],
            " ".join("".join(map(str, anchor.itertext())).split()),
        )
        for anchor in tree.iter("a")
        if anchor.get("href")
    ]
    return tree.findtext(".//title") or "", " ".join(words), links


def _by_html_parser(body: bytes) -> tuple[str, str, list[tuple[str, str]]]:
    reader = _StandardReader()
    reader.feed(body.decode("utf-8"))
    reader.close()
    return "".join(reader.title), " ".join(" ".join(reader.text).split()), reader.links


class _StandardReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.text: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._inside = ""
        self._href = ""
        self._anchor: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href, self._anchor = dict(attrs).get("href") or "", []
        elif tag == "title" or tag in _HIDDEN:
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._href:
            self.links.append((urljoin(_URL, self._href).partition("#")[0], " ".join("".join(self._anchor).split())))
            self._href = ""
        elif tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "title":
            self.title.append(data)
        elif not self._inside:
            self.text.append(data)
            if self._href:
                self._anchor.append(data)
