"""What one fetch produced: a page, its links, and where its regions end. No weights yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")
_BLOCK_END = re.compile(r"\n+")
_TOPIC_END = re.compile(r"\n\n")
_CHARACTERS_PER_WORD = 12


class Link(NamedTuple):
    """A link of a page, tied to the place in the page's text where its anchor stands.

    ``text[start:end]`` of the page is the anchor up to white space; windows of any width and kind can therefore be
    cut later without having been stored. Frames and refreshing pages have no anchor in the text: there
    ``start == end``.
    """

    target: str
    """Canonical absolute URL, never that of the page itself."""
    anchor: str
    """What the link says: its words, the alternative text of its image, or the title or name of a frame."""
    start: int
    end: int
    follow: bool = True
    """False where the author marked the link nofollow, ugc or sponsored."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page.

    ``text`` is everything visible in document order, white space folded; title and keywords are not part of it,
    headings, addresses and alternative texts of images are. Its line ends carry the regions of [H02 §4]: a block
    (paragraph, table cell, list item, hard break after a sentence) ends with a newline, a topic (start of a heading,
    end of a list or table) with an empty line. So the text alone, wherever it is stored, says where to cut windows.
    """

    url: str
    title: str = ""
    headers: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    text: str = ""
    links: tuple[Link, ...] = ()
    """In document order, repeated targets included: each has a window of its own."""
    description: str = ""
    language: str = ""
    canonical: str | None = None
    """The URL that the page itself calls its address, if any."""
    index: bool = True
    """False where a robots meta element says noindex."""
    follow: bool = True
    """False where a robots meta element says nofollow."""

    @property
    def syntactic(self) -> tuple[int, ...]:
        """Offsets into ``text`` where a block ends; every topical boundary is also one of these."""
        return tuple(end.start() for end in _BLOCK_END.finditer(self.text))

    @property
    def topical(self) -> tuple[int, ...]:
        """Offsets into ``text`` where a topic ends."""
        return tuple(end.start() for end in _TOPIC_END.finditer(self.text))

    def window(self, link: Link, width: int = 32) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words before and after a link, in reading order: at most ``width`` on either side, all of them whole."""
        if width <= 0:
            return (), ()
        return self._words_before(link.start, width), self._words_after(link.end, width)

    def _words_before(self, place: int, width: int) -> tuple[str, ...]:
        # Words are shorter than the reach on the whole; where they are not, reach farther. One word more than asked
        # for is the proof that the reach did not cut into those that are returned.
        reach = width * _CHARACTERS_PER_WORD
        while True:
            words = _WORD.findall(self.text, max(0, place - reach), place)
            if len(words) > width or reach >= place:
                return tuple(words[-width:])
            reach *= 4

    def _words_after(self, place: int, width: int) -> tuple[str, ...]:
        reach = width * _CHARACTERS_PER_WORD
        while True:
            words = _WORD.findall(self.text, place, place + reach)
            if len(words) > width or place + reach >= len(self.text):
                return tuple(words[:width])
            reach *= 4
