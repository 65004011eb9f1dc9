"""Phrases of titles."""

from __future__ import annotations

import pytest

from hypursuit.clustering.title_phrases import TitlePhrases, is_wordlike
from hypursuit.text import Stems


def _phrases(*titles: str, everywhere: frozenset[str] = frozenset()) -> TitlePhrases:
    return TitlePhrases(titles, Stems(), everywhere)


def _shown(*titles: str, everywhere: frozenset[str] = frozenset()) -> set[str]:
    phrases = _phrases(*titles, everywhere=everywhere)
    return {phrases.shown(phrase) for phrase in phrases.count(range(len(titles)))}


def test_a_short_title_is_a_phrase_and_its_parts_are_not() -> None:
    assert _shown("Mailing list archive") == {"Mailing list archive"}


def test_parts_of_titles_are_phrases_where_titles_share_them() -> None:
    shown = _shown("Reading the mailing list daily", "Subscribing to mailing list digests")

    assert shown == {"mailing list"}


def test_phrases_stay_within_a_segment() -> None:
    assert _shown("Signal handling — Django manual | Cheese shop (closed)") == {
        "Signal handling",
        "Django manual",
        "Cheese shop",
    }


def test_stop_words_stand_neither_first_nor_last() -> None:
    assert _shown("The history of cheese") == {"history of cheese"}


def test_a_stop_word_inside_needs_the_whole_segment() -> None:
    """Both titles have "archive of security", but neither ends there."""
    assert _shown("Archive of security issues", "Archive of security notes") == set()


def test_words_that_are_everywhere_stand_neither_first_nor_last() -> None:
    assert _shown("Django template language", everywhere=frozenset({"django"})) == {"template language"}


def test_words_tied_together_are_one_piece() -> None:
    assert _shown("mod_proxy_balancer", "git-check-ref-format(1)") == {"mod_proxy_balancer", "git-check-ref-format"}


def test_single_words_and_numbers_are_no_phrases() -> None:
    assert _shown("Cheese", "1.2", "2021 10", "") == set()


def test_the_most_frequent_spelling_is_shown_and_ties_go_by_the_alphabet() -> None:
    assert _shown("Virtual Hosts", "virtual hosts", "virtual hosts") == {"virtual hosts"}
    assert _shown("Virtual hosts", "Virtual Hosts") == {"Virtual Hosts"}


def test_stems_of_a_phrase_leave_stop_words_out() -> None:
    phrases = _phrases("History of cheeses")

    assert phrases.stems(("history", "of", "cheeses")) == {Stems()["history"], Stems()["cheese"]}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("cheese", "Cheese"),
        ("printf", "printf"),
        ("django.urls", "django.urls"),
        ("PostgreSQL", "PostgreSQL"),
        ("", ""),
    ],
)
def test_names_begin_with_a_capital_unless_titles_write_them_without(name: str, shown: str) -> None:
    assert _phrases("printf and friends", "django tips", "Cheese").capitalised(name) == shown


@pytest.mark.parametrize("word", ["a", "1", "2021", "x1234", "", "z" * 40, "1a2b3"])
def test_numbers_letters_and_rubbish_are_not_wordlike(word: str) -> None:
    assert not is_wordlike(word)


@pytest.mark.parametrize("word", ["go", "utf8", "PostgreSQL", "größe", "漢字"])
def test_words_are_wordlike(word: str) -> None:
    assert is_wordlike(word)
