"""The index against a reference that reads every page word by word."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hypursuit.crawl.page import Page
from hypursuit.errors import StoreUnusable
from hypursuit.query.arrays import pack_arrays
from hypursuit.query.index import DEFAULT_SCORING, Match, PageIndex
from hypursuit.query.language import parse_query
from hypursuit.query.query import And, Expression, Not, Or, Phrase, Query, Scope, Word
from hypursuit.query.scope import covers
from hypursuit.text.scoring import ATTRIBUTES, Scoring
from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute
from hypursuit.text.weights import AttributeFactors
from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

STEMS = Stems()
VOCABULARY = ["cat", "dog", "eel", "fox", "gnu", "hen", "the", "of"]
HOSTS = ["a.org", "docs.a.org", "b.org", "b.org:8080"]
FOLDERS = ["", "x/", "x/y/", "xy/", "x?"]


def segments(page: Page, attribute: Attribute) -> list[list[str]]:
    """The stems of a page's texts under an attribute, empty ones for stop words."""
    texts = {
        Attribute.TITLE: [page.title],
        Attribute.HEADER: page.headers,
        Attribute.KEYWORD: page.keywords,
        Attribute.ADDRESS: page.addresses,
        Attribute.TEXT: [page.text],
    }[attribute]
    return [[STEMS[word] for word in words(text)] for text in texts]


def all_segments(page: Page, attribute: Attribute | None) -> Iterator[list[str]]:
    for one in ATTRIBUTES if attribute is None else [attribute]:
        yield from segments(page, one)


def matches(page: Page, expression: Expression) -> bool:
    match expression:
        case Word(stem, attribute):
            return any(stem in segment for segment in all_segments(page, attribute))
        case Phrase(stems, places, attribute):
            return any(
                all(start + place < len(segment) and segment[start + place] == stem
                    for stem, place in zip(stems, places, strict=True))
                for segment in all_segments(page, attribute)
                for start in range(len(segment))
            )  # fmt: skip
        case Scope():
            return covers(expression, page.url)
        case And(parts):
            return all(matches(page, part) for part in parts)
        case Or(parts):
            return any(matches(page, part) for part in parts)
        case Not(part):
            return not matches(page, part)


def score(page: Page, query: Query, idf: dict[str, float], scoring: Scoring) -> float:
    """Plain Python floats, in the order that the contract fixes."""
    length = sum(len(segment) for segment in all_segments(page, None))
    total = 0.0
    for word in query.scored():
        weighted = 0.0
        for attribute in ATTRIBUTES:
            if word.attribute in (None, attribute):
                tf = sum(segment.count(word.stem) for segment in segments(page, attribute))
                weighted += scoring.factors[attribute] * tf
        weighted /= 1 - scoring.b + scoring.b * length / scoring.pivot
        total += idf[word.stem] * (weighted * (scoring.k1 + 1) / (scoring.k1 + weighted))
    return total


def reference(
    pages: list[Page], query: Query, idf: dict[str, float], scoring: Scoring = DEFAULT_SCORING
) -> list[tuple[str, float]]:
    found = [(page.url, score(page, query, idf, scoring)) for page in pages if matches(page, query.expression)]
    return sorted(((url, value) for url, value in found if value > 0), key=lambda hit: (-hit[1], hit[0]))


class Randomness(random.Random):
    """Random corpora and queries of few words, so that everything happens often."""

    def _text(self, longest: int) -> str:
        return " ".join(self.choices(VOCABULARY, k=self.randint(0, longest)))

    def _texts(self) -> tuple[str, ...]:
        return tuple(self._text(3) for _ in range(self.randint(0, 3)))

    def pages(self) -> list[Page]:
        """Up to 40 pages on four hosts."""
        urls = {
            f"http://{self.choice(HOSTS)}/{self.choice(FOLDERS)}{self.randint(0, 9)}"
            for _ in range(self.randint(1, 40))
        }
        return [
            Page(url, self._text(4), self._texts(), self._texts(), self._texts(), self._text(12))
            for url in self.sample(sorted(urls), len(urls))
        ]

    def _attribute(self) -> Attribute | None:
        return self.choice([None, None, *Attribute])

    def _phrase(self) -> Phrase:
        places = [0]
        for _ in range(self.randint(1, 2)):
            places.append(places[-1] + self.randint(1, 3))
        return Phrase(tuple(self.choices(VOCABULARY[:4], k=len(places))), tuple(places), self._attribute())

    def expression(self, depth: int = 3) -> Expression:
        """Anything a query can be, and some things that the language would simplify."""
        kind = self.randint(0, 9 if depth else 4)
        if kind <= 2:
            return Word(self.choice(VOCABULARY[:6]), self._attribute())
        if kind == 3:
            return self._phrase()
        if kind == 4:
            return Scope(self.choice(["org", *HOSTS]), self.choice(["/", "/x", "/x/", "/x/y/1"]))
        if kind == 9:
            return Not(self.expression(depth - 1))
        parts = tuple(self.expression(depth - 1) for _ in range(self.randint(1, 3)))
        return And(parts) if kind % 2 else Or(parts)

    def idf(self) -> dict[str, float]:
        """For every stem there is."""
        return {stem: self.uniform(0.01, 9) for stem in VOCABULARY}


def found(index: PageIndex, query: Query, idf: dict[str, float], limit: int = 1000) -> list[tuple[str, float]]:
    return [(index.urls[page], score) for page, score in index.search(query, idf, limit)[0]]


@pytest.mark.parametrize("seed", range(150))
def test_equal_to_reading_every_page(seed: int) -> None:
    """Same pages in the same order with the very same floats, whatever the expression; also from a file's bytes."""
    chance = Randomness(seed)
    pages = chance.pages()
    index = PageIndex.build(pages, stems=STEMS)
    reopened = PageIndex.unpack(b"".join(index.pack()))
    for _ in range(12):
        query, idf = Query("", chance.expression()), chance.idf()
        expected = reference(pages, query, idf)
        assert found(index, query, idf) == expected
        assert found(reopened, query, idf) == expected
        assert index.search(query, idf, 3) == (index.search(query, idf, 1000)[0][:3], len(expected))


@pytest.mark.parametrize("seed", range(30))
def test_a_page_scores_the_same_alone_and_among_others(seed: int) -> None:
    """Bit for bit, with factors that have no exact binary form."""
    chance = Randomness(seed)
    scoring = Scoring(k1=1.1, b=0.3, pivot=7.7, factors=AttributeFactors(0.1, 0.7, 1.3, 3.3, 0.9))
    pages = chance.pages()
    query, idf = Query("", Or(tuple(Word(stem) for stem in VOCABULARY[:6]))), chance.idf()
    together = dict(found(PageIndex.build(pages, scoring, STEMS), query, idf))
    alone = [hit for page in pages for hit in found(PageIndex.build([page], scoring, STEMS), query, idf)]

    assert dict(alone) == together
    assert together == dict(reference(pages, query, idf, scoring))


@pytest.mark.parametrize("seed", range(30))
def test_the_floor_is_inclusive_and_changes_no_count(seed: int) -> None:
    chance = Randomness(seed)
    index = PageIndex.build(chance.pages(), stems=STEMS)
    query, idf = parse_query("cat OR dog", STEMS), chance.idf()
    best, matching = index.search(query, idf, 1000)
    for hit in best:
        assert index.search(query, idf, 1000, hit.score) == ([m for m in best if m.score >= hit.score], matching)


def test_scores_by_hand() -> None:
    """One page of 5 + 395 words, so B = 1: cat twice in the text and once in the title makes f = 10 + 2."""
    page = Page("http://a.org/", title="the cat and its fox", text="cat cat " + "dog " * 393)
    index = PageIndex.build([page])

    [hit], matching = index.search(parse_query("cat"), {"cat": 3.0}, 10)
    [titled], _ = index.search(parse_query("title:cat"), {"cat": 3.0}, 10)

    assert index.lengths.tolist() == [400]
    assert matching == 1
    assert hit.score == pytest.approx(3.0 * 12 * 2.2 / (1.2 + 12))
    assert titled.score == pytest.approx(3.0 * 10 * 2.2 / (1.2 + 10))


def test_equal_scores_are_ordered_by_url_whatever_the_order_of_pages() -> None:
    urls = [f"http://a.org/{i}" for i in range(100)]
    random.Random(1).shuffle(urls)
    index = PageIndex.build(Page(url, text="cat") for url in urls)

    hits, matching = index.search(parse_query("cat"), {"cat": 1.0}, 7)

    assert matching == 100
    assert [index.urls[hit.page] for hit in hits] == sorted(urls)[:7]
    assert len({hit.score for hit in hits}) == 1


def test_phrases_stay_inside_a_heading_and_inside_an_attribute() -> None:
    page = Page("http://a.org/", title="cat", headers=("dog eel", "fox gnu"), keywords=("hen", "cat"), text="dog hen")
    index = PageIndex.build([page])
    idf = dict.fromkeys(["cat", "dog", "eel", "fox", "gnu", "hen"], 1.0)

    def hits(text: str) -> int:
        return index.search(parse_query(text), idf, 10)[1]

    assert [hits('"dog eel"'), hits('header:"fox gnu"'), hits('"dog hen"')] == [1, 1, 1]
    assert [hits('"cat dog"'), hits('"eel fox"'), hits('"hen cat"'), hits('text:"dog eel"')] == [0, 0, 0, 0]


def test_a_phrase_too_long_to_stay_inside_matches_nothing() -> None:
    """The query language cannot say it; a caller could."""
    index = PageIndex.build([Page("http://a.org/", keywords=("cat", "dog"))])
    for distance in (2_048, 2_049, 4_000):
        assert index.search(Query("", Phrase(("cat", "dog"), (0, distance))), {"cat": 1.0, "dog": 1.0}, 10) == ([], 0)


def test_stop_words_keep_their_places_on_the_page() -> None:
    index = PageIndex.build([Page("http://a.org/", text="state of the art")])
    idf = {"state": 1.0, "art": 1.0}

    assert index.search(parse_query('"state of the art"'), idf, 10)[1] == 1
    assert index.search(parse_query('"state art"'), idf, 10)[1] == 0
    assert index.search(parse_query('"state of art"'), idf, 10)[1] == 0


def test_what_scores_nothing_is_not_found() -> None:
    """Labels prune what has bound 0, so the central index must not find it either."""
    pages = [Page("http://a.org/1", text="cat"), Page("http://a.org/2", text="dog"), Page("http://b.org/", text="eel")]
    index = PageIndex.build(pages)

    for text in ("cat OR -dog", "cat OR site:b.org", "cat OR -(-eel)"):
        hits, matching = index.search(parse_query(text), {"cat": 1.0}, 10)
        assert ([hit.page for hit in hits], matching) == ([0], 1)


def test_a_url_is_indexed_once() -> None:
    index = PageIndex.build([Page("http://a.org/", text="cat"), Page("http://a.org/", text="dog")])

    assert list(index.urls) == ["http://a.org/"]
    assert list(index.stems) == ["cat"]


def test_postings_are_the_frequencies_of_every_page() -> None:
    chance = Randomness(5)
    pages = chance.pages()
    index = PageIndex.build(pages, stems=STEMS)

    assert list(index.urls) == [page.url for page in pages]
    assert list(index.titles) == [page.title for page in pages]
    assert all(one < other for one, other in pairwise(index.stems))
    assert list(index.stems) == sorted({stem for page in pages for s in all_segments(page, None) for stem in s if stem})
    for stem in index.stems:
        numbers, frequencies = index.postings(stem)
        expected = [
            [sum(segment.count(stem) for segment in segments(page, attribute)) for attribute in ATTRIBUTES]
            for page in pages
        ]
        assert numbers.tolist() == [page for page, row in enumerate(expected) if any(row)]
        assert frequencies.tolist() == [row for row in expected if any(row)]
        assert index.page_frequency(stem) == len(numbers)
    assert index.page_frequency("absent") == index.page_frequency("") == 0


def test_explanations_add_up_to_the_score() -> None:
    chance = Randomness(7)
    index = PageIndex.build(chance.pages(), stems=STEMS)
    query, idf = parse_query("cat OR title:dog OR eel -fox", STEMS), chance.idf()

    hits, _ = index.search(query, idf, 1000)

    assert hits
    for page, value in hits:
        shares = index.explain(query, idf, page)
        assert sum((share.score for share in shares), 0.0) == value
        assert all(share.score == share.idf * share.part for share in shares)
        assert all(share.frequencies == tuple(index.postings(share.word.stem)[1][
            index.postings(share.word.stem)[0].tolist().index(page)]) for share in shares)  # fmt: skip


def test_an_index_without_pages_finds_nothing() -> None:
    index = PageIndex.unpack(b"".join(PageIndex.build([]).pack()))

    for text in ("cat", '"cat dog"', "cat OR -dog", "cat site:a.org/x"):
        assert index.search(parse_query(text), {"cat": 1.0, "dog": 1.0}, 10) == ([], 0)


def test_a_limit_of_nothing_gives_nothing_but_the_count() -> None:
    index = PageIndex.build([Page("http://a.org/", text="cat")])

    assert index.search(parse_query("cat"), {"cat": 1.0}, 0) == ([], 1)


def test_a_word_more_frequent_than_can_be_counted_counts_as_often_as_can_be() -> None:
    index = PageIndex.build([Page("http://a.org/", text="cat " * 70_000)])

    assert index.postings("cat")[1].tolist() == [[0, 0, 0, 0, 65_535]]
    assert index.search(parse_query('"cat cat"'), {"cat": 1.0}, 1)[0] == [
        Match(0, index.explain(parse_query("cat"), {"cat": 1.0}, 0)[0].score)
    ]


def test_strings_of_every_kind_survive() -> None:
    """Lone surrogates, other planes, combining marks, nothing at all."""
    titles = ["", "a\ud800b", "\U0001f600", "e\u0301", "plain"]
    index = PageIndex.build([Page(f"http://a.org/{i}", title) for i, title in enumerate(titles)])
    again = PageIndex.unpack(b"".join(index.pack({"made": "of \u00e9"})))

    assert list(again.titles) == titles
    assert again.titles[1:3] == titles[1:3]
    assert again.titles[-1] == "plain"
    assert again.facts == {"made": "of \u00e9"}
    with pytest.raises(IndexError):
        again.titles[5]


def test_scoring_is_kept_with_the_index() -> None:
    scoring = Scoring(k1=2.0, b=0.25, pivot=99.0, factors=AttributeFactors(title=3.5))

    assert PageIndex.unpack(b"".join(PageIndex.build([], scoring).pack())).scoring == scoring


def test_arrays_whose_sizes_do_not_agree_are_refused() -> None:
    """A file can be sound as a file and still be no index."""
    index = PageIndex.build([Page("http://a.org/", "fox", text="cat dog"), Page("http://b.org/", text="cat")])
    arrays = index.arrays.to_mapping()
    scoring = {"scoring": "{}"}
    assert PageIndex.unpack(b"".join(pack_arrays("page index", scoring, arrays)))
    for name in arrays:
        for changed in (
            {**arrays, name: arrays[name][:-1]},
            {**arrays, name: arrays[name][:0]},
            {**arrays, name: arrays[name].astype(np.float64)},
            {k: v for k, v in arrays.items() if k != name},
        ):
            with pytest.raises(StoreUnusable):
                PageIndex.unpack(b"".join(pack_arrays("page index", scoring, changed)))
    for bad in ({}, {"scoring": "[]"}, {"scoring": '{"k1": -1}'}):
        with pytest.raises(StoreUnusable):
            PageIndex.unpack(b"".join(pack_arrays("page index", bad, arrays)))


def test_many_pages_take_other_ways_to_the_same_answer() -> None:
    """Rare words are looked up one by one, common ones marked in a row of all pages: 2,000 pages have both."""
    chance = Randomness(11)
    pages = [
        Page(f"http://{HOSTS[i % 4]}/{i}", text=" ".join(s for s, often in
             [("cat", 2), ("dog", 3), ("eel", 40), ("fox", 300), ("gnu", 1000)] if chance.random() < 1 / often))
        for i in range(2_000)
    ]  # fmt: skip
    index = PageIndex.build(pages, stems=STEMS)
    idf = chance.idf()
    for text in ("cat", "cat dog", "cat fox", "gnu cat dog", "eel OR gnu", "cat -dog", "eel -gnu", "eel site:a.org",
                 "cat -(dog OR eel)", '"cat dog"', '"dog eel fox"', "fox OR (cat eel)"):  # fmt: skip
        query = parse_query(text, STEMS)
        expected = reference(pages, query, idf)
        assert found(index, query, idf) == expected[:1000]
        assert np.isfinite([value for _, value in expected]).all()
