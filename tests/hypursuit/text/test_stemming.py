"""Stems, stop words, and how cheaply the stemmer is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hypursuit.text import STOP_WORDS, Stems, fold


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("Relational", "relat"),
        ("hopping", "hop"),
        ("electricity", "electr"),
        ("databases", "databas"),
        ("Über", "uber"),
    ],
)
def test_porter_stems(word: str, stem: str) -> None:
    assert Stems()[word] == stem


def test_a_stop_word_has_no_stem_however_written() -> None:
    stems = Stems()

    assert [stems[word] for word in ("the", "The", "WOULD")] == ["", "", ""]


def test_every_spelling_is_looked_up_once() -> None:
    stems = Stems()

    assert [stems[word] for word in ("searches", "searches", "Searches", "the")] == ["search", "search", "search", ""]
    assert dict(stems) == {"searches": "search", "Searches": "search", "the": ""}


def test_encoded_junk_cannot_blow_up_the_vocabulary() -> None:
    assert len(Stems()["a" * 10_000]) <= 64


def test_the_stop_list_is_about_800_plain_words() -> None:
    assert 700 <= len(STOP_WORDS) <= 900
    assert all(word == fold(word) and word.isalpha() for word in STOP_WORDS)


def test_the_stemmer_comes_without_the_rest_of_nltk() -> None:
    """All of NLTK takes 0.6 s and 100 MB to import; whoever wants it afterwards still gets the real one."""
    script = (
        "import sys; from hypursuit.text.stemming import Stems; Stems();"
        "assert not [m for m in sys.modules if m.startswith('nltk')], 'nltk is loaded';"
        "import nltk; print(nltk.stem.PorterStemmer().stem('running'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("run\n", 0), done.stderr
