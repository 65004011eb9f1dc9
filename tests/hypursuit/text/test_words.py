"""What counts as a word."""

from __future__ import annotations

from hypursuit.text.words import fold, words


def test_words_are_runs_of_letters_and_digits() -> None:
    assert words("don't stop: c++ file_name x86-64") == ["don", "t", "stop", "c", "file", "name", "x86", "64"]


def test_a_decomposed_letter_does_not_end_the_word() -> None:
    assert words("cafe\u0301s") == ["caf\u00e9s"]


def test_folding_strips_latin_diacritics_only() -> None:
    assert [fold(word) for word in ("Café", "NAÏVE", "Ångström")] == ["cafe", "naive", "angstrom"]
    assert fold("Йод") == "йод", "й is a letter of its own"


def test_ligatures_and_full_width_letters_are_their_plain_forms() -> None:
    assert fold("\ufb01le") == "file"
    assert fold("\uff21\uff22") == "ab"
