"""The target that lxml's HTML parser calls for every tag, and the folding of what it collected.

No tree is built, so depth costs nothing. The reader collects pieces of text, with *marks* between them where something
begins or ends; white space is folded and marks become offsets once, at the end, by a few string operations over
the whole page rather than piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

MAX_LINKS: Final = 20_000
"""Of a page; the ones after are not collected."""
MAX_META: Final = 10_000
"""Characters of a title, a description or the keywords: those of one element, and at most so many keywords in all."""
AGENT: Final = "hypursuit"
"""The name under which robots meta elements may address us alone."""

# Marks are lone surrogates: the parser reads UTF-8, so no page can contain them.
_MARK, _BREAK, _BLOCK, _TOPIC = "\ud800", "\ud801", "\ud802", "\ud803"
_MARKS: Final = (_MARK, _BREAK, _BLOCK, _TOPIC)
# Control characters are taken out of the input before it is parsed, but character references can bring some back.
_CONTROLS: Final = "\\x00-\\x08\\x0e-\\x1f\\x7f"
_CONTROL = re.compile(f"[{_CONTROLS}]+")
# A run starts with a mark, not with the space that may stand before it: a search for one set of characters, none of
# them frequent, is several times as fast.
_RUN = re.compile(f"([{''.join(_MARKS)}{_CONTROLS}][ {''.join(_MARKS)}{_CONTROLS}]*)")
_SENTENCE_BREAK = re.compile(f"([.!?:\u2026\u3002\uff01\uff1f][\"')\\]\u201d\u2019\u00bb {_MARK}]{{0,9}}){_BREAK}")
_REFRESH = re.compile(r"[\s\d.]*[;,\s]\s*(?:url\s*=)?\s*([\"']?)(.*)", re.IGNORECASE | re.DOTALL)
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}")
_UNFOLLOWED: Final = frozenset(("nofollow", "ugc", "sponsored"))

Attributes: TypeAlias = Mapping[str, str]


class Folded(NamedTuple):
    """The visible text of a page, and the offset into it of every mark."""

    text: str
    places: list[int]


class MarkupReader:
    """Collects one page; good for one parse.

    ``links`` holds (href, label, follow, first mark, last mark) in document order, ``headings`` and ``addresses``
    pairs of marks; :meth:`fold` says where in the text the marks are.
    """

    def __init__(self) -> None:
        self.title = self.description = self.language = self.canonical = ""
        self.base: str | None = None
        self.keywords: dict[str, None] = {}
        self.index = self.follow = True
        self.links: list[tuple[str, str, bool, int, int]] = []
        self.headings: list[tuple[int, int]] = []
        self.addresses: list[tuple[int, int]] = []
        self._pieces: list[str] = []
        # The parser calls this once for each run of text: a list's own method spares a Python frame for every call.
        self.data: Callable[[str], None] = self._pieces.append
        self._marks = 0
        self._link: tuple[str, bool, int] | None = None
        self._permalink: int | None = None
        self._heading: list[int] = []
        self._address: list[int] = []
        self._muted: list[tuple[int, int, int, int, int]] = []
        self._drawings = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        """Called by the parser; tags without an entry are inline and separate nothing."""
        action = _STARTS.get(tag)
        if action is None:
            return
        if action.__class__ is str:
            self.data(action)
        else:
            action(self, attributes)  # type: ignore[operator]  # mypy narrows by isinstance only, which is slower

    def end(self, tag: str) -> None:
        """Called by the parser, also for tags the page left open: starts and ends are always balanced."""
        action = _ENDS.get(tag)
        if action is None:
            return
        if action.__class__ is str:
            self.data(action)
        else:
            action(self)  # type: ignore[operator]

    def close(self) -> None:
        """Called by the parser at the end."""

    def fold(self) -> Folded:
        """The text of the page, and where in it the marks are."""
        return _fold("".join(self._pieces))

    def _mark(self) -> int:
        self.data(_MARK)
        self._marks += 1
        return self._marks - 1

    # Links

    def _open_anchor(self, attributes: Attributes) -> None:
        if self._link is not None:
            self._close_anchor()
        href = attributes.get("href")
        if href is None:
            return
        if href.startswith("#"):
            self._permalink = len(self._pieces)
        elif len(self.links) < MAX_LINKS:
            self._link = href, _followed(attributes.get("rel")), self._mark()

    def _close_anchor(self) -> None:
        if self._link is not None:
            href, follow, first = self._link
            self._link = None
            self.links.append((href, "", follow, first, self._mark()))
        elif self._permalink is not None:
            sign = self._pieces[self._permalink :]
            if len(sign) == 1 and len(sign[0]) <= 2 and not sign[0].isalnum():
                del self._pieces[-1]
            self._permalink = None

    def _area(self, attributes: Attributes) -> None:
        href = attributes.get("href", "#")
        if href.startswith("#") or len(self.links) >= MAX_LINKS:
            return
        first = self._mark()
        self._image(attributes)
        self.links.append((href, "", _followed(attributes.get("rel")), first, self._mark()))

    def _frame(self, attributes: Attributes) -> None:
        src = attributes.get("src", "").strip()
        if src and len(self.links) < MAX_LINKS:
            place = self._mark()
            label = attributes.get("title") or attributes.get("name") or ""
            self.links.append((src, _clean(label), True, place, place))

    def _iframe(self, attributes: Attributes) -> None:
        self._frame(attributes)
        self._mute()

    def _image(self, attributes: Attributes) -> None:
        alternative = attributes.get("alt")
        if alternative:
            self.data(f" {alternative} ")

    # Regions of text

    def _open_heading(self, _: Attributes) -> None:
        self.data(_TOPIC)
        self._heading.append(self._mark())

    def _close_heading(self) -> None:
        self._close_span(self._heading, self.headings)

    def _open_address(self, _: Attributes) -> None:
        self.data(_BLOCK)
        self._address.append(self._mark())

    def _close_address(self) -> None:
        self._close_span(self._address, self.addresses)

    def _close_span(self, opened: list[int], spans: list[tuple[int, int]]) -> None:
        first = opened.pop()
        # Only the outermost counts: a thousand nested headings would repeat their text a thousand times.
        if not opened:
            spans.append((first, self._mark()))
        self.data(_BLOCK)

    # What is not text

    def _mute(self, _: Attributes | None = None) -> None:
        self._muted.append(
            (len(self._pieces), self._marks, len(self.links), len(self.headings), len(self.addresses)),
        )

    def _unmute(self) -> str:
        """Forget all that came since the matching :meth:`_mute`; return its text."""
        pieces, self._marks, links, headings, addresses = self._muted.pop()
        text = "".join(self._pieces[pieces:])
        del self._pieces[pieces:], self.links[links:], self.headings[headings:], self.addresses[addresses:]
        if self._link is not None and self._link[2] >= self._marks:
            self._link = None
        return text

    def _drop(self) -> None:
        self._unmute()

    def _open_drawing(self, _: Attributes) -> None:
        self._drawings += 1

    def _close_drawing(self) -> None:
        self._drawings -= 1

    def _close_title(self) -> None:
        text = self._unmute()
        # Drawings (svg) have titles of their own.
        if not self.title and not self._drawings and not self._muted:
            self.title = _clean(text)

    # The head

    def _html(self, attributes: Attributes) -> None:
        self._set_language(attributes.get("lang") or attributes.get("xml:lang"))

    def _set_language(self, language: str | None) -> None:
        if language and not self.language and (tag := _LANGUAGE.fullmatch(language.strip())):
            self.language = tag[0].lower().replace("_", "-")

    def _base(self, attributes: Attributes) -> None:
        if self.base is None:
            self.base = attributes.get("href")

    def _link_element(self, attributes: Attributes) -> None:
        if not self.canonical and "canonical" in attributes.get("rel", "").lower().split():
            self.canonical = attributes.get("href", "").strip()

    def _meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content or self._muted:
            return
        name = (attributes.get("name") or attributes.get("http-equiv") or "").strip().lower()
        if name == "description":
            self.description = self.description or _clean(content)
        elif name == "keywords":
            self._add_keywords(content)
        elif name in ("robots", AGENT):
            index, follow = robots_flags(content)
            self.index, self.follow = self.index and index, self.follow and follow
        elif name == "refresh":
            self._refresh(content)
        elif name == "content-language":
            self._set_language(content.partition(",")[0])

    def _add_keywords(self, content: str) -> None:
        if len(self.keywords) < MAX_META:
            self.keywords.update(dict.fromkeys(filter(None, map(_clean, content[:MAX_META].split(",")))))

    def _refresh(self, content: str) -> None:
        instruction = _REFRESH.match(content[:MAX_META])
        if instruction and instruction[2] and len(self.links) < MAX_LINKS:
            quote, href = instruction.groups()
            place = self._mark()
            self.links.append((href.partition(quote)[0] if quote else href, "", True, place, place))


class _Runs(dict[str, tuple[str, int]]):
    """What a run of spaces and marks folds into: one kind of white space at most, and a number of marks after it.

    Pages repeat few distinct runs, so a page remembers them.
    """

    controls = False
    """Whether a control character was met."""

    def __missing__(self, run: str) -> tuple[str, int]:
        if _TOPIC in run:
            space = "\n\n"
        elif _BLOCK in run or run.count(_BREAK) > 1:
            space = "\n"
        else:
            space = " " if " " in run or _BREAK in run else ""
        self.controls = self.controls or _CONTROL.search(run) is not None
        self[run] = folded = space, run.count(_MARK)
        return folded


def _fold(raw: str) -> Folded:
    """Fold white space, break lines where blocks end, find the marks."""
    if "\xad" in raw:
        raw = raw.replace("\xad", "")
    folded = " ".join(raw.split())
    if _BREAK in folded:
        folded = _SENTENCE_BREAK.sub(rf"\1{_BLOCK}", folded)
    runs, parts = _Runs(), _RUN.split(folded)
    pieces: list[str] = []
    places: list[int] = []
    place = 0
    alternating = iter(parts)
    for text, run in zip(alternating, alternating, strict=False):
        space, marks = runs[run]
        piece = text[:-1] + (space or " ") if text.endswith(" ") else text + space
        if text or place:  # else it is white space before the first word
            pieces.append(piece)
            place += len(piece)
        places += (place,) * marks
    if runs.controls:
        return _fold(_CONTROL.sub("", raw))
    text = "".join((*pieces, parts[-1])).rstrip()
    length = len(text)
    return Folded(text, [min(place, length) for place in places])


def robots_flags(content: str) -> tuple[bool, bool]:
    """Whether a robots statement (meta element or header value) lets a page be indexed and its links be followed."""
    words = frozenset(content.lower().replace(",", " ").split())
    return not words & {"noindex", "none"}, not words & {"nofollow", "none"}


def _followed(rel: str | None) -> bool:
    return not rel or _UNFOLLOWED.isdisjoint(rel.lower().split())


def _clean(text: str) -> str:
    return " ".join(_CONTROL.sub("", text[:MAX_META]).split())


# fmt: off
_BLOCKS: Final = (
    "article", "aside", "blockquote", "body", "button", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "header", "hgroup", "hr",
    "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre",
    "section", "select", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "tr", "ul",
    "video", "xmp",
)
# fmt: on
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MUTED: Final = ("noembed", "noframes", "script", "style", "template", "title")

_STARTS: Final[dict[str, str | Callable[[MarkupReader, Attributes], None]]] = {
    **dict.fromkeys(_BLOCKS, _BLOCK),
    **dict.fromkeys(_HEADINGS, MarkupReader._open_heading),
    **dict.fromkeys(_MUTED, MarkupReader._mute),
    "a": MarkupReader._open_anchor,
    "address": MarkupReader._open_address,
    "area": MarkupReader._area,
    "base": MarkupReader._base,
    "br": _BREAK,
    "frame": MarkupReader._frame,
    "html": MarkupReader._html,
    "iframe": MarkupReader._iframe,
    "img": MarkupReader._image,
    "link": MarkupReader._link_element,
    "meta": MarkupReader._meta,
    "svg": MarkupReader._open_drawing,
}
_ENDS: Final[dict[str, str | Callable[[MarkupReader], None]]] = {
    **dict.fromkeys(_BLOCKS, _BLOCK),
    **dict.fromkeys(("dir", "dl", "menu", "ol", "table", "ul"), _TOPIC),
    **dict.fromkeys(_HEADINGS, MarkupReader._close_heading),
    **dict.fromkeys(_MUTED, MarkupReader._drop),
    "a": MarkupReader._close_anchor,
    "address": MarkupReader._close_address,
    "iframe": MarkupReader._drop,
    "svg": MarkupReader._close_drawing,
    "title": MarkupReader._close_title,
}
