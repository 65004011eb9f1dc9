"""From pages to terms: words, stop list, stems, weights, the term matrix."""

from hypursuit.text.matrix import TermMatrix, term_matrix
from hypursuit.text.stemming import Stems
from hypursuit.text.stop_words import STOP_WORDS
from hypursuit.text.terms import EVERY_TERM, Attribute, Considered, Term, term_frequencies
from hypursuit.text.weights import AttributeFactors, discriminating_weights, term_weights
from hypursuit.text.words import fold, words

__all__ = [
    "EVERY_TERM",
    "STOP_WORDS",
    "Attribute",
    "AttributeFactors",
    "Considered",
    "Stems",
    "Term",
    "TermMatrix",
    "discriminating_weights",
    "fold",
    "term_frequencies",
    "term_matrix",
    "term_weights",
    "words",
]
