"""Terms of pages, the matrix of a site, and their weights."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hypursuit.crawl.page import Page
from hypursuit.errors import BadSetting
from hypursuit.text import (
    EVERY_TERM,
    Attribute,
    AttributeFactors,
    Considered,
    Stems,
    Term,
    discriminating_weights,
    term_frequencies,
    term_matrix,
    term_weights,
)

TITLE, HEADER, TEXT = Attribute.TITLE, Attribute.HEADER, Attribute.TEXT


def test_a_term_is_a_stem_under_an_attribute() -> None:
    page = Page("http://a/", title="Searching files", headers=("Search",), text="A search of the file searches files.")

    assert term_frequencies(page, Stems()) == Counter(
        {
            Term(TITLE, "search"): 1,
            Term(TITLE, "file"): 1,
            Term(HEADER, "search"): 1,
            Term(TEXT, "search"): 2,
            Term(TEXT, "file"): 2,
        }
    )


def test_the_first_terms_and_the_most_frequent_after_them_are_considered() -> None:
    """First two distinct terms, then the most frequent of the rest; the earlier one of equals."""
    page = Page("http://a/", text="alpha beta gamma delta epsilon delta epsilon zeta alpha")
    considered = Considered(first=2, frequent=1)

    kept = term_frequencies(page, Stems(), considered)

    assert kept == Counter({Term(TEXT, "alpha"): 2, Term(TEXT, "beta"): 1, Term(TEXT, "delta"): 2})


def test_by_default_500_and_500_terms_are_considered() -> None:
    spell = [chr(97 + i // 676) + chr(97 + i // 26 % 26) + chr(97 + i % 26) + "zq" for i in range(1500)]
    page = Page("http://a/", text=" ".join(spell + spell[600:] + spell[900:]))

    kept = {term.stem for term in term_frequencies(page, Stems())}
    stems = [Stems()[word] for word in spell]

    assert len(kept) == 1000
    assert kept == set(stems[:500]) | set(stems[900:1400]), "of those behind the first, the ones that stand three times"
    assert len(term_frequencies(page, Stems(), EVERY_TERM)) == 1500


def test_rows_and_columns_are_named() -> None:
    matrix = term_matrix([Page("http://a/", text="cats dogs cats"), Page("http://b/"), Page("http://c/", text="dog")])

    assert matrix.urls == ("http://a/", "http://b/", "http://c/")
    assert matrix.terms == (Term(TEXT, "cat"), Term(TEXT, "dog"))
    assert matrix.counts.toarray().tolist() == [[2, 1], [0, 0], [0, 1]]
    assert matrix.page_frequency.tolist() == [1, 2]


def test_no_pages_make_an_empty_matrix() -> None:
    matrix = term_matrix([])

    assert matrix.counts.shape == (0, 0)
    assert term_weights(matrix).shape == (0, 0)


def test_spelling_is_the_usual_one() -> None:
    """Capitals stay where a word is nearly always written with them, not where it begins a sentence."""
    text = "PostgreSQL databases. Databases of PostgreSQL are databases; a database. Search, search, search"

    spelling = term_matrix([Page("http://a/", text=text)]).spelling

    assert (spelling["postgresql"], spelling["databas"], spelling["search"]) == ("PostgreSQL", "databases", "search")


def test_weights_by_hand() -> None:
    """Eq. 6-8: tf 2 of at most 2 gives 1, tf 1 gives 0.75; a title word counts 10 times."""
    matrix = term_matrix([Page("http://a/", title="dog", text="cats cats dog")])
    raw = np.array([10 * 0.75, 1 * 1.0, 1 * 0.75])

    weights = term_weights(matrix)

    assert matrix.terms == (Term(TITLE, "dog"), Term(TEXT, "cat"), Term(TEXT, "dog"))
    assert weights.toarray()[0] == pytest.approx(raw / np.sqrt((raw**2).sum()))


@pytest.mark.parametrize("seed", range(20))
def test_weights_equal_the_equations_written_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    vocabulary = ["cat", "dog", "fish", "bird", "horse", "snail"]
    pages = [
        Page(
            f"http://{i}/",
            title=random.choice(vocabulary),
            text=" ".join(random.choice(vocabulary, random.integers(0, 30))),
        )
        for i in range(12)
    ]
    matrix, factors = term_matrix(pages), AttributeFactors(title=7, text=2)
    weights = term_weights(matrix, factors).toarray()

    for k, row in enumerate(matrix.counts.toarray()):
        tf = [0.5 + 0.5 * n / max(row) if n else 0.0 for n in row]
        at = [factors[term.attribute] for term in matrix.terms]
        size = sum((a * t) ** 2 for a, t in zip(at, tf, strict=True)) ** 0.5
        expected = [a * t / size if size else 0.0 for a, t in zip(at, tf, strict=True)]
        assert weights[k] == pytest.approx(expected)


def test_what_stands_on_every_page_does_not_discriminate() -> None:
    pages = [
        Page(f"http://{i}/", text=f"navigation {word}") for i, word in enumerate(["cat", "cat", "dog", "dog", "rare"])
    ]
    matrix = term_matrix(pages)

    weights = discriminating_weights(matrix).toarray()

    everywhere, alone = matrix.terms.index(Term(TEXT, "navig")), matrix.terms.index(Term(TEXT, "rare"))
    assert not weights[:, everywhere].any()
    assert not weights[:, alone].any(), "a term of a single page joins it to no other"
    assert weights[0] @ weights[1] == pytest.approx(1)
    assert weights[0] @ weights[2] == 0


def test_factors_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadSetting, match="negative"):
        AttributeFactors(title=-1)
