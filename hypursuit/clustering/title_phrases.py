"""Phrases that titles are made of, and how their words are written."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

MOST_WORDS = 3
LONGEST_PHRASE = 40

Phrase = tuple[str, ...]
"""Lower-case pieces that follow each other in a title: words, or words tied together such as mod_proxy."""

_PIECE = re.compile(r"[^\W_]+(?:[-_.:/'\u2019+&]{1,2}[^\W_]+)*")
_IDENTIFIER = re.compile(r"[_.:/]")
_BREAK = re.compile(r"\s[^\w\s]+\s|[|»«·•…,;()\[\]{}<>\"“”„]|[:!?]\s|\.\s")


class TitlePhrases:
    """The phrases of up to three pieces in a site's titles that can be read by themselves.

    A phrase lies in one segment of a title ("Signals — Django 3.2" has two). It neither begins nor ends with a stop
    word or a word that is everywhere; if it has one inside, or no other title has it, it must be all of the segment:
    "Archive of security" is no name for the page "Archive of security issues". Single words are no phrases.
    """

    def __init__(self, titles: Sequence[str], stems: Mapping[str, str], everywhere: AbstractSet[str]) -> None:
        self._stems, self._everywhere = stems, everywhere
        self._whole: set[Phrase] = set()
        self._written: dict[Phrase, Counter[str]] = {}
        self._begun = Counter(first for title in titles for first in words(title)[:1])
        found = [frozenset(self._phrases(title)) for title in titles]
        on_site = Counter(phrase for phrases in found for phrase in phrases)
        kept = {phrase for phrase, count in on_site.items() if count > 1 or phrase in self._whole}
        self.of_page = [phrases & kept for phrases in found]
        """By page."""

    def count(self, pages: Iterable[int]) -> Counter[Phrase]:
        """On how many of the pages each phrase stands."""
        return Counter(phrase for page in pages for phrase in self.of_page[page])

    def shown(self, phrase: Phrase) -> str:
        """As most titles write it."""
        written = self._written[phrase]
        return min(written, key=lambda form: (-written[form], form))

    def stems(self, phrase: Phrase) -> frozenset[str]:
        """The stems of its words, without stop words."""
        return frozenset(stem for piece in phrase for word in words(piece) if (stem := self._stems[word]))

    def capitalised(self, name: str) -> str:
        """With a capital first letter, unless titles mostly begin with the word without: printf stays printf."""
        piece = _PIECE.match(name)
        first = words(piece[0])[0] if piece else ""
        begun = self._begun
        if piece is None or not first.islower() or _IDENTIFIER.search(piece[0]) or begun[first] > begun[first.title()]:
            return name
        return name[0].upper() + name[1:]

    def _phrases(self, title: str) -> Iterator[Phrase]:
        for segment in _BREAK.split(title):
            pieces = self._trimmed(list(_PIECE.finditer(segment)))
            for n_pieces in range(1, MOST_WORDS + 1):
                for run in zip(*(pieces[i:] for i in range(n_pieces)), strict=False):
                    shown = segment[run[0].start() : run[-1].end()]
                    phrase = tuple(piece[0].lower() for piece in run)
                    if self._reads_well(phrase, whole=n_pieces == len(pieces)) and len(shown) <= LONGEST_PHRASE:
                        self._written.setdefault(phrase, Counter())[shown] += 1
                        yield phrase

    def _trimmed(self, pieces: list[re.Match[str]]) -> list[re.Match[str]]:
        telling = [i for i, piece in enumerate(pieces) if self._tells(piece[0])]
        return pieces[telling[0] : telling[-1] + 1] if telling else []

    def _reads_well(self, phrase: Phrase, *, whole: bool) -> bool:
        if len(phrase) == 1 and len(words(phrase[0])) == 1:
            return False
        if whole:
            self._whole.add(phrase)
            return True
        return self._tells(phrase[0]) and self._tells(phrase[-1]) and all(map(self._has_weight, phrase))

    def _tells(self, piece: str) -> bool:
        """Whether a name may begin or end with it."""
        stems = ((word, self._stems[word]) for word in words(piece))
        return any(stem and stem not in self._everywhere and is_wordlike(word) for word, stem in stems)

    def _has_weight(self, piece: str) -> bool:
        return any(self._stems[word] for word in words(piece))


def is_wordlike(word: str) -> bool:
    """Whether a reader would take it for a word: letters, mostly; neither a single one nor an endless run."""
    letters = sum(map(str.isalpha, word))
    return letters >= 2 and 2 * letters > len(word) and len(word) <= 24
