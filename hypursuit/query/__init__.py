"""Query language, scoring, the index of pages, best-first search over labels."""

from hypursuit.query.index import Match, PageIndex, Share
from hypursuit.query.language import parse_query
from hypursuit.query.query import And, Expression, Idf, Not, Or, Phrase, Query, Scope, Word
from hypursuit.query.snippets import Snippet, snippet
from hypursuit.query.writing import write_query

__all__ = [
    "And",
    "Expression",
    "Idf",
    "Match",
    "Not",
    "Or",
    "PageIndex",
    "Phrase",
    "Query",
    "Scope",
    "Share",
    "Snippet",
    "Word",
    "parse_query",
    "snippet",
    "write_query",
]
