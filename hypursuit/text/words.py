"""Text to words: what counts as a word, and what two spellings of one word have in common."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_LATIN_WITH_MARKS = re.compile("([a-z])[\u0300-\u036f]+")


def words(text: str) -> list[str]:
    """The words of a text as written, in order: runs of letters and digits of any script."""
    # A decomposed "é" would end the word after the "e": marks are no letters.
    return _WORD.findall(text if text.isascii() else unicodedata.normalize("NFC", text))


def fold(word: str) -> str:
    """Lower case, Latin letters without their diacritics; other scripts keep theirs."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return unicodedata.normalize("NFC", _LATIN_WITH_MARKS.sub(r"\1", decomposed))
