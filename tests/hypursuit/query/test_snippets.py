from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hypursuit.query.language import parse_query
from hypursuit.query.snippets import ELLIPSIS, LOOKED_AT, Part, Snippet, snippet
from hypursuit.text.stemming import Stems

STEMS = Stems()
QUERY = parse_query("searching engines", STEMS)
FILLER = "lorem ipsum dolor sit amet "


def cut(text: str, width: int = 60, query: str = "searching engines") -> Snippet:
    return snippet(text, parse_query(query, STEMS), width, STEMS)


def highlighted(found: Snippet) -> list[str]:
    return [part.text for part in found.parts if part.highlighted]


def test_words_with_the_stems_of_the_query_are_highlighted_as_written() -> None:
    found = cut("An Engine that searches.")

    assert found.parts == (
        Part("An ", False), Part("Engine", True), Part(" that ", False), Part("searches", True), Part(".", False)
    )  # fmt: skip


def test_the_place_with_most_different_words_is_shown() -> None:
    """Three of one word earlier count less than one of each later."""
    text = f"engine engine engine {FILLER * 20} search engine {FILLER * 20} search engine"

    found = cut(text)

    assert highlighted(found) == ["search", "engine"]
    assert found.text.startswith(ELLIPSIS)
    assert found.text.endswith(ELLIPSIS)


def test_the_first_of_equally_good_places_is_shown() -> None:
    found = cut(f"{FILLER * 5}one search engine {FILLER * 5}two search engine {FILLER * 5}")

    assert "one" in found.text
    assert "two" not in found.text


def test_what_was_found_stands_in_the_middle_with_whole_words_around_it() -> None:
    found = cut(f"{FILLER * 9}engine {FILLER * 9}", 40)
    before, _, after = found.parts

    assert set(found.text.strip(ELLIPSIS).split()) <= {*FILLER.split(), "engine"}
    assert abs(len(before.text) - len(after.text)) < 12


def test_without_any_of_the_words_it_is_the_beginning() -> None:
    assert cut(FILLER * 9, 30).parts == (Part("lorem ipsum dolor sit amet" + ELLIPSIS, False),)
    assert cut("lorem ipsum").parts == (Part("lorem ipsum", False),)
    assert cut("").parts == ()


def test_excluded_words_are_not_highlighted() -> None:
    assert highlighted(cut("search without engine", query="searching -engine")) == ["search"]


def test_it_is_one_line_without_marks_that_cannot_be_seen() -> None:
    assert cut("a\u202e search\n\n\tengine\x00 \u2066b\ud800").text == "a search engine b"


def test_markup_is_left_for_the_caller_to_escape() -> None:
    assert cut("<b>engine</b>").text == "<b>engine</b>"


def test_words_are_found_whatever_their_accents() -> None:
    assert highlighted(cut("Ou\u0300 est le cafe\u0301 ? CAF\u00c9", query="caf\u00e9")) == ["caf\u00e9", "CAF\u00c9"]


def test_only_the_beginning_of_a_huge_text_is_looked_at() -> None:
    text = "x " * LOOKED_AT + "engine"

    assert highlighted(cut(text)) == []
    assert cut("engine " + text).text.endswith(ELLIPSIS)


def test_one_endless_word_is_cut() -> None:
    assert cut("x" * 10_000, 50).text == "x" * 50 + ELLIPSIS


PIECES = st.lists(
    st.sampled_from(["engine", "search", "Engines", " ", "\n", ". ", "x" * 30, "\u00e9", "e\u0301", "\u202e"])
)


@given(PIECES.map("".join) | st.text(), st.integers(1, 80))
def test_never_longer_than_asked_and_always_a_piece_of_the_text(text: str, width: int) -> None:
    found = snippet(text, QUERY, width, STEMS)
    whole = snippet(text, QUERY, 1_000_000, STEMS).text

    assert found.text.strip(ELLIPSIS) in whole
    assert len(found.text) <= width + 2
    assert all(STEMS[part.text] in QUERY.stems() for part in found.parts if part.highlighted)
    assert all(part.text for part in found.parts)


@given(PIECES.map("".join), st.integers(20, 80))
def test_something_is_highlighted_whenever_it_can_be(text: str, width: int) -> None:
    everything = highlighted(snippet(text, QUERY, 1_000_000, STEMS))
    assert bool(highlighted(snippet(text, QUERY, width, STEMS))) == bool(everything)
