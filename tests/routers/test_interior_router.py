from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from hypursuit.errors import MalformedQuery
from hypursuit.label.budget import LabelBudget
from hypursuit.query.answer import SearchRequest
from hypursuit.query.language import parse_query
from hypursuit.text.scoring import Scoring

if TYPE_CHECKING:
    from hypursuit.query.answer import Answer
    from hypursuit.query.index import PageIndex

#            root
#      ┌──────┼────────┐
#     org    com     solo.test
#    ┌─┼─┐   ┌┴─┐
#    a b c   d  deep
#               ┌┴┐
#               e f
LEAVES = ["a.org", "b.org", "c.org", "d.com", "e.deep.com", "f.deep.com", "solo.test"]


def plant(grove: Any) -> None:
    leaf = {name: grove.leaf(name) for name in LEAVES}
    org = grove.interior("org", leaf["a.org"], leaf["b.org"], leaf["c.org"])
    deep = grove.interior("deep.com", leaf["e.deep.com"], leaf["f.deep.com"])
    com = grove.interior("com", leaf["d.com"], deep)
    grove.interior("root", org, com, leaf["solo.test"])


def queries(central: PageIndex, number: int) -> list[str]:
    """Queries of all kinds made of words that stand on pages."""
    chance = random.Random(number)
    stems = [stem for stem in central.stems if central.page_frequency(stem) > 1]
    forms = [
        "{}",
        "{} {}",
        "{} OR {}",
        "{} -{}",
        "title:{}",
        '"{} {}"',
        "({} OR {}) {}",
        "{} site:org",
        "{} site:a.org",
    ]
    return [form.format(*chance.sample(stems, form.count("{}"))) for form in chance.choices(forms, k=number)]


def from_central(central: PageIndex, q: str, idf: dict[str, float], limit: int) -> list[tuple[str, float]]:
    matches, _ = central.search(parse_query(q), idf, limit)
    return [(central.urls[match.page], match.score) for match in matches]


def exact_idf(central: PageIndex, q: str) -> dict[str, float]:
    pages = len(central.urls)
    return {stem: Scoring.idf(central.page_frequency(stem), pages) for stem in parse_query(q).stems()}


def found(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in answer.hits]


async def test_the_tree_finds_what_one_index_over_all_pages_finds(grove: Any) -> None:
    """Same URLs, same order, same scores; pages two and three of the list too."""
    plant(grove)
    await grove.grow()
    central = grove.central()
    pruned = 0

    for q in queries(central, 60):
        truth = from_central(central, q, exact_idf(central, q), 30)
        for offset in (0, 10, 20):
            answer = await grove.search("root", q, offset=offset)
            assert found(answer) == truth[offset : offset + 10], q
            assert (answer.exact, answer.complete_above) == (True, 0.0)
            coverage = answer.coverage
            assert coverage.leaves == len(LEAVES) == coverage.asked + coverage.pruned
            assert coverage.asked == coverage.answered
            pruned += coverage.pruned if offset == 0 else 0

    assert pruned > 60, "labels that rule nobody out are no labels"


@pytest.mark.parametrize("size", [2_000, 6_000])
async def test_tiny_labels_cost_work_and_change_nothing(grove: Any, size: int) -> None:
    """With labels this small frequencies are estimates, so the central index is given the idf that was used."""
    grove.leaf_budget = LabelBudget(bytes=size, clusters=3)
    grove.interior_budget = LabelBudget(bytes=size, clusters=3)
    plant(grove)
    await grove.grow()
    central = grove.central()
    root = grove.routers["root"].router

    for q in queries(central, 25):
        answer = await grove.search("root", q)
        assert found(answer) == from_central(central, q, dict(root._idf(parse_query(q))), 10), q
        assert answer.exact


async def test_a_query_may_enter_anywhere_and_means_what_lies_below(grove: Any) -> None:
    plant(grove)
    await grove.grow()
    below = grove.central("d.com", "e.deep.com", "f.deep.com")

    for q in queries(below, 20):
        answer = await grove.search("com", q)
        assert found(answer) == from_central(below, q, exact_idf(below, q), 10), q
        assert answer.coverage.leaves == 3


@pytest.mark.parametrize("deadline_ms", [1, 3, 10, 30])
async def test_an_answer_that_had_no_time_is_honest_about_it(grove: Any, deadline_ms: int) -> None:
    plant(grove)
    await grove.grow()
    q = "word1 OR word2 OR word3"
    central = grove.central()
    truth = from_central(central, q, exact_idf(central, q), 10)

    for _ in range(10):
        answer = await grove.client("root").search(SearchRequest(q=q, deadline_ms=deadline_ms), seconds=5.0)

        certain = answer.complete_above or 0.0
        assert [hit for hit in found(answer) if hit[1] > certain] == [hit for hit in truth if hit[1] > certain]
        assert answer.exact == (certain == 0.0)
        assert answer.exact or answer.coverage.failed


async def test_any_text_is_a_query_or_a_problem(grove: Any) -> None:
    """Never an error of ours: 10,000 words, deep parentheses, and whatever chance types."""
    plant(grove)
    await grove.grow()
    router, chance = grove.routers["root"].router, random.Random(2002)
    pieces = [
        '"',
        "(",
        ")",
        "-",
        "OR",
        "NOT",
        "AND",
        ":",
        "title:",
        "site:",
        "word1",
        "word2",
        "é",
        "\0",
        "\ud800",
        "*",
        "/",
    ]
    texts = ["(" * 3000, "word1 " * 660, "-" * 4000, 'title:"' * 500, "a" * 3999]
    texts += ["".join(f"{piece} " for piece in chance.choices(pieces, k=chance.randrange(1, 12))) for _ in range(300)]
    texts += ["".join(chance.choices(pieces, k=chance.randrange(1, 12))) for _ in range(300)]
    understood, refused = 0, []

    for text in texts:
        try:
            await router.search(SearchRequest(q=text))
            understood += 1
        except MalformedQuery as error:
            refused.append((error.position, text))

    assert 50 < understood < len(texts) - 50
    assert all(0 <= position <= len(text) for position, text in refused)
