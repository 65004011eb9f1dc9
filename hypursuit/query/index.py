"""The index of pages: of one site at a leaf, or of many sites as the central index that the tree is compared with."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from hypursuit.errors import BadSetting, StoreUnusable
from hypursuit.query.arrays import pack_arrays, unpack_arrays
from hypursuit.query.index_build import IndexArrays, index_arrays
from hypursuit.query.matching import Matcher
from hypursuit.query.scope import covered_ranges, split_origin
from hypursuit.text.scoring import Scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from hypursuit.crawl.page import Page
    from hypursuit.query.query import Idf, Query, Scope, Word
    from hypursuit.query.strings import Strings
    from hypursuit.text.stemming import Stems

DEFAULT_SCORING = Scoring()
_KIND = "page index"
_SCORING = "scoring"
_REMEMBERED = 1_000
_RARELY = 8
"""A word on more than so many times the matching pages is looked up on those only."""


class Match(NamedTuple):
    """A page that matches, by its number in the index."""

    page: int
    score: float


class Share(NamedTuple):
    """What one word adds to the score of a page."""

    word: Word
    frequencies: tuple[int, ...]
    """tf by attribute, in the order of ATTRIBUTES."""
    idf: float
    part: float
    score: float


@dataclass(frozen=True, eq=False)
class PageIndex:
    """Pages to be searched. Safe to use from several threads at once.

    A page's score depends on the page, the query and its idf alone: it is the same float in the index of its site and
    in one over all sites.
    """

    arrays: IndexArrays = field(repr=False)
    scoring: Scoring = DEFAULT_SCORING
    facts: Mapping[str, str] = field(default_factory=dict)
    """What was noted when it was packed."""
    _looked_up: dict[str, tuple[int, int]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def build(cls, pages: Iterable[Page], scoring: Scoring = DEFAULT_SCORING, stems: Stems | None = None) -> PageIndex:
        """Index pages in the order given; of several with one URL, the first."""
        return cls(index_arrays(pages, stems), scoring)

    def pack(self, facts: Mapping[str, str] | None = None) -> Iterator[bytes | memoryview]:
        """The index as the bytes of one file; ``facts`` are kept with it."""
        scoring = msgspec.json.encode(self.scoring).decode()
        return pack_arrays(_KIND, {**(facts or {}), _SCORING: scoring}, self.arrays.to_mapping())

    @classmethod
    def unpack(cls, content: bytes | memoryview) -> PageIndex:
        """An index over the bytes of a file, which are not copied; raises StoreUnusable."""
        facts, arrays = unpack_arrays(_KIND, content)
        try:
            scoring = msgspec.json.decode(facts.pop(_SCORING), type=Scoring)
            return cls(IndexArrays.from_mapping(arrays), scoring, facts)
        except (KeyError, ValueError, BadSetting) as error:
            raise StoreUnusable(f"the index lacks something or makes no sense: {error}") from error

    @property
    def urls(self) -> Strings:
        """Page → URL, in the order the pages were given."""
        return self.arrays.urls

    @property
    def titles(self) -> Strings:
        """Page → title."""
        return self.arrays.titles

    @property
    def lengths(self) -> NDArray[np.unsignedinteger]:
        """(n_pages,) words under all attributes, stop words included; a heading's count there and in the text."""
        return self.arrays.lengths

    @property
    def stems(self) -> Strings:
        """All stems, sorted."""
        return self.arrays.stems

    @property
    def page_type(self) -> np.dtype[np.unsignedinteger]:
        """The type of page numbers in arrays."""
        return self.arrays.pages.dtype

    @cached_property
    def _origins(self) -> dict[str, tuple[int, int]]:
        """Scheme and host of all pages, in order → where their pages stand in the order of URLs."""
        ordered = [split_origin(self.urls[page])[0] for page in self.arrays.by_url.tolist()]
        counts = Counter(ordered)
        ends = accumulate(counts.values())
        return {origin: (end - count, end) for (origin, count), end in zip(counts.items(), ends, strict=True)}

    def page_frequency(self, stem: str) -> int:
        """On how many pages a stem stands, under any attribute."""
        start, end = self._postings_of(stem)
        return end - start

    def postings(self, stem: str) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
        """(n,) the pages a stem stands on, ascending; (n, 5) its tf there by attribute, columns as in ATTRIBUTES."""
        start, end = self._postings_of(stem)
        return self.arrays.pages[start:end], self.arrays.frequencies[start:end]

    def occurrences(self, stem: str, pages: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
        """Page · 2³² + position of all occurrences of a stem on pages that all have it; ascending."""
        start, end = self._postings_of(stem)
        posting = start + np.searchsorted(self.arrays.pages[start:end], pages)
        starts = self.arrays.position_starts[posting].astype(np.int64)
        counts = self.arrays.position_starts[posting + 1].astype(np.int64) - starts
        # The positions of each page are a stretch; its numbers count up from the start of the stretch.
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        positions = self.arrays.positions[np.repeat(starts, counts) + within]
        places: NDArray[np.int64] = (np.repeat(pages.astype(np.int64), counts) << 32) + positions
        return places

    def pages_in(self, scope: Scope) -> NDArray[np.unsignedinteger]:
        """The pages in a scope, ascending."""
        by_url = self.arrays.by_url
        ranges = covered_ranges(scope, _InOrder(self.urls, by_url), self._origins)
        found = [by_url[start:end] for start, end in ranges]
        return np.sort(np.concatenate([by_url[:0], *found])).astype(self.page_type)

    def search(self, query: Query, idf: Idf, limit: int, floor: float = 0.0) -> tuple[list[Match], int]:
        """The best pages by (-score, URL), none below ``floor``; and how many match in all.

        A page matches if the expression does and it scores more than 0: scopes and exclusions narrow, but find
        nothing by themselves.
        """
        pages = Matcher(self).match(query.expression)
        scores = self._scores(query, idf, pages)
        found = scores > 0
        n_matching = int(np.count_nonzero(found))
        wanted = found & (scores >= floor)
        return self._best(pages[wanted], scores[wanted], limit), n_matching

    def explain(self, query: Query, idf: Idf, page: int) -> tuple[Share, ...]:
        """What the words of a query add to a page's score, in the order in which they are added up."""
        shares = []
        for word in query.scored():
            pages, frequencies = self.postings(word.stem)
            row = int(np.searchsorted(pages, page))
            if row < len(pages) and pages[row] == page:
                part = float(self._parts(word, frequencies[row : row + 1], pages[row : row + 1])[0])
                counts = tuple(frequencies[row].tolist())
                shares.append(Share(word, counts, idf[word.stem], part, idf[word.stem] * part))
        return tuple(share for share in shares if share.part > 0)

    def _postings_of(self, stem: str) -> tuple[int, int]:
        """Where the postings of a stem start and end; remembered, for a search asks several times."""
        known = self._looked_up.get(stem)
        if known is None:
            if len(self._looked_up) >= _REMEMBERED:
                self._looked_up.clear()
            self._looked_up[stem] = known = self._look_up(stem)
        return known

    def _look_up(self, stem: str) -> tuple[int, int]:
        place = bisect_left(self.stems, stem)
        if place == len(self.stems) or self.stems[place] != stem:
            return 0, 0
        starts = self.arrays.posting_starts
        return int(starts[place]), int(starts[place + 1])

    def _parts(
        self, word: Word, frequencies: NDArray[np.unsignedinteger], pages: NDArray[np.unsignedinteger]
    ) -> NDArray[np.float64]:
        return self.scoring.parts(frequencies, self.lengths[pages], word.attribute)

    def _scores(self, query: Query, idf: Idf, matching: NDArray[np.unsignedinteger]) -> NDArray[np.float64]:
        """(len(matching),): scores of pages, words added up in the order of the query on every page."""
        total: NDArray[np.float64] = np.zeros(len(self.urls))
        for word in query.scored():
            pages, frequencies = self.postings(word.stem)
            if len(pages) > _RARELY * len(matching):
                rows = np.searchsorted(pages, matching)
                rows = rows[pages[np.minimum(rows, len(pages) - 1)] == matching]
                pages, frequencies = pages[rows], frequencies[rows]
            total[pages] += idf[word.stem] * self._parts(word, frequencies, pages)
        scores: NDArray[np.float64] = total[matching]
        return scores

    def _best(self, pages: NDArray[np.unsignedinteger], scores: NDArray[np.float64], limit: int) -> list[Match]:
        if 0 < limit < len(pages):
            # Everything as good as the last one wanted: which of the equal ones come first, their URLs decide.
            last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            kept = scores >= last
            pages, scores = pages[kept], scores[kept]
        order = np.lexsort((self.arrays.url_rank[pages], -scores))[: max(limit, 0)]
        return [Match(page, score) for page, score in zip(pages[order].tolist(), scores[order].tolist(), strict=True)]


class _InOrder:
    """Strings seen through a permutation, for bisecting."""

    def __init__(self, strings: Sequence[str], order: NDArray[np.unsignedinteger]) -> None:
        self._strings, self._order = strings, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: int) -> str:
        return self._strings[int(self._order[place])]
