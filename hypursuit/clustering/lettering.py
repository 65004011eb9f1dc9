"""Strings of unknown origin as text of a drawing: harmless, short, of a width known without asking a font."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

ELLIPSIS = "…"
LONGEST_ADDRESS = 2000
"""Longer URLs are not made into links; browsers and proxies disagree about them anyway."""

_JOINERS = "\u200c\u200d"
_MARKS_KEPT = 2
_NARROW = frozenset("fijlrtI.,:;'|!()[]{}/\\ ")
_WIDE = frozenset("mwMW@%&—")
_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f-\xa0]+\Z", re.IGNORECASE)


def clean(text: str, longest: int = 200) -> str:
    """One line of visible characters, cut to ``longest``.

    Control, direction-changing and unassigned characters go; so do stacks of combining marks, which would grow
    over the neighbouring lines. What is left may still contain markup: escape it where it is written.
    """
    kept: list[str] = []
    marks = 0
    # Spaces, marks and format characters may be dropped: look at more than is kept, yet never at a megabyte.
    for character in " ".join(text[: 8 * longest].split()):
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        if marks > _MARKS_KEPT or (category[0] == "C" and character not in _JOINERS):
            continue
        kept.append(character)
    line = " ".join("".join(kept).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + ELLIPSIS


def escape(text: str) -> str:
    """The text for XML content and for attributes in either kind of quotes."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(character, entity)
    return text


def web_address(url: str) -> str | None:
    """The URL if following it can only open a web page, otherwise nothing: no script, no file, no odd bytes."""
    if len(url) > LONGEST_ADDRESS or _ADDRESS.match(url) is None or clean(url, LONGEST_ADDRESS) != url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:  # a bracketed host that is no IPv6 address
        return None
    return url if parts.hostname and "@" not in parts.netloc else None


def text_width(text: str, size: float) -> float:
    """A width that the text does not exceed in common sans-serif fonts of this size (bold included).

    The drawing names no font of its own, so this leans to the widest of those that browsers put in.
    """
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    if unicodedata.category(character)[0] == "M" or character in _JOINERS:
        return 0.0
    if not character.isascii() and unicodedata.east_asian_width(character) in "WFA":
        return 1.02
    if character in _NARROW:
        return 0.46
    if character in _WIDE:
        return 1.05
    return 0.8 if character.isupper() or not character.isascii() else 0.71


def two_lines(text: str, size: float, narrow: float, wide: float) -> list[str]:
    """The text on one line if it is ``narrow``, else on two as equal as its spaces allow, none over ``wide``."""
    gaps = [i for i, character in enumerate(text) if character == " "]
    if text_width(text, size) <= narrow or not gaps:
        return [shorten(text, size, wide)]
    gap = min(gaps, key=lambda i: max(text_width(text[:i], size), text_width(text[i + 1 :], size)))
    return [shorten(text[:gap], size, wide), shorten(text[gap + 1 :], size, wide)]


def shorten(text: str, size: float, width: float) -> str:
    """The text, its end replaced by an ellipsis if it would be wider than ``width``."""
    if text_width(text, size) <= width:
        return text
    room = width - text_width(ELLIPSIS, size)
    end = 0
    while end < len(text) and (room := room - size * _advance(text[end])) >= 0:
        end += 1
    return text[:end].rstrip() + ELLIPSIS
