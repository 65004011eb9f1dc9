"""Terms of a page: (attribute, stem) pairs with their frequencies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from hypursuit.text.words import words

if TYPE_CHECKING:
    from hypursuit.crawl.page import Page
    from hypursuit.text.stemming import Stems


class Attribute(StrEnum):
    """Where on a page a word stands. [W96]"""

    TITLE = "title"
    HEADER = "header"
    KEYWORD = "keyword"
    ADDRESS = "address"
    TEXT = "text"


class Term(NamedTuple):
    """A stem under an attribute; ``title:system`` and ``text:system`` are different terms."""

    attribute: Attribute
    stem: str

    def __str__(self) -> str:
        return f"{self.attribute}:{self.stem}"


@dataclass(frozen=True, slots=True)
class Considered:
    """Which terms of a page count: the first ones, and the most frequent of the rest. [W96 "Experimental set-up"]"""

    first: int = 500
    frequent: int = 500

    def cut(self, frequencies: Counter[Term]) -> Counter[Term]:
        """Keep the first distinct terms and the most frequent after them, earlier ones first among equals."""
        if len(frequencies) <= self.first + self.frequent:
            return frequencies
        ordered = iter(frequencies.items())
        kept = Counter(dict(islice(ordered, self.first)))
        # sorted() is stable, so among equally frequent terms the one that stands earlier on the page stays.
        kept.update(dict(sorted(ordered, key=lambda entry: -entry[1])[: self.frequent]))
        return kept


EVERY_TERM = Considered(first=1 << 62, frequent=0)


def attribute_texts(page: Page) -> tuple[tuple[Attribute, str], ...]:
    """The texts of a page by attribute, in the order in which its terms count as first."""
    return (
        (Attribute.TITLE, page.title),
        (Attribute.KEYWORD, "\n".join(page.keywords)),
        (Attribute.HEADER, "\n".join(page.headers)),
        (Attribute.ADDRESS, "\n".join(page.addresses)),
        (Attribute.TEXT, page.text),
    )


def term_frequencies(
    page: Page, stems: Stems, considered: Considered = Considered(), written: Counter[str] | None = None
) -> Counter[Term]:
    """How often each term stands on a page, in order of first appearance; stop words are left out.

    ``written`` is told how often each word stands there as it is spelled.
    """
    frequencies: Counter[Term] = Counter()
    for attribute, text in attribute_texts(page):
        counted = Counter(words(text))
        if written is not None:
            written.update(counted)
        for word, count in counted.items():
            if stem := stems[word]:
                frequencies[Term(attribute, stem)] += count
    return considered.cut(frequencies)
