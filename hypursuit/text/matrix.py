"""The pages of a site as one sparse matrix of term frequencies."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute, Considered, Term, term_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from hypursuit.crawl.page import Page


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """Term frequencies of pages; row and column order are explicit."""

    counts: csr_array
    """(n_pages, n_terms) int32: tf of a term on a page."""
    urls: tuple[str, ...]
    """Row → page."""
    terms: tuple[Term, ...]
    """Column → term."""
    spelling: Mapping[str, str]
    """Stem → the way it is mostly written on these pages."""

    def columns(self, attribute: Attribute) -> NDArray[np.intp]:
        """The columns of one attribute, ascending."""
        return np.flatnonzero([term.attribute is attribute for term in self.terms])

    @property
    def page_frequency(self) -> NDArray[np.int64]:
        """(n_terms,): on how many pages each term stands."""
        return np.bincount(self.counts.indices, minlength=len(self.terms))


def term_matrix(pages: Iterable[Page], considered: Considered = Considered(), stems: Stems | None = None) -> TermMatrix:
    """Count the terms of pages, one row each, in the order given."""
    stems = Stems() if stems is None else stems
    column: dict[Term, int] = {}
    urls: list[str] = []
    written: Counter[str] = Counter()
    rows: list[NDArray[np.int32]] = []
    for page in pages:
        kept = term_frequencies(page, stems, considered, written)
        rows.append(
            np.array([(column.setdefault(t, len(column)), n) for t, n in kept.items()], np.int32).reshape(-1, 2)
        )
        urls.append(page.url)
    return TermMatrix(_stack(rows, len(column)), tuple(urls), tuple(column), _spelling(written, stems))


def _stack(rows: list[NDArray[np.int32]], n_terms: int) -> csr_array:
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    stacked = np.concatenate(rows) if rows else np.empty((0, 2), np.int32)
    start = np.concatenate(([0], np.cumsum(lengths)))
    counts = csr_array((stacked[:, 1].copy(), stacked[:, 0].copy(), start), shape=(len(rows), n_terms))
    counts.sort_indices()
    return counts


def _spelling(written: Counter[str], stems: Stems) -> dict[str, str]:
    """Stem → its most frequent folded word, capitalised as written where it nearly always is.

    The first word of a sentence is capitalised whatever it is, so a word keeps its capitals only if it is seldom
    written without.
    """
    by_word: dict[tuple[str, str], Counter[str]] = {}
    for word, count in written.items():
        if stem := stems[word]:
            by_word.setdefault((stem, word.lower()), Counter())[word] += count
    best: dict[str, tuple[int, str]] = {}
    for (stem, lower), forms in by_word.items():
        total = forms.total()
        usual, _ = max(forms.items(), key=lambda form: (form[1], form[0]))
        shown = usual if forms[lower] * 10 < total and len(lower) > 1 else lower
        rank = (total, shown)
        if stem not in best or rank > best[stem]:
            best[stem] = rank
    return {stem: shown for stem, (_, shown) in best.items()}
