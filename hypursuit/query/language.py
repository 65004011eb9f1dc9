"""The query language: text to a query, and back.

``words in a row`` all have to be there; ``OR`` between alternatives (weaker than standing side by side); ``-word`` or
``NOT word`` must not be there; ``"a phrase"``; ``title:word``, ``title:"a phrase"``, ``title:(several words)``;
``site:host/path``; parentheses. What the tokeniser takes apart (``x86-64``, ``foo_bar``) is a phrase of its pieces.
``=stem`` is a stem as the index holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hypursuit.errors import MalformedQuery, MalformedUrl
from hypursuit.query.query import And, Expression, Not, Or, Phrase, Query, Scope, Word
from hypursuit.query.scope import parse_scope
from hypursuit.query.syntax import Kind, Token, exact_stem, tokens
from hypursuit.text.stemming import Stems
from hypursuit.text.words import words

if TYPE_CHECKING:
    from hypursuit.text.terms import Attribute

LONGEST: Final = 4_000
MOST_WORDS: Final = 256
DEEPEST: Final = 32
_SHOWN = 5


def parse_query(text: str, stems: Stems | None = None, *, longest: int = LONGEST) -> Query:
    """Read a query; equal texts give equal queries.

    Stop words are dropped, whole expressions of them too; in a phrase they keep their place.

    Raises:
        MalformedQuery: with the position, and what to do about it.
    """
    if len(text) > longest:
        raise MalformedQuery(longest, f"a query has at most {longest:,} characters, this one has {len(text):,}")
    reader = _Reader(Stems() if stems is None else stems)
    for token in tokens(text):
        reader.take(token)
    expression = reader.end()
    if expression is None:
        raise MalformedQuery(0, _nothing_in(reader))
    query = Query(text, expression)
    if not query.scored():
        raise MalformedQuery(0, "it says only what to leave out or where to look; add a word to look for")
    return query


@dataclass(slots=True)
class _Level:
    """What was read between two parentheses so far."""

    opened: Token | None = None
    attribute: Attribute | None = None
    alternatives: list[list[Expression]] = field(default_factory=lambda: [[]])
    negations: int = 0
    """NOTs waiting for what they are about."""
    dangling: Token | None = None
    """An operator that still needs something after it."""
    empty: bool = True
    """Nothing was read since the last OR, not even a stop word."""


class _Reader:
    """Takes tokens one by one. Levels are a list rather than calls, so that no depth of nesting can harm."""

    def __init__(self, stems: Stems) -> None:
        self._stems = stems
        self._levels = [_Level()]
        self._words = 0
        self.dropped: list[str] = []
        """Stop words, as written."""

    def take(self, token: Token) -> None:
        """Read on."""
        match token.kind:
            case Kind.AND | Kind.OR | Kind.NOT:
                self._operator(token)
            case Kind.OPEN:
                self._open(token)
            case Kind.CLOSE:
                self._close(token)
            case Kind.SITE:
                self._add(_scope(token))
            case Kind.WORD | Kind.PHRASE:
                self._add(self._phrase(token))

    def end(self) -> Expression | None:
        """What was read; None if it had only stop words in it, or nothing."""
        level = self._levels[-1]
        if level.opened is not None:
            raise MalformedQuery(level.opened.position, "this parenthesis is never closed; add a ) where it should end")
        if level.dangling is not None:
            raise _needs_more(level.dangling)
        return _any_of(level.alternatives)

    def _operator(self, token: Token) -> None:
        level = self._levels[-1]
        if token.kind is not Kind.NOT and (level.empty or level.dangling):
            raise _needs_more(level.dangling or token)
        level.dangling = token
        if token.kind is Kind.NOT:
            level.negations += 1
        elif token.kind is Kind.OR:
            level.alternatives.append([])
            level.empty = True

    def _open(self, token: Token) -> None:
        if len(self._levels) > DEEPEST:
            raise MalformedQuery(token.position, f"parentheses are nested deeper than {DEEPEST}; take some away")
        self._levels.append(_Level(token, token.attribute or self._levels[-1].attribute))

    def _close(self, token: Token) -> None:
        level = self._levels[-1]
        if level.opened is None:
            raise MalformedQuery(token.position, "there is no ( for this parenthesis; take it away, or quote it")
        if level.dangling is not None:
            raise _needs_more(level.dangling)
        if level.empty:
            raise MalformedQuery(level.opened.position, "there is nothing in these parentheses; take them away")
        self._levels.pop()
        self._add(_any_of(level.alternatives))

    def _add(self, part: Expression | None) -> None:
        """Join what was read to its level; None is what had only stop words in it."""
        level = self._levels[-1]
        if part is not None:
            for _ in range(level.negations):
                part = _negated(part)
            level.alternatives[-1].append(part)
        level.negations, level.dangling, level.empty = 0, None, False

    def _phrase(self, token: Token) -> Expression | None:
        """The words of a token, one after the other; None if all are stop words or it has none."""
        stems: list[str] = []
        places: list[int] = []
        place = 0
        for piece in token.text.split() if token.kind is Kind.PHRASE else [token.text]:
            for stem in self._stems_of(piece, token.position):
                if stem:
                    stems.append(stem)
                    places.append(place)
                place += 1
        attribute = token.attribute or self._levels[-1].attribute
        if len(stems) > 1:
            return Phrase(tuple(stems), tuple(place - places[0] for place in places), attribute)
        return Word(stems[0], attribute) if stems else None

    def _stems_of(self, piece: str, position: int) -> list[str]:
        """The stems of a piece of text, empty ones for stop words."""
        exact = exact_stem(piece)
        written = [piece] if exact is not None else words(piece)
        self._words += len(written)
        if self._words > MOST_WORDS:
            raise MalformedQuery(position, f"a query has at most {MOST_WORDS} words; leave some out")
        if exact is not None:
            return [exact]
        self.dropped.extend(word for word in written if not self._stems[word])
        return [self._stems[word] for word in written]


def _scope(token: Token) -> Scope:
    try:
        return parse_scope(token.text)
    except MalformedUrl as error:
        raise MalformedQuery(
            token.position, f"{error.reason}; write site: with a host and maybe a path, as in site:docs.python.org/3"
        ) from None


def _needs_more(operator: Token) -> MalformedQuery:
    name = operator.kind.name
    place = "before what must not be there" if operator.kind is Kind.NOT else "between two things to look for"
    return MalformedQuery(operator.position, f"{name} stands {place}; add what is missing, or leave {name} out")


def _nothing_in(reader: _Reader) -> str:
    if not reader.dropped:
        return "there is no word in it; write what to look for"
    shown = ", ".join(dict.fromkeys(reader.dropped[:_SHOWN]))
    return f"it has only words that stand on nearly every page ({shown}); add one that says more"


def _all_of(parts: list[Expression]) -> Expression | None:
    flat = dict.fromkeys(inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,)))
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def _any_of(alternatives: list[list[Expression]]) -> Expression | None:
    parts = [part for part in map(_all_of, alternatives) if part is not None]
    flat = dict.fromkeys(inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,)))
    return Or(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def _negated(part: Expression) -> Expression:
    """Three times not is once; twice is not the same as not at all, for it does not count for the score."""
    if isinstance(part, Not) and isinstance(part.part, Not):
        return part.part
    return Not(part)
