"""A query as it is asked: what must match, and which terms count for the score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from hypursuit.text.terms import Attribute


class Word(NamedTuple):
    """A stem that has to stand on the page, under an attribute or anywhere."""

    stem: str
    attribute: Attribute | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Stems in a row under one attribute; ``places`` are their distances from the first, gaps being stop words."""

    stems: tuple[str, ...]
    places: tuple[int, ...]
    attribute: Attribute | None = None

    @property
    def words(self) -> tuple[Word, ...]:
        """The words that a page with the phrase has."""
        return tuple(Word(stem, self.attribute) for stem in self.stems)


@dataclass(frozen=True, slots=True)
class Scope:
    """Pages of one host (or any host below it, for a domain), below a path."""

    host: str
    path: str = "/"


@dataclass(frozen=True, slots=True)
class And:
    """All parts have to match; no parts match everything."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One part has to match."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not match. Adds nothing to the score."""

    part: Expression


Expression: TypeAlias = Word | Phrase | Scope | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. Equal texts give equal queries."""

    text: str
    expression: Expression

    def scored(self) -> tuple[Word, ...]:
        """The words that count: every distinct one that is not excluded, in order of appearance.

        A page that matches scores the sum over the scored words that stand on it of idf(stem) · part(page, word).
        """
        return tuple(dict.fromkeys(_scored(self.expression)))

    def stems(self) -> tuple[str, ...]:
        """The distinct stems of the scored words, whose idf the query carries."""
        return tuple(dict.fromkeys(word.stem for word in self.scored()))


Idf: TypeAlias = Mapping[str, float]
"""Stem → inverse document frequency, decided where the query enters and carried with it."""


def _scored(expression: Expression) -> Iterator[Word]:
    match expression:
        case Word():
            yield expression
        case Phrase():
            yield from expression.words
        case And(parts) | Or(parts):
            for part in parts:
                yield from _scored(part)
        case Scope() | Not():
            return
