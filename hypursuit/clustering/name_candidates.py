"""What a cluster could be called: words of its pages and phrases of their titles, with what speaks for each."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.lettering import clean
from hypursuit.clustering.title_phrases import Phrase, TitlePhrases, is_wordlike
from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute
from hypursuit.text.titles import short_titles
from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hypursuit.text.matrix import TermMatrix

PROMINENCE = MappingProxyType(
    {
        Attribute.TITLE: 1.0,
        Attribute.HEADER: 0.5,
        Attribute.KEYWORD: 0.5,
        Attribute.TEXT: 0.2,
        Attribute.ADDRESS: 0.0,
    }
)
"""How much a word says about a page by where it stands. Authors' addresses name no subject."""

LONGEST_NAME = 40
_CANDIDATES = 16
_PROMINENT = 0.5
_SMOOTHING = 0.03
_PHRASE_BONUS = np.array([0.0, 1.5, 1.6, 1.9])
"""By number of pieces: a phrase says more than each of its words, so it may stand on fewer pages."""
_FURNITURE_FACTOR = 0.25
_BOILERPLATE_TITLES, _BOILERPLATE_HEADERS = 0.5, 0.3
_TITLE_CONSIDERED = 300

_SECTION_WORDS = """
    appendix chapter compatibility contents description details documentation docs example examples general guide
    index information introduction list manual miscellaneous misc note notes option options overview parameter
    parameters reference return returns section summary synopsis syntax table toc usage value values
"""
_FURNITURE = frozenset(_SECTION_WORDS.split())
"""Words that head sections of any manual: they name a cluster only if nothing else does."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word or phrase that could name a cluster, or stand in its name."""

    shown: str
    stems: frozenset[str]
    n_words: int
    score: float
    covered: NDArray[np.bool_]
    """(size,): on which of the cluster's pages it stands in a prominent place."""


class NameCandidates:
    """The words and title phrases of a site's pages, counted once for all its clusters."""

    def __init__(self, matrix: TermMatrix, titles: Sequence[str]) -> None:
        self._stems = Stems()
        self._urls = matrix.urls
        self._titles = [clean(unicodedata.normalize("NFC", title), _TITLE_CONSIDERED) for title in titles]
        self._short_titles = short_titles(self._titles)
        self._words, self._prominence = _prominence(matrix)
        self._spelled = self._spellings(matrix)
        self._rank = np.where([word.lower() in _FURNITURE for word in self._spelled], _FURNITURE_FACTOR, 1.0)
        self._site = _column_sums(self._prominence)
        self._everywhere = self._boilerplate()
        self._is_everywhere = np.array([stem in self._everywhere for stem in self._words], bool)
        self._phrases = TitlePhrases(self._titles, self._stems, self._everywhere)
        self._on_site = self._phrases.count(range(len(self._titles)))

    def best(self, members: NDArray[np.intp], within: NDArray[np.intp] | None) -> list[Candidate]:
        """The candidates that set ``members`` apart from all other pages and from those of ``within``, best first."""
        found = [*self._best_words(members, within), *self._best_phrases(members, within)]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.shown))

    def capitalised(self, name: str) -> str:
        """With a capital first letter, unless titles mostly begin with the word without."""
        return self._phrases.capitalised(name)

    def title(self, page: int) -> str:
        """The title of a page, less what all titles share, if it is short enough for a name and says anything."""
        title = self._short_titles[page]
        return title if len(title) <= LONGEST_NAME and any(letter.isalpha() for letter in title) else ""

    def fallbacks(self, page: int) -> Iterator[str]:
        """What a page without telling words can be called by: its title, the end of its address, its address."""
        url = self._urls[page]
        named = (self._titles[page], url.rstrip("/").rpartition("/")[2], url)
        yield from (shown for text in named if (shown := clean(text, LONGEST_NAME)))

    def _best_words(self, members: NDArray[np.intp], within: NDArray[np.intp] | None) -> Iterator[Candidate]:
        rows = self._prominence[members]
        here = _column_sums(rows)
        score = distinction(here, len(members), self._site, len(self._titles))
        if within is not None:
            around = _column_sums(self._prominence[within])
            score = np.minimum(score, distinction(here, len(members), around, len(within)))
        if 2 * len(members) < len(self._titles):
            score = np.where(self._is_everywhere, 0, score)
        score = np.round(score * self._rank, 9)
        best = np.argsort(-score, kind="stable")[:_CANDIDATES]
        covered = rows[:, best].toarray() >= _PROMINENT
        for i, word in enumerate(best):
            if score[word] > 0:
                stem = frozenset((self._words[word],))
                yield Candidate(self._spelled[word], stem, 1, float(score[word]), covered[:, i])

    def _best_phrases(self, members: NDArray[np.intp], within: NDArray[np.intp] | None) -> Iterator[Candidate]:
        counted = self._phrases.count(members)
        phrases = sorted(phrase for phrase, count in counted.items() if count >= 0.2 * len(members))
        here = _frequencies(phrases, counted)
        score = distinction(here, len(members), _frequencies(phrases, self._on_site), len(self._titles))
        if within is not None:
            around = _frequencies(phrases, self._phrases.count(within))
            score = np.minimum(score, distinction(here, len(members), around, len(within)))
        score = np.round(score * _PHRASE_BONUS[[len(phrase) for phrase in phrases]], 9)
        for i in np.argsort(-score, kind="stable")[:_CANDIDATES]:
            if score[i] > 0:
                yield self._phrase_candidate(phrases[i], float(score[i]), members)

    def _phrase_candidate(self, phrase: Phrase, score: float, members: NDArray[np.intp]) -> Candidate:
        covered = np.fromiter((phrase in self._phrases.of_page[page] for page in members), bool, len(members))
        return Candidate(self._phrases.shown(phrase), self._phrases.stems(phrase), len(phrase), score, covered)

    def _boilerplate(self) -> frozenset[str]:
        """Stems in the titles of half the site, or in headers of many pages: the product's name, "See also"."""
        in_title = self._pages_with(PROMINENCE[Attribute.TITLE])
        in_header = self._pages_with(_PROMINENT) - in_title
        common = in_title > max(_BOILERPLATE_TITLES * len(self._titles), 2)
        common |= in_header > max(_BOILERPLATE_HEADERS * len(self._titles), 2)
        return frozenset(self._words[word] for word in np.flatnonzero(common))

    def _pages_with(self, prominence: float) -> NDArray[np.int64]:
        """(n_stems,): on how many pages each stem stands at least so prominently."""
        found = self._prominence.indices[self._prominence.data >= prominence]
        return np.bincount(found, minlength=len(self._words))

    def _spellings(self, matrix: TermMatrix) -> list[str]:
        """Each stem as the site writes it; CGI and PostgreSQL as in titles, even where commands outnumber them."""
        in_titles = Counter(word for title in self._titles for word in words(title))
        of_stem: Counter[str] = Counter()
        for word, count in in_titles.items():
            of_stem[self._stems[word]] += count
        special = {
            self._stems[word]: word
            for word, count in in_titles.items()
            if word[1:] != word[1:].lower() and 2 * count > of_stem[self._stems[word]]
        }
        return [special.get(stem) or matrix.spelling.get(stem, stem) for stem in self._words]


def distinction(
    here: NDArray[np.float64], size: int, everywhere: NDArray[np.float64], n_pages: int
) -> NDArray[np.float64]:
    """How well words set ``size`` pages apart: their share here times the log of its ratio to their share elsewhere.

    Frequent and exclusive words win over those that are only one of the two. At least 0. Without any pages
    elsewhere the most frequent word wins.
    """
    share = here / size
    elsewhere = (everywhere - here) / max(n_pages - size, 1)
    ratio = np.maximum((share + _SMOOTHING) / (np.maximum(elsewhere, 0) + _SMOOTHING), 1)
    distinct: NDArray[np.float64] = share * np.log(ratio)
    return distinct


def _prominence(matrix: TermMatrix) -> tuple[tuple[str, ...], csr_array]:
    """Stems fit for a name, and (n_pages, n_stems) in [0, 1]: how prominently each stands on a page."""
    spelling = matrix.spelling
    fit = sorted({term.stem for term in matrix.terms if is_wordlike(spelling.get(term.stem, term.stem))})
    column = {stem: i for i, stem in enumerate(fit)}
    target = np.array([column.get(term.stem, -1) for term in matrix.terms], np.intp)
    factor = np.array([PROMINENCE[term.attribute] for term in matrix.terms], np.float64)
    in_text = np.array([term.attribute is Attribute.TEXT for term in matrix.terms], bool)
    counts = matrix.counts.tocoo()
    page, term = counts.coords
    # Once in a long text is an accident, five times a subject; in a title once is enough.
    strength = factor[term] * np.where(in_text[term], counts.data / (counts.data + 2.0), 1.0)
    kept = (target[term] >= 0) & (strength > 0)
    entries = (strength[kept], (page[kept], target[term[kept]]))
    prominence = csr_array(entries, shape=(matrix.counts.shape[0], len(fit)))
    prominence.data = np.minimum(prominence.data, 1.0)
    return tuple(fit), prominence


def _column_sums(rows: csr_array) -> NDArray[np.float64]:
    return np.asarray(rows.sum(axis=0), np.float64).ravel()


def _frequencies(phrases: Iterable[Phrase], counted: Counter[Phrase]) -> NDArray[np.float64]:
    return np.array([counted[phrase] for phrase in phrases], np.float64)
