"""From pages to the arrays of an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hypursuit.query.strings import Strings, smallest
from hypursuit.text.scoring import ATTRIBUTES
from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute
from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from hypursuit.crawl.page import Page

ATTRIBUTE_SHIFT = 29
"""A position is an attribute's number above this bit and a place below it."""
GAP = 2_048
"""Places left empty between two headings, keywords or addresses; longer than any phrase of the query language."""
_STRINGS = ("stems", "urls", "titles")
_FILLED = {
    "stems.ends": "stems.text",
    "urls.ends": "urls.text",
    "titles.ends": "titles.text",
    "posting_starts": "pages",
    "position_starts": "positions",
}
"""Array of starts → the array whose end its last number is."""
_LAST_PLACE = (1 << ATTRIBUTE_SHIFT) - GAP
_HIGHEST_FREQUENCY = 0xFFFF


INDEXING: Final = "1"
"""To be raised when the same pages give other arrays than before, so that stored indexes are made again."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexArrays:
    """The arrays of an index: everything it is made of besides its scoring.

    Postings are sorted by stem, then page; those of stem ``s`` are ``posting_starts[s]:posting_starts[s + 1]``.
    """

    stems: Strings
    """Sorted."""
    urls: Strings
    titles: Strings
    lengths: NDArray[np.unsignedinteger]
    """(n_pages,) words under all attributes, stop words included."""
    by_url: NDArray[np.unsignedinteger]
    """(n_pages,) the pages in order of their URLs."""
    url_rank: NDArray[np.unsignedinteger]
    """(n_pages,) the place of each page in that order."""
    posting_starts: NDArray[np.unsignedinteger]
    """(n_stems + 1,)"""
    pages: NDArray[np.unsignedinteger]
    """(n_postings,)"""
    frequencies: NDArray[np.unsignedinteger]
    """(n_postings, 5) tf by attribute, columns as in ATTRIBUTES."""
    position_starts: NDArray[np.unsignedinteger]
    """(n_postings + 1,)"""
    positions: NDArray[np.uint32]
    """(n_occurrences,) ascending within a posting. Stop words have none but take up places."""

    def to_mapping(self) -> dict[str, NDArray[Any]]:
        """Name → array, strings as two arrays each."""
        arrays: dict[str, NDArray[Any]] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            arrays |= {f"{name}.text": value.text, f"{name}.ends": value.ends} if name in _STRINGS else {name: value}
        return arrays

    @classmethod
    def from_mapping(cls, arrays: Mapping[str, NDArray[Any]]) -> IndexArrays:
        """The reverse of ``to_mapping``; raises KeyError where one is missing, ValueError where they do not fit."""
        values: dict[str, Any] = {
            name: Strings(arrays[f"{name}.text"], arrays[f"{name}.ends"]) if name in _STRINGS else arrays[name]
            for name in cls.__slots__
        }
        made = cls(**values)
        made.check()
        return made

    def check(self) -> None:
        """Raise ValueError unless all are numbers of the right kind and their sizes agree."""
        n_pages, n_postings, n_stems = len(self.urls), len(self.pages), len(self.stems)
        shapes = {
            "titles.ends": (n_pages + 1,),
            "lengths": (n_pages,),
            "by_url": (n_pages,),
            "url_rank": (n_pages,),
            "posting_starts": (n_stems + 1,),
            "pages": (n_postings,),
            "frequencies": (n_postings, len(ATTRIBUTES)),
            "position_starts": (n_postings + 1,),
        }
        arrays = self.to_mapping()
        wrong = {name for name, shape in shapes.items() if arrays[name].shape != shape}
        wrong |= {name for name, array in arrays.items() if array.dtype.kind != "u"}
        wrong |= {starts for starts, filled in _FILLED.items() if arrays[starts][-1:].tolist() != [len(arrays[filled])]}
        if wrong:
            raise ValueError(f"{', '.join(sorted(wrong))}: not as they should be")


class _Numbers(dict[str, int]):
    """Word as written → number of its stem in order of appearance, -1 for a stop word."""

    def __init__(self, stems: Stems) -> None:
        super().__init__()
        self._stems = stems
        self.stems: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        stem = self._stems[word]
        self[word] = number = self.stems.setdefault(stem, len(self.stems)) if stem else -1
        return number


def index_arrays(pages: Iterable[Page], stems: Stems | None = None) -> IndexArrays:
    """Index pages in the order given, each URL once: the first page wins."""
    numbers = _Numbers(Stems() if stems is None else stems)
    titles: dict[str, str] = {}
    lengths: list[int] = []
    rows: list[tuple[NDArray[np.int32], NDArray[np.uint32]]] = []
    for page in pages:
        if page.url not in titles:
            found, positions = _occurrences(page, numbers)
            titles[page.url] = page.title
            lengths.append(len(found))
            counted = found >= 0
            rows.append((found[counted], positions[counted]))
    by_url = np.array(sorted(range(len(titles)), key=list(titles).__getitem__), np.int64)
    return IndexArrays(
        stems=Strings.of(sorted(numbers.stems)),
        urls=Strings.of(titles),
        titles=Strings.of(titles.values()),
        lengths=smallest(np.array(lengths, np.int64)),
        by_url=smallest(by_url),
        url_rank=smallest(np.argsort(by_url)),
        **_postings(rows, _sorted_numbers(numbers.stems)),
    )


def _segments(page: Page) -> dict[Attribute, tuple[str, ...]]:
    """The texts of a page that a phrase has to stand in as a whole."""
    return {
        Attribute.TITLE: (page.title,),
        Attribute.HEADER: page.headers,
        Attribute.KEYWORD: page.keywords,
        Attribute.ADDRESS: page.addresses,
        Attribute.TEXT: (page.text,),
    }


def _occurrences(page: Page, numbers: _Numbers) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """(n_words,) the stem's number and the position of every word, stop words included, positions ascending."""
    found: list[int] = []
    positions: list[int] = []
    segments = _segments(page)
    for number, attribute in enumerate(ATTRIBUTES):
        place = 0
        for segment in segments[attribute]:
            written = words(segment)
            if place + len(written) > _LAST_PLACE:
                break  # after some 260,000 headings; what follows is not indexed
            found.extend(map(numbers.__getitem__, written))
            start = (number << ATTRIBUTE_SHIFT) + place
            positions.extend(range(start, start + len(written)))
            place += len(written) + GAP
    return np.array(found, np.int32), np.array(positions, np.uint32)


def _sorted_numbers(stems: dict[str, int]) -> NDArray[np.int32]:
    """(n_stems,): number of a stem by appearance → number in sorted order."""
    order = np.fromiter((stems[stem] for stem in sorted(stems)), np.int32, len(stems))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _postings(
    rows: list[tuple[NDArray[np.int32], NDArray[np.uint32]]], rank: NDArray[np.int32]
) -> dict[str, NDArray[np.unsignedinteger]]:
    """The arrays of postings and positions from the occurrences page by page, which are used up."""
    n_pages = len(rows)
    page = np.repeat(np.arange(n_pages, dtype=np.uint32), [len(found) for found, _ in rows])
    stem = rank[np.concatenate([np.empty(0, np.int32), *(found for found, _ in rows)])]
    positions = np.concatenate([np.empty(0, np.uint32), *(places for _, places in rows)])
    rows.clear()
    # Stable: within a stem, pages and positions stay in the ascending order they come in.
    order = np.argsort(stem, kind="stable")
    stem, page, positions = stem[order], page[order], positions[order]
    del order
    first = np.ones(len(stem), bool)
    first[1:] = (stem[1:] != stem[:-1]) | (page[1:] != page[:-1])
    starts = np.flatnonzero(first)
    return {
        "posting_starts": smallest(np.searchsorted(stem[starts], np.arange(len(rank) + 1))),
        "pages": page[starts].astype(np.min_scalar_type(max(n_pages - 1, 0))),
        "frequencies": _frequencies(positions, starts),
        "position_starts": smallest(np.append(starts, len(stem))),
        "positions": positions,
    }


def _frequencies(positions: NDArray[np.uint32], starts: NDArray[np.intp]) -> NDArray[np.unsignedinteger]:
    """(n_postings, 5): how many positions of each posting are under each attribute."""
    attribute = (positions >> ATTRIBUTE_SHIFT).astype(np.uint8)
    columns = [np.add.reduceat(attribute == a, starts, dtype=np.uint32) for a in range(len(ATTRIBUTES))]
    return smallest(np.minimum(np.stack(columns, axis=1), _HIGHEST_FREQUENCY))
