"""Queries made from pages."""

from __future__ import annotations

from collections import Counter

from hypursuit.crawl.page import Page
from hypursuit.evaluation.queries import KINDS, made_queries
from hypursuit.text import Stems

VOCABULARY = ["petal", "thorn", "bloom", "prune", "spade", "shear", "rake", "compost", "humus", "clay", "lime", "drain"]
PAGES = [
    Page(f"http://garden.test/{i}", title=VOCABULARY[i % 12], text=" ".join(VOCABULARY[(i + k) % 12] for k in range(6)))
    for i in range(60)
]


def middling(_stem: str) -> int:
    return 5


def test_every_kind_is_made_equally_often() -> None:
    made = made_queries(PAGES, middling, Stems(), 60)

    assert Counter(kind for kind, _ in made) == dict.fromkeys(KINDS, 10)


def test_queries_are_of_the_kind_they_say() -> None:
    made = made_queries(PAGES, middling, Stems(), 120)
    marks = {"or": " OR ", "phrase": '"', "exclusion": " -", "attribute": "title:", "site": "site:garden.test"}

    assert all(marks.get(kind, "") in text for kind, text in made)


def test_the_same_seed_makes_the_same_queries() -> None:
    first, again, other = (made_queries(PAGES, middling, Stems(), 30, seed) for seed in (1, 1, 2))

    assert first == again != other


def test_rare_and_common_words_are_left_out() -> None:
    common = "petal"
    made = made_queries(PAGES, lambda stem: 1000 if stem == common else 5, Stems(), 120)

    assert not [text for _, text in made if common in text]
