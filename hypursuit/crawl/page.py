"""What one fetch produced: a page, its links, and where its regions begin. No weights yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page, tied to the place in the page's text where its anchor stands.

    ``text[start:end]`` of the page is the anchor (empty for image links without alternative text); windows of
    any width and kind can therefore be cut later without having been stored.
    """

    target: str
    """Canonical absolute URL."""
    anchor: str
    """What the link says: its words, or the alternative text of its image."""
    start: int
    end: int
    follow: bool = True
    """False where the author marked the link nofollow, ugc or sponsored."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page.

    ``text`` is everything visible in document order, white space folded, blocks ended by a newline; titles and
    keywords are not part of it, headings are. Region boundaries are offsets into ``text`` [H02 §4]:
    a *syntactic* region ends at a paragraph, table cell, list item or hard break after a sentence; a *topical* one
    at the start of a heading and at the end of a list or table.
    """

    url: str
    title: str = ""
    headers: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    text: str = ""
    links: tuple[Link, ...] = ()
    syntactic: tuple[int, ...] = field(default=(), repr=False)
    topical: tuple[int, ...] = field(default=(), repr=False)
    description: str = ""
    language: str = ""
    canonical: str | None = None
    """The URL that the page itself calls its address, if any."""
    index: bool = True
    """False where a robots meta element says noindex."""
    follow: bool = True
    """False where a robots meta element says nofollow."""

    def window(self, link: Link, width: int = 32) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words before and after a link, nearest last and nearest first: at most ``width`` on either side."""
        before = _WORD.findall(self.text, max(0, link.start - 40 * width), link.start)
        after = _WORD.findall(self.text, link.end, link.end + 40 * width)
        return tuple(before[-width:]), tuple(after[:width])
