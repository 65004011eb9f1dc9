"""Porter stems with a cache per vocabulary."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, cast

from hypursuit.text.stop_words import STOP_WORDS
from hypursuit.text.words import fold

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

LONGEST_WORD = 64
"""Longer runs of letters are encoded data, not words; they are cut here, so no vocabulary can be blown up by them."""


def porter_stemmer() -> Callable[[str], str]:
    """NLTK's Porter stemmer with Martin Porter's own later corrections, as most search engines use it."""
    porter = _porter_module()
    stemmer = porter.PorterStemmer(porter.PorterStemmer.MARTIN_EXTENSIONS)
    return cast("Callable[[str], str]", stemmer.stem)


@cache
def _porter_module() -> ModuleType:
    """``nltk.stem.porter`` alone: importing all of NLTK for it takes 0.6 s and 100 MB."""
    if "nltk" in sys.modules:
        return importlib.import_module("nltk.stem.porter")
    spec = PathFinder.find_spec("nltk")
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError("nltk is not installed: pip install nltk", name="nltk")
    [root] = spec.submodule_search_locations
    shells = {"nltk": root, "nltk.stem": f"{root}/stem"}
    for name, path in shells.items():
        shell = ModuleType(name)
        shell.__path__ = [path]
        sys.modules[name] = shell
    try:
        return importlib.import_module("nltk.stem.porter")
    finally:
        # Whoever imports NLTK later gets the real package, not our shells.
        for name in [m for m in sys.modules if m == "nltk" or m.startswith("nltk.")]:
            del sys.modules[name]


class Stems(dict[str, str]):
    """Surface word → stem, empty for a stop word; every distinct word is stemmed once.

    >>> stems = Stems()
    >>> stems["Searching"], stems["the"]
    ('search', '')
    """

    def __init__(self, stop_words: AbstractSet[str] = STOP_WORDS) -> None:
        super().__init__()
        self._stop_words = stop_words
        self._stem = porter_stemmer()

    def __missing__(self, word: str) -> str:
        folded = fold(word)[:LONGEST_WORD]
        stem = "" if folded in self._stop_words else self._stem(folded)
        self[word] = stem
        return stem
