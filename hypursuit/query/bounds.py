"""Upper bounds: how well a page below a label can score at most, without looking at the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.query.query import And, Not, Or, Phrase, Scope, Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.query import Expression, Idf, Query

# Pages add the same numbers by other routines: a few ulps per word, far below this.
_MARGIN = 1 + 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """No page below scores more than ``best``; 0 means that certainly no page matches with a score above 0."""

    best: float
    clusters: NDArray[np.float64]
    """(clusters,): the same for each sub-cluster of the label."""


def bound(label: ContentLabel, query: Query, idf: Idf) -> Bound:
    """The bound of a query for everything below a label.

    In each cell: the sum over the scored words that may stand there of idf · largest part, if the expression may
    match there. ``idf`` has every stem of ``query.stems()``.
    """
    routing = label.routing
    scored = query.scored()
    parts = {word: routing.largest_parts(word.stem, word.attribute) for word in scored}
    total = np.zeros(routing.cells)
    for word in scored:
        total += idf[word.stem] * parts[word]
    possible = _may_match(query.expression, label, parts)
    cells = np.where(possible, total * _MARGIN, 0.0)
    return Bound(float(cells.max(initial=0.0)), routing.by_cluster(cells))


def _may_match(
    expression: Expression, label: ContentLabel, parts: dict[Word, NDArray[np.float64]]
) -> NDArray[np.bool_]:
    """(cells,): False where certainly no page matches."""
    match expression:
        case Word():
            return parts[expression] > 0
        case Phrase():
            return _all([parts[word] > 0 for word in expression.words], label)
        case Scope():
            return np.full(label.routing.cells, label.may_hold(expression))
        case And(subparts):
            return _all([_may_match(part, label, parts) for part in subparts], label)
        case Or(subparts):
            found = np.zeros(label.routing.cells, bool)
            for part in subparts:
                found |= _may_match(part, label, parts)
            return found
        case Not():
            # Whether a page lacks something cannot be told from what the pages together have.
            return np.ones(label.routing.cells, bool)


def _all(possible: list[NDArray[np.bool_]], label: ContentLabel) -> NDArray[np.bool_]:
    found = np.ones(label.routing.cells, bool)
    for one in possible:
        found &= one
    return found
