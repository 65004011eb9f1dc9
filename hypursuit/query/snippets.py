"""The piece of a page's text that shows best why it was found."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from hypursuit.text.stemming import Stems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from hypursuit.query.query import Query

LOOKED_AT: Final = 100_000
"""Characters from the beginning of a text that a snippet is taken from."""
ELLIPSIS: Final = "…"
_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s+")
# Controls, and the marks that turn the direction of the text around them.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")


class Part(NamedTuple):
    """A stretch of a snippet."""

    text: str
    highlighted: bool


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text in stretches. Plain text: whoever puts it into markup escapes it."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The whole of it, without highlights."""
        return "".join(part.text for part in self.parts)


class _Place(NamedTuple):
    start: int
    end: int
    stem: str


def snippet(text: str, query: Query, width: int = 200, stems: Stems | None = None) -> Snippet:
    """The piece of about ``width`` characters with most of the query's words, the first of equally good ones.

    Words of the query's stems are highlighted; without any, it is the beginning of the text. At most ``width``
    characters and two ellipses; cut between words wherever they are shorter than that.
    """
    shown = _presentable(text[:LOOKED_AT])
    places = list(_places(shown, frozenset(query.stems()), Stems() if stems is None else stems))
    start, end = _window(shown, places, max(width, 1))
    return Snippet(tuple(_parts(shown, places, start, end, more=len(text) > LOOKED_AT)))


def _presentable(text: str) -> str:
    """One line without anything that cannot be seen; composed, so that words are whole (see :mod:`text.words`)."""
    return _SPACE.sub(" ", _UNSEEN.sub("", unicodedata.normalize("NFC", text))).strip()


def _places(text: str, wanted: AbstractSet[str], stems: Stems) -> Iterator[_Place]:
    """Where words of the wanted stems stand."""
    # No stemmer changes a first letter, so most words need not be stemmed.
    initials = {stem[0] for stem in wanted}
    for word in _WORD.finditer(text):
        written = word[0]
        if (written[0].lower() in initials or not written.isascii()) and stems[written] in wanted:
            yield _Place(word.start(), word.end(), stems[written])


def _window(text: str, places: list[_Place], width: int) -> tuple[int, int]:
    """Start and end of the best stretch, at ends of words if it can be."""
    first, last = _best_run(places, width)
    # What is left of the width goes to both sides, and all to one where the text ends at the other.
    spare = max(width - (last - first), 0)
    start = max(min(first - spare // 2, len(text) - width), 0)
    end = min(start + width, len(text))
    return _next_start(text, start, first), _last_end(text, end, max(last, start + 1))


def _best_run(places: list[_Place], width: int) -> tuple[int, int]:
    """First and last character of the run of places with most different stems, then most places, then the earliest."""
    best, run = (0, 0), (0, 0)
    inside: Counter[str] = Counter()
    start = 0
    for end, place in enumerate(places):
        inside[place.stem] += 1
        while start < end and place.end - places[start].start > width:
            left = places[start].stem
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            start += 1
        rank = (len(inside), end - start + 1)
        if rank > best:
            best, run = rank, (places[start].start, place.end)
    return run


def _next_start(text: str, start: int, limit: int) -> int:
    """The first start of a word from ``start`` on; ``start`` itself if there is none before ``limit``."""
    if start == 0 or text[start - 1] == " ":
        return start
    space = text.find(" ", start, limit)
    return start if space < 0 else space + 1


def _last_end(text: str, end: int, limit: int) -> int:
    """The last end of a word up to ``end``; ``end`` itself if there is none after ``limit``."""
    if end == len(text) or text[end] == " ":
        return end
    space = text.rfind(" ", limit, end)
    return end if space < 0 else space


def _parts(text: str, places: list[_Place], start: int, end: int, *, more: bool) -> Iterator[Part]:
    pieces = [Part(ELLIPSIS, False)] if start > 0 else []
    at = start
    for place in places:
        if start <= place.start and place.end <= end:
            pieces += [Part(text[at : place.start], False), Part(text[place.start : place.end], True)]
            at = place.end
    pieces += [Part(text[at:end], False), Part(ELLIPSIS if end < len(text) or more else "", False)]
    yield from _joined(pieces)


def _joined(pieces: list[Part]) -> Iterator[Part]:
    """Neighbours of a kind as one, none of them empty."""
    pending = ""
    for piece in pieces:
        if piece.highlighted:
            if pending:
                yield Part(pending, False)
            pending = ""
            yield piece
        else:
            pending += piece.text
    if pending:
        yield Part(pending, False)
