"""A query's expression back to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypursuit.query.query import And, Expression, Not, Or, Phrase, Scope, Word
from hypursuit.query.scope import write_scope
from hypursuit.query.syntax import write_exact
from hypursuit.text.stemming import Stems
from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypursuit.text.terms import Attribute

_STOP_WORD = "the"
_OPERATORS = {"AND", "OR", "NOT"}


def write_query(expression: Expression, stems: Stems | None = None) -> str:
    """The canonical text of an expression of the query language: it parses to the same expression.

    Words are written so that they have the stem, not as they were in the query; gaps of a phrase as a stop word.
    """
    return _Writer(Stems() if stems is None else stems).write(expression)


class _Writer:
    def __init__(self, stems: Stems) -> None:
        self._stems = stems

    def write(self, expression: Expression) -> str:
        match expression:
            case Word(stem, attribute):
                return _prefix(attribute) + self._word(stem)
            case Phrase():
                return f'{_prefix(expression.attribute)}"{" ".join(self._pieces(expression))}"'
            case Scope():
                return f"site:{write_scope(expression)}"
            case And(parts):
                return " ".join(f"({self.write(part)})" if isinstance(part, Or) else self.write(part) for part in parts)
            case Or(parts):
                return " OR ".join(map(self.write, parts))
            case Not(part):
                return self._negated(part)

    def _negated(self, part: Expression) -> str:
        match part:
            case Not():
                return f"NOT {self.write(part)}"
            case And() | Or():
                return f"-({self.write(part)})"
            case _:
                return f"-{self.write(part)}"

    def _pieces(self, phrase: Phrase) -> Iterator[str]:
        place = 0
        for stem, at in zip(phrase.stems, phrase.places, strict=True):
            yield from [_STOP_WORD] * (at - place)
            yield self._word(stem)
            place = at + 1

    def _word(self, stem: str) -> str:
        """A word with this stem that people would write, if there is a simple one."""
        for word in (stem[:-1] + "y" if stem.endswith("i") else stem, stem, stem + "e"):
            if self._stems[word] == stem and words(word) == [word] and word not in _OPERATORS:
                return word
        return write_exact(stem)


def _prefix(attribute: Attribute | None) -> str:
    return "" if attribute is None else f"{attribute}:"
