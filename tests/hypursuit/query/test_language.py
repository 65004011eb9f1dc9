from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hypursuit.errors import MalformedQuery
from hypursuit.query.language import DEEPEST, LONGEST, MOST_WORDS, parse_query
from hypursuit.query.query import And, Expression, Not, Or, Phrase, Query, Scope, Word
from hypursuit.query.writing import write_query
from hypursuit.text.stemming import Stems
from hypursuit.text.terms import Attribute

STEMS = Stems()
CAT, DOG, EEL = Word("cat"), Word("dog"), Word("eel")
TITLE = Attribute.TITLE


def read(text: str) -> Query | MalformedQuery:
    try:
        return parse_query(text, STEMS)
    except MalformedQuery as error:
        return error


def parse(text: str) -> Expression:
    return parse_query(text, STEMS).expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cat", CAT),
        ("Cats", CAT),
        ("cat dog", And((CAT, DOG))),
        ("cat AND dog", And((CAT, DOG))),
        ("cat cats dog", And((CAT, DOG))),
        ("cat OR dog", Or((CAT, DOG))),
        ("cat dog OR eel", Or((And((CAT, DOG)), EEL))),
        ("cat (dog OR eel)", And((CAT, Or((DOG, EEL))))),
        ("cat(dog OR eel)", And((CAT, Or((DOG, EEL))))),
        ("((cat) (dog eel))", And((CAT, DOG, EEL))),
        ("cat OR (dog OR eel)", Or((CAT, DOG, EEL))),
        ("cat -dog", And((CAT, Not(DOG)))),
        ("cat NOT dog", And((CAT, Not(DOG)))),
        ("cat AND NOT dog", And((CAT, Not(DOG)))),
        ("cat -(dog eel)", And((CAT, Not(And((DOG, EEL)))))),
        ("cat NOT(dog OR eel)", And((CAT, Not(Or((DOG, EEL)))))),
        ("cat -(-dog)", And((CAT, Not(Not(DOG))))),
        ("cat NOT NOT NOT dog", And((CAT, Not(DOG)))),
        ("cat - dog", And((CAT, DOG))),
        ("--cat", CAT),
        ("title:cat", Word("cat", TITLE)),
        ("Title:cat", Word("cat", TITLE)),
        ("title:(cat OR text:dog)", Or((Word("cat", TITLE), Word("dog", Attribute.TEXT)))),
        ("cat -title:dog", And((CAT, Not(Word("dog", TITLE))))),
        ('"cat dog"', Phrase(("cat", "dog"), (0, 1))),
        ("\u201ccat dog\u201d", Phrase(("cat", "dog"), (0, 1))),
        ('title:"cat dog"', Phrase(("cat", "dog"), (0, 1), TITLE)),
        ('cat -"dog eel"', And((CAT, Not(Phrase(("dog", "eel"), (0, 1)))))),
        ('"cat"', CAT),
    ],
)
def test_reads(text: str, expected: Expression) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat of the dog", And((CAT, DOG))),
        ("cat OR the", CAT),
        ("cat -the", CAT),
        ("cat (the) title:the", CAT),
        ('cat ""', CAT),
        ('"cat of the dog"', Phrase(("cat", "dog"), (0, 3))),
        ('"of the cat and dog of"', Phrase(("cat", "dog"), (0, 2))),
        ("cat \u2014 dog & +", And((CAT, DOG))),
    ],
)
def test_stop_words_are_dropped_but_keep_their_place_in_phrases(text: str, expected: Expression) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c++", Word("c")),
        ("x86-64", Phrase(("x86", "64"), (0, 1))),
        ("cat_dog", Phrase(("cat", "dog"), (0, 1))),
        ("cat.dog", Phrase(("cat", "dog"), (0, 1))),
        ("cat's", CAT),
        ("cat-of-dog", Phrase(("cat", "dog"), (0, 2))),
        ("std::vector", Phrase(("std", "vector"), (0, 1))),
        ("http://cat.dog/", Phrase(("http", "cat", "dog"), (0, 1, 2))),
        ("cat:8080", Phrase(("cat", "8080"), (0, 1))),
        ("cat()", CAT),
        ("cat(dog)", Phrase(("cat", "dog"), (0, 1))),
        ("eel(cat(dog))", And((EEL, Phrase(("cat", "dog"), (0, 1))))),
        ("(cat(dog))", Phrase(("cat", "dog"), (0, 1))),
        ("CAFÉ", Word("cafe")),
        ("cafe\u0301", Word("cafe")),
    ],
)
def test_what_the_tokeniser_takes_apart_is_a_phrase(text: str, expected: Expression) -> None:
    stems = Stems(stop_words=frozenset({"of", "s"}))
    assert parse_query(text, stems).expression == expected


@pytest.mark.parametrize(
    ("text", "host", "path"),
    [
        ("site:python.org", "python.org", "/"),
        ("site:.python.org", "python.org", "/"),
        ("site:Docs.Python.ORG/3/library", "docs.python.org", "/3/library"),
        ("site:https://docs.python.org/3/", "docs.python.org", "/3/"),
        ("SITE:localhost:8080/a", "localhost:8080", "/a"),
        ("site:python.org:443", "python.org", "/"),
        ("site:bücher.example/ä", "xn--bcher-kva.example", "/%C3%A4"),
        ("site:a.org/C_(x)", "a.org", "/C_(x)"),
        ("site:a.org/C_%28x%29", "a.org", "/C_(x)"),
    ],
)
def test_scopes_are_canonical(text: str, host: str, path: str) -> None:
    assert parse(f"cat {text}") == And((CAT, Scope(host, path)))
    assert parse(f"cat -{text}") == And((CAT, Not(Scope(host, path))))


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "no word"),
        ("  + ", 0, "no word"),
        ("the of", 0, "(the, of)"),
        ("-cat", 0, "leave out"),
        ("site:python.org", 0, "add a word"),
        ("-(-cat)", 0, "leave out"),
        ("cat ()", 4, "nothing in these parentheses"),
        ("cat (  )", 4, "nothing in these parentheses"),
        ("cat (dog", 4, "never closed"),
        ("cat dog)", 7, "no ("),
        ('cat "dog', 4, "never closed"),
        ("cat OR", 4, "OR stands between"),
        ("OR cat", 0, "OR stands between"),
        ("cat OR OR dog", 4, "OR stands between"),
        ("(cat OR) dog", 5, "OR stands between"),
        ("AND", 0, "AND stands between"),
        ("cat NOT", 4, "NOT stands before"),
        ("cat NOT OR dog", 4, "NOT stands before"),
        ("cat titel:dog", 4, "did you mean title:"),
        ("cat headers:dog", 4, "did you mean header:"),
        ("foo:bar", 0, "title:, header:, keyword:, address:, text:, site:"),
        ('foo:"bar"', 0, "put them in quotes"),
        ("cat title:", 10, "right after title:"),
        ("cat title: dog", 10, "right after title:"),
        ("cat site:", 9, "write a host"),
        ("cat site:a_b..c^", 4, "write site: with a host"),
        ("cat site:a.org/?q", 4, "from the ? on"),
        ("cat site:user@a.org", 4, "credentials"),
        ("x" * (LONGEST + 1), LONGEST, "4,000 characters"),
        ("cat " * (MOST_WORDS + 1), 4 * MOST_WORDS, "256 words"),
        ('"' + "cat " * (MOST_WORDS + 1) + '"', 0, "256 words"),
        ("(" * (DEEPEST + 1) + "cat" + ")" * (DEEPEST + 1), DEEPEST, "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_position(text: str, position: int, says: str) -> None:
    with pytest.raises(MalformedQuery) as caught:
        parse(text)

    assert caught.value.position == position
    assert says in str(caught.value)


def test_limits_are_inclusive() -> None:
    assert parse("(" * DEEPEST + "cat" + ")" * DEEPEST) == CAT
    assert parse("cat " * MOST_WORDS) == CAT
    assert parse("cat".ljust(LONGEST)) == CAT


def test_long_chains_of_not_do_no_harm() -> None:
    assert parse("cat " + "NOT " * 901 + "dog") == And((CAT, Not(DOG)))


def test_the_text_is_kept() -> None:
    assert parse_query(" Cats  OR dogs ", STEMS).text == " Cats  OR dogs "


PIECES = st.lists(
    st.sampled_from(
        [*"()\"-=*:'. ", "OR", " OR ", "NOT ", " AND ", "title:", "site:", "text:(", "a.org/x ", "cats ", "libraries ",
         "dog", "the ", "of", "=librari ", "=%28 ", "\u00bd", "\u2474", "\ufdfa", "\u00e9", "\u00df", "\ud800",
         "\u0130", "university ", "x86-64", "=running "]
    ),
    max_size=24,
).map("".join)  # fmt: skip


@given(st.text(max_size=80) | PIECES)
@example("=" + "x" * 80)
@example('"')
@example("title:")
@example("\u0130 -\u0130")
def test_every_text_is_a_query_or_malformed_and_queries_survive_being_written(text: str) -> None:
    query = read(text)
    if isinstance(query, MalformedQuery):
        assert 0 <= query.position <= len(text)
    else:
        assert query.scored()
        written = write_query(query.expression, STEMS)
        assert parse_query(written, STEMS, longest=100_000).expression == query.expression


ODD_STEMS = ["cat", "librari", "univers", "the", "runn", "1\u20442", "(1)", "or"]
WORDS = st.builds(Word, st.sampled_from(ODD_STEMS), st.sampled_from([None, *Attribute]))
PHRASES = st.builds(
    lambda stems, gaps, attribute: Phrase(tuple(stems), tuple(i + sum(gaps[:i]) for i in range(len(stems))), attribute),
    st.lists(st.sampled_from(ODD_STEMS), min_size=2, max_size=4),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.sampled_from([None, *Attribute]),
)
SCOPES = st.sampled_from([Scope("a.org"), Scope("a.org", "/b_(c"), Scope("localhost:8080", "/x/")])


@given(st.lists(WORDS | PHRASES | SCOPES, unique=True, min_size=1, max_size=6))
def test_any_stem_gap_and_scope_can_be_written(parts: list[Expression]) -> None:
    """Also those that no ordinary word leads to."""
    expression: Expression = And((CAT, Not(Or((DOG, And((EEL, *parts)))))))

    assert parse(write_query(expression, STEMS)) == expression


def test_writing_prefers_words_that_people_would_write() -> None:
    assert write_query(parse('Libraries -"states of the art" title:engine'), STEMS) == (
        'library -"state the the art" title:engin'
    )
