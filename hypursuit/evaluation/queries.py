"""Queries such as people ask, made from the pages themselves: one to four words of middling frequency."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from hypursuit.text.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypursuit.crawl.page import Page
    from hypursuit.text.stemming import Stems

KINDS = ("and", "or", "phrase", "exclusion", "attribute", "site")
_TRIES = 200


def made_queries(
    pages: Sequence[Page],
    page_frequency: Callable[[str], int],
    stems: Stems,
    count: int,
    seed: int = 1996,
    most: int | None = None,
) -> list[tuple[str, str]]:
    """Pairs of kind and query text; the same for the same pages and seed, and every kind about equally often.

    Words stand on a page together, so that most queries find something. A word counts as middling if at least three
    pages have its stem and at most one in fifty, or ``most``.
    """
    draw = np.random.default_rng(seed)
    highest = max(len(pages) // 50, 10) if most is None else most

    def middling(word: str) -> bool:
        stem = stems[word]
        return bool(stem) and not word.isdecimal() and 3 <= page_frequency(stem) <= highest

    found: list[tuple[str, str]] = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        for _ in range(_TRIES):
            text = _query(kind, pages[int(draw.integers(len(pages)))], middling, draw)
            if text:
                found.append((kind, text))
                break
    return found


def _query(kind: str, page: Page, middling: Callable[[str], bool], draw: np.random.Generator) -> str:
    """A query of one kind from one page; empty if the page does not yield one."""
    everything = [word.lower() for word in words(page.text)]
    if kind == "phrase":
        pairs = [f'"{one} {two}"' for one, two in pairwise(everything) if middling(one) and middling(two)]
        return pairs[draw.integers(len(pairs))] if pairs else ""
    if kind == "attribute":
        titled = [f"title:{word}" for word in words(page.title.lower()) if middling(word)]
        return titled[draw.integers(len(titled))] if titled else ""
    telling = list(dict.fromkeys(word for word in everything if middling(word)))
    wanted = int(draw.integers(1, 5))
    if len(telling) <= wanted:
        return ""
    *chosen, other = (telling[i] for i in draw.choice(len(telling), wanted + 1, replace=False))
    return {
        "and": " ".join(chosen),
        "or": " OR ".join((*chosen, other)),
        "exclusion": " ".join((*chosen, f"-{other}")),
        "site": " ".join((*chosen[:2], f"site:{urlsplit(page.url).hostname}")),
    }[kind]
