"""Which pages of an index a query's expression matches: set algebra on sorted arrays of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hypursuit.query.index_build import ATTRIBUTE_SHIFT, GAP
from hypursuit.query.query import And, Expression, Not, Or, Phrase, Scope, Word
from hypursuit.text.scoring import ATTRIBUTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.query.index import PageIndex

    Pages = NDArray[np.unsignedinteger]

_FEW = 64
"""Below one page in so many, looking pages up one by one is faster than marking them in a row of all pages."""


class Matcher:
    """Evaluates expressions on one index. Arrays of pages are ascending and without repeats."""

    __slots__ = ("_index",)

    def __init__(self, index: PageIndex) -> None:
        self._index = index

    def match(self, expression: Expression, within: Pages | None = None) -> Pages:
        """The pages that match, of ``within`` only if given."""
        match expression:
            case Word():
                return self._among(self._with_word(expression), within)
            case Phrase():
                return self._with_phrase(expression, within)
            case Scope():
                return self._among(self._index.pages_in(expression), within)
            case And(parts):
                for part in sorted(parts, key=self._cost):
                    within = self.match(part, within)
                return self._everything() if within is None else within
            case Or(parts):
                return self._union([self.match(part, within) for part in parts])
            case Not(part):
                whole = self._everything() if within is None else within
                return self._without(whole, self.match(part, whole))

    def _cost(self, expression: Expression) -> tuple[int, int]:
        """Orders the parts of a conjunction: what narrows most for least work goes first, exclusions last."""
        match expression:
            case Word(stem):
                return 0, self._index.page_frequency(stem)
            case Scope():
                return 0, len(self._index.urls)
            case Or(parts) | And(parts):
                return 1, sum(self._cost(part)[1] for part in parts)
            case Phrase(stems):
                return 2, min(map(self._index.page_frequency, stems))
            case Not():
                return 3, 0

    def _everything(self) -> Pages:
        return np.arange(len(self._index.urls), dtype=self._index.page_type)

    def _with_word(self, word: Word) -> Pages:
        pages, frequencies = self._index.postings(word.stem)
        if word.attribute is None:
            return pages
        return pages[frequencies[:, ATTRIBUTES.index(word.attribute)] > 0]

    def _marked(self, pages: Pages) -> NDArray[np.bool_]:
        marked = np.zeros(len(self._index.urls), bool)
        marked[pages] = True
        return marked

    def _among(self, pages: Pages, within: Pages | None) -> Pages:
        if within is None:
            return pages
        few, many = (pages, within) if len(pages) < len(within) else (within, pages)
        if len(few) * _FEW < len(self._index.urls):
            return few[_found(many, few)]
        return few[self._marked(many)[few]]

    def _without(self, pages: Pages, excluded: Pages) -> Pages:
        return pages[~self._marked(excluded)[pages]] if len(excluded) else pages

    def _union(self, parts: list[Pages]) -> Pages:
        marked = self._marked(np.concatenate(parts))
        return np.flatnonzero(marked).astype(self._index.page_type)

    def _with_phrase(self, phrase: Phrase, within: Pages | None) -> Pages:
        if phrase.places[-1] >= GAP:
            # Could reach into the next heading; the query language cannot say such a phrase.
            return np.empty(0, self._index.page_type)
        pages = self.match(And(tuple(dict.fromkeys(phrase.words))), within)
        by_rarity = sorted(
            zip(phrase.stems, phrase.places, strict=True), key=lambda word: self._index.page_frequency(word[0])
        )
        # Where the phrase would begin if this word were at its place in it. Before the first word of a page that is
        # a number no word of the page before can have, so it never meets another word's.
        begins = (self._index.occurrences(stem, pages) - place for stem, place in by_rarity)
        starts = next(begins)
        for others in begins:
            starts = starts[_found(others, starts)]
        if phrase.attribute is not None:
            attribute = (starts & 0xFFFFFFFF) >> ATTRIBUTE_SHIFT
            starts = starts[attribute == ATTRIBUTES.index(phrase.attribute)]
        return np.unique(starts >> 32).astype(self._index.page_type)


def _found(many: NDArray[np.integer], few: NDArray[np.integer]) -> NDArray[np.bool_]:
    """(len(few),): which of ``few`` are in ``many``, which is sorted."""
    if not len(many):
        return np.zeros(len(few), bool)
    place = np.searchsorted(many, few)
    np.minimum(place, len(many) - 1, out=place)
    found: NDArray[np.bool_] = many[place] == few
    return found
