"""The characters of a query to its tokens: quotes, parentheses, operators, attributes, words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from hypursuit.errors import MalformedQuery
from hypursuit.text.stemming import LONGEST_WORD
from hypursuit.text.terms import Attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE: Final = "site"
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'))
_OPERATOR = re.compile(r'(?:AND|OR|NOT)(?![^\s()"])')
# Parentheses right after a word belong to it, if nothing but the rest of a word is in them: len(), sin(x).
_RAW = r'(?:[^\s()"]|(?<=[^\s:"()-])\([^\s()"]*\))+'
_WORD = re.compile(_RAW)
_FIELD = re.compile(r"([A-Za-z]+):")
_PHRASE = re.compile(r'"([^"]*)"')
_SPACE = re.compile(r"\s+")
_LONGEST_STEM = LONGEST_WORD + 1  # "-at" is stemmed to "-ate"
_EXACT = re.compile(r"=((?:[\w.~-]|%[0-9A-F]{2})+)", re.ASCII)


class Kind(Enum):
    """What a token is."""

    WORD = auto()
    PHRASE = auto()
    SITE = auto()
    OPEN = auto()
    CLOSE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token, what is in it, and where it stands."""

    kind: Kind
    position: int
    text: str = ""
    attribute: Attribute | None = None


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a query, from left to right, in time linear in its length."""
    text = text.translate(_QUOTES)
    place = 0
    while place < len(text):
        if space := _SPACE.match(text, place):
            place = space.end()
        elif text[place] == ")":
            yield Token(Kind.CLOSE, place)
            place += 1
        elif operator := _OPERATOR.match(text, place):
            yield Token(Kind[operator[0]], place)
            place = operator.end()
        elif _excludes(text, place):
            yield Token(Kind.NOT, place)
            place += 1
        else:
            token, place = _operand(text, place)
            yield token


def exact_stem(word: str) -> str | None:
    """The stem of a word written as ``=stem``; None for every other word, and where no stem can be that long."""
    exact = _EXACT.fullmatch(word)
    stem = "" if exact is None else unquote(exact[1], errors="surrogatepass")
    return stem if 0 < len(stem) <= _LONGEST_STEM else None


def write_exact(stem: str) -> str:
    """A stem so that :func:`exact_stem` gives it back; whatever is no plain letter or digit is escaped as in URLs."""
    return "=" + quote(stem, safe="", errors="surrogatepass")


def _excludes(text: str, place: int) -> bool:
    """A single minus before something. ``--help`` is a word that happens to begin with two."""
    return (
        text[place] == "-" and place + 1 < len(text) and text[place + 1] not in "-)" and not text[place + 1].isspace()
    )


def _operand(text: str, start: int) -> tuple[Token, int]:
    """The word, phrase, scope or opening parenthesis at a place, with its attribute, and where it ends."""
    attribute, place = None, start
    if field := _FIELD.match(text, start):
        name = field[1].lower()
        if name == SITE:
            return _site(text, start, field.end())
        if name in list(Attribute):
            attribute, place = Attribute(name), field.end()
        elif _looks_like_a_value(text, field.end()):
            raise MalformedQuery(start, _unknown(field[1]))
    if text.startswith("(", place):
        return Token(Kind.OPEN, start, attribute=attribute), place + 1
    if text.startswith('"', place):
        return _phrase(text, place, attribute)
    if word := _WORD.match(text, place):
        return Token(Kind.WORD, place, word[0], attribute), word.end()
    raise MalformedQuery(place, f"write a word right after {attribute}:, as in {attribute}:system")


def _looks_like_a_value(text: str, place: int) -> bool:
    """What follows the colon of ``http://``, ``std::vector`` and ``localhost:8080`` does not."""
    return place < len(text) and (text[place].isalpha() or text[place] in '"(')


def _unknown(name: str) -> str:
    known = [*Attribute, SITE]
    nearest = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]}: ?" if nearest else f"there are {', '.join(f'{name}:' for name in known)}."
    return f"{name}: is not something to search in; {hint} To look for the words, put them in quotes"


def _site(text: str, start: int, place: int) -> tuple[Token, int]:
    value = _WORD.match(text, place)
    if value is None:
        raise MalformedQuery(place, "write a host right after site:, as in site:docs.python.org/3/library")
    return Token(Kind.SITE, start, value[0]), value.end()


def _phrase(text: str, place: int, attribute: Attribute | None) -> tuple[Token, int]:
    phrase = _PHRASE.match(text, place)
    if phrase is None:
        raise MalformedQuery(place, 'this quote is never closed; add a " at the end of the phrase')
    return Token(Kind.PHRASE, place, phrase[1], attribute), phrase.end()
