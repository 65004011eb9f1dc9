from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypursuit.query.plan import Ask, Pace, Plan, Prospect, Search, rank


class Found(NamedTuple):
    """The least that a hit is."""

    url: str
    score: float


@dataclass
class Place:
    """A router of a drawn tree: a leaf with hits or a router with children; ``slack`` loosens its bound."""

    name: str
    hits: list[Found] = field(default_factory=list)
    children: list[Place] = field(default_factory=list)
    slack: float = 0.0
    broken: bool = False
    asked: int = 0

    @property
    def everything(self) -> list[Found]:
        """All hits below."""
        return [*self.hits, *(hit for child in self.children for hit in child.everything)]

    @property
    def lost(self) -> list[Found]:
        """What nobody can get, since this router or one above its leaf is broken."""
        return self.everything if self.broken else [hit for child in self.children for hit in child.lost]

    @property
    def bound(self) -> float:
        """What its label would say."""
        own = max((hit.score for hit in self.hits), default=0.0)
        below = max([own, *(child.bound for child in self.children)])
        return below + self.slack if below else 0.0

    @property
    def leaves(self) -> int:
        """How many are below."""
        return sum(child.leaves for child in self.children) or 1


def run(place: Place, search: Search, pace: Pace) -> Plan[Found]:
    """Carry out a plan by asking every child in turn, recursively, as routers do."""
    by_name = {child.name: child for child in place.children}
    plan = Plan[Found]([Prospect(c.name, c.bound, c.leaves) for c in place.children], search, pace)
    while asks := plan.next_asks():
        assert len(asks) <= pace.wave
        for ask in asks:
            child = by_name[ask.child]
            if child.broken:
                plan.failed(child.name)
                continue
            hits, remaining, complete_above = answer(child, ask, search.wanted, pace)
            assert plan.answered(child.name, hits, remaining=remaining, complete_above=complete_above) == ""
    return plan


def answer(place: Place, ask: Ask, wanted: int, pace: Pace) -> tuple[list[Found], float, float]:
    if place.hits:
        place.asked += 1
        return sorted((hit for hit in place.hits if hit.score >= ask.floor), key=rank)[:wanted], 0.0, 0.0
    below = run(place, Search(wanted, ask.floor, ask.horizon, ask.ceiling), pace)
    return list(below.best), below.remaining, below.complete_above


def tighten(place: Place) -> None:
    place.slack = 0.0
    for child in place.children:
        tighten(child)


def leaves(place: Place) -> list[Place]:
    return [leaf for child in place.children for leaf in leaves(child)] if place.children else [place]


# Few distinct scores, so that ties are the rule; URLs repeat across leaves with other scores.
SCORES = st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 3.0])
HITS = st.dictionaries(st.integers(0, 30), SCORES, max_size=6)
SLACK = st.sampled_from([0.0, 0.0, 0.25, 2.0])


def planted(contents: list[dict[int, float]], shape: list[int], slack: list[float]) -> Place:
    """A tree over leaves with these hits: groups of siblings are gathered under a router as ``shape`` says."""
    level = [Place(f"leaf{n}", [Found(f"/{url}", score) for url, score in c.items()]) for n, c in enumerate(contents)]
    made = list(level)
    for number, size in enumerate(shape):
        start = number % len(level)
        level[start : start + size] = [Place(f"router{number}", children=level[start : start + size])]
        made.append(level[start])
    for place, loose in zip(made, slack * len(made), strict=False):
        place.slack = loose
    return Place("root", children=level)


TREES = st.builds(
    planted,
    st.lists(HITS, min_size=1, max_size=12),
    st.lists(st.integers(1, 5), max_size=6),
    st.lists(SLACK, min_size=1, max_size=7),
)
PACES = st.builds(Pace, wave=st.integers(1, 4), reach=st.sampled_from([0.3, 0.8, 1.0]), rounds=st.integers(0, 3))


def all_merged(hits: list[Found]) -> list[Found]:
    """The oracle: everybody's hits, the best of each URL, in order."""
    best: dict[str, Found] = {}
    for hit in hits:
        if hit.url not in best or hit.score > best[hit.url].score:
            best[hit.url] = hit
    return sorted(best.values(), key=rank)


@settings(max_examples=300, deadline=None)
@given(tree=TREES, wanted=st.integers(1, 12), pace=PACES)
def test_a_plan_finds_what_asking_everybody_finds(tree: Place, wanted: int, pace: Pace) -> None:
    plan = run(tree, Search(wanted), pace)

    assert list(plan.best) == all_merged(tree.everything)[:wanted]
    assert plan.exact
    assert plan.complete_above == plan.remaining == 0.0


@settings(max_examples=300, deadline=None)
@given(tree=TREES, wanted=st.integers(1, 12), pace=PACES)
def test_no_leaf_is_asked_twice(tree: Place, wanted: int, pace: Pace) -> None:
    run(tree, Search(wanted), pace)

    assert max(leaf.asked for leaf in leaves(tree)) <= 1


@settings(max_examples=300, deadline=None)
@given(tree=TREES, wanted=st.integers(1, 12), pace=PACES, chosen=st.lists(st.integers(0, 10**6), max_size=4))
def test_what_is_above_complete_above_is_right_whoever_breaks(
    tree: Place, wanted: int, pace: Pace, chosen: list[int]
) -> None:
    everyone = leaves(tree) + [child for child in tree.children if child.children]
    for number in chosen:
        everyone[number % len(everyone)].broken = True
    truth = all_merged(tree.everything)[:wanted]

    plan = run(tree, Search(wanted), pace)

    certain = plan.complete_above
    assert [hit for hit in plan.best if hit.score > certain] == [hit for hit in truth if hit.score > certain]
    if plan.exact:
        assert list(plan.best) == truth
    if list(plan.best) != truth:
        assert plan.complete_above >= max(hit.score for hit in tree.lost)


@settings(max_examples=200, deadline=None)
@given(tree=TREES, wanted=st.integers(1, 12), pace=PACES, floor=SCORES)
def test_nothing_at_or_above_the_floor_is_left_out(tree: Place, wanted: int, pace: Pace, floor: float) -> None:
    plan = run(tree, Search(wanted, floor, horizon=floor), pace)

    wished = [hit for hit in all_merged(tree.everything)[:wanted] if hit.score >= floor]
    assert [hit for hit in plan.best if hit.score >= floor] == wished


@settings(max_examples=200, deadline=None)
@given(tree=TREES)
def test_only_leaves_that_may_hold_one_of_the_wanted_are_asked(tree: Place) -> None:
    """With tight bounds and one leaf at a time, none is asked whose best is below the k-th."""
    tighten(tree)
    truth = all_merged(tree.everything)[:3]

    run(tree, Search(3), Pace(wave=1, reach=1.0, rounds=10**6))

    kth = truth[-1].score if len(truth) == 3 else 0.0
    assert all(leaf.bound >= kth for leaf in leaves(tree) if leaf.asked)


def prospects(**bounds: float) -> list[Prospect]:
    return [Prospect(name, bound) for name, bound in bounds.items()]


def test_the_most_promising_are_asked_first_and_the_rest_learns_the_floor() -> None:
    plan = Plan[Found](prospects(a=1.0, b=5.0, c=3.0, d=0.0), Search(2), Pace(wave=2, reach=0.1))

    assert [ask.child for ask in plan.next_asks()] == ["b", "c"]
    assert plan.next_asks() == []  # the wave is under way
    plan.answered("b", [Found("/1", 4.0), Found("/2", 0.5)])
    plan.answered("c", [])

    assert plan.next_asks() == [Ask("a", floor=0.5, horizon=0.0, ceiling=inf)]


def test_an_equal_bound_is_asked_since_the_url_decides() -> None:
    plan = Plan[Found](prospects(a=2.0, b=2.0), Search(1), Pace(wave=1))
    assert [ask.child for ask in plan.next_asks()] == ["a"]
    plan.answered("a", [Found("/z", 2.0)])

    assert [ask.child for ask in plan.next_asks()] == ["b"]
    plan.answered("b", [Found("/a", 2.0)])
    assert list(plan.best) == [Found("/a", 2.0)]
    assert plan.next_asks() == []


def test_a_smaller_bound_is_not_asked_and_its_failure_would_not_matter() -> None:
    plan = Plan[Found](prospects(a=2.0, b=1.0), Search(1), Pace(reach=0.9))
    plan.next_asks()
    plan.answered("a", [Found("/a", 1.5)])

    assert plan.next_asks() == []
    assert plan.unasked == ()
    plan.failed("b")
    assert plan.exact


def test_a_late_child_holds_nobody_up_and_may_still_answer() -> None:
    plan = Plan[Found](prospects(slow=3.0, quick=2.0, other=1.0), Search(5), Pace(wave=2, reach=0.1))
    plan.next_asks()
    plan.answered("quick", [Found("/q", 2.0)])
    assert plan.next_asks() == []

    plan.late("slow")

    assert [ask.child for ask in plan.next_asks()] == ["other"]
    plan.answered("other", [])
    assert plan.under_way == {"slow"}
    plan.answered("slow", [Found("/s", 3.0)])
    assert [hit.url for hit in plan.best] == ["/s", "/q"]
    assert plan.exact


@pytest.mark.parametrize("score", [2.5, inf, nan, -1.0])
def test_a_score_that_the_bound_forbids_counts_as_failure(score: float) -> None:
    plan = Plan[Found](prospects(liar=2.0), Search(3))
    plan.next_asks()

    assert "it claims a score of" in plan.answered("liar", [Found("/x", score)])
    assert not plan.best
    assert not plan.exact
    assert plan.complete_above == 2.0


def test_a_child_that_leaves_out_what_was_asked_is_refused() -> None:
    plan = Plan[Found]([Prospect("r", 2.0, leaves=5)], Search(3), Pace(reach=0.5))
    [ask] = plan.next_asks()
    assert ask.horizon == 1.0

    assert "it left out what it was asked for" in plan.answered("r", [], remaining=1.0)


def test_what_a_child_left_out_is_asked_for_in_the_next_round() -> None:
    plan = Plan[Found]([Prospect("r", 2.0, leaves=5)], Search(3), Pace(reach=0.5))
    plan.next_asks()
    plan.answered("r", [Found("/1", 2.0)], remaining=0.8)

    assert plan.next_asks() == [Ask("r", floor=0.0, horizon=0.4, ceiling=1.0)]


def test_a_child_whose_bound_is_unknown_leaves_nothing_certain() -> None:
    plan = Plan[Found](prospects(known=1.0, unknown=inf), Search(1))
    plan.failed("unknown")
    plan.next_asks()
    plan.answered("known", [Found("/k", 1.0)])

    assert plan.complete_above == inf
