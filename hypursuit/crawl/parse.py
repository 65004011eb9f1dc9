"""HTML to a :class:`Page` in one linear pass, whatever the HTML.

What counts as visible: everything but scripts, styles, templates, comments and what stands in for frames in browsers
without them. ``noscript`` is read: this reader runs no scripts, so that is what the author wrote for it. References of
a page to itself are not links: they join no two pages, and a permalink sign after a heading says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from hypursuit.crawl.charset import decode
from hypursuit.crawl.markup import MarkupReader
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.url import Joiner, canonical_url
from hypursuit.errors import MalformedUrl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypursuit.crawl.markup import Folded

MAX_CHARACTERS: Final = 8_000_000
"""Of HTML; what lies beyond is not read."""
MAX_ANCHOR: Final = 1_000
"""Characters of an anchor, a heading or an address: unclosed ones would swallow the page."""

_CONTROL_BYTES: Final = bytes(code for code in range(32) if code not in b"\t\n\f\r") + b"\x7f"


def parse_page(url: str, html: str | bytes, content_type: str | None = None) -> Page:
    """What a page says and where it leads; never fails, takes time linear in the size of the page.

    Args:
        url: where the page was found; its relative links are joined to this unless it names a base. Kept as given.
        html: bytes are decoded as :func:`hypursuit.crawl.decode` does.
        content_type: the header that came with the bytes.
    """
    reader = read_markup(decode(html, content_type) if isinstance(html, bytes) else html.removeprefix("\ufeff"))
    folded = reader.fold()
    own = _canonical(url)
    joined = Joiner(_canonical(reader.base, own) or own if reader.base else own)
    return Page(
        url=url,
        title=reader.title,
        headers=tuple(_spans(folded, reader.headings)),
        keywords=tuple(reader.keywords),
        addresses=tuple(_spans(folded, reader.addresses)),
        text=folded.text,
        links=tuple(_links(folded, reader, joined, own)),
        description=reader.description,
        language=reader.language,
        canonical=joined(reader.canonical) if reader.canonical else None,
        index=reader.index,
        follow=reader.follow,
    )


def read_markup(html: str) -> MarkupReader:
    """Run the parser over a page's text."""
    reader = MarkupReader()
    # The encoding is stated, so the parser does not look for a charset in a meta element of its own accord; without
    # huge_tree it would stop at long texts.
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True)  # type: ignore[arg-type]  # stubs
    etree.fromstring(html[:MAX_CHARACTERS].encode("utf-8", "replace").translate(None, _CONTROL_BYTES), parser)
    return reader


def _canonical(url: str, base: str | None = None) -> str | None:
    try:
        return canonical_url(url, base)
    except MalformedUrl:
        return None


def _links(folded: Folded, reader: MarkupReader, joined: Joiner, own: str | None) -> Iterator[Link]:
    text, places = folded
    for href, label, follow, first, last in reader.links:
        target = joined(href)
        if target is None or target == own:
            continue
        start = places[first]
        anchor = text[start : places[last]].rstrip()
        if len(anchor) > MAX_ANCHOR:
            anchor = _shorten(anchor)
        end = start + len(anchor)
        if "\n" in anchor:
            anchor = " ".join(anchor.split())
        yield Link(target, anchor or label, start, end, follow)


def _spans(folded: Folded, spans: list[tuple[int, int]]) -> Iterator[str]:
    """The texts between pairs of marks, without the empty ones."""
    text, places = folded
    for first, last in spans:
        words = text[places[first] : places[last]]
        if words:
            yield " ".join(_shorten(words).split())


def _shorten(text: str) -> str:
    """At most MAX_ANCHOR characters, ending with a whole word if there is one."""
    if len(text) <= MAX_ANCHOR:
        return text
    cut = text[:MAX_ANCHOR]
    return cut.rpartition(" ")[0] or cut
