"""Labels within budgets: exact counts, the same label every time, whatever the order of the children."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from hypursuit.clustering.organise import Collection, organise
from hypursuit.errors import BadSetting, LabelOverBudget
from hypursuit.label import (
    Abstraction,
    ContentLabel,
    Host,
    LabelBudget,
    RoutingFunction,
    encode,
    leaf_label,
    merge_labels,
)
from hypursuit.label.rows import describing
from hypursuit.query.bounds import bound
from hypursuit.query.index import PageIndex
from hypursuit.query.query import Query, Word

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypursuit.crawl.page import Page
    from hypursuit.label import LeafSource, RoutingPart

ROUTER = "http://router.test/"


@pytest.mark.parametrize("size", [250, 300, 500, 900, 2000, 5000, 410_000])
def test_a_label_keeps_to_its_budget(size: int, garden: list[Page], label_of: Callable[..., ContentLabel]) -> None:
    label = label_of("garden", garden, LabelBudget(size, 20, 8, 28))

    assert len(encode(label)) <= size
    assert (label.pages, len(label.clusters)) == (28, 8)
    assert sum(cluster.pages for cluster in label.clusters) == 28
    assert all(len(cluster.terms) <= 20 for cluster in label.clusters)


def test_more_bytes_tell_more(garden: list[Page], label_of: Callable[..., ContentLabel]) -> None:
    told = [label_of("garden", garden, LabelBudget(size, 100, 8, 28)) for size in (260, 500, 1200, 410_000)]
    entries = [len(label.routing.level) for label in told]
    terms = [sum(len(cluster.terms) for cluster in label.clusters) for label in told]

    assert entries == sorted(entries)
    assert entries[-1] > entries[0]
    assert terms == sorted(terms)
    assert terms[-1] > terms[0] == 0


def test_where_not_even_names_fit_the_budget_is_to_be_raised(
    garden: list[Page], label_of: Callable[..., ContentLabel]
) -> None:
    with pytest.raises(LabelOverBudget, match="raise the budget") as refused:
        label_of("garden", garden, LabelBudget(60))

    assert refused.value.limit == 60
    assert len(encode(label_of("garden", garden, LabelBudget(refused.value.size)))) <= refused.value.size


def test_sub_clusters_are_given_up_only_where_counts_do_not_fit(
    garden: list[Page], label_of: Callable[..., ContentLabel]
) -> None:
    label = label_of("garden", garden, LabelBudget(170))

    assert len(label.clusters) < 28
    assert label.pages == 28


def test_many_hosts_are_told_by_their_domains_where_room_is_short(children: tuple[ContentLabel, ...]) -> None:
    hosts = tuple(Host(f"host{number:04}.wide{number % 7}.test") for number in range(3000))
    wide = [replace(children[0], hosts=hosts), *children[1:]]
    ample, short = (merge_labels("root", ROUTER, wide, LabelBudget(size)) for size in (410_000, 3000))

    assert len(ample.hosts) == 3003
    assert {host.host for host in short.hosts} >= {".wide3.test"}
    assert len(encode(short)) <= 3000


def test_labels_are_the_same_every_time(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> None:
    one, other = (label_of("x", site(5, "x.test", 20), LabelBudget(2000)) for _ in range(2))

    assert encode(one) == encode(other)


@pytest.mark.parametrize("size", [500, 3000, 678_000])
def test_the_order_of_children_does_not_matter(size: int, children: tuple[ContentLabel, ...]) -> None:
    shuffled = list(children)
    random.Random(1).shuffle(shuffled)
    budget = LabelBudget(size, 20, 7, 20)

    assert encode(merge_labels("root", ROUTER, shuffled, budget)) == encode(
        merge_labels("root", ROUTER, children, budget)
    )


def test_a_parent_adds_up_its_children(children: tuple[ContentLabel, ...]) -> None:
    root = merge_labels("root", ROUTER, children, LabelBudget(50_000, 10, 6))

    assert len(root.clusters) == 6
    for count in ("leaves", "pages", "bytes", "n_terms"):
        assert getattr(root, count) == sum(getattr(child, count) for child in children)
    assert {host.host for host in root.hosts} == {host.host for child in children for host in child.hosts}


def test_a_different_label_for_a_parent_with_a_different_budget(children: tuple[ContentLabel, ...]) -> None:
    small, large = (merge_labels("root", ROUTER, children, LabelBudget(size)) for size in (1000, 50_000))

    assert len(encode(small)) <= 1000 < len(encode(large)) <= 50_000
    assert (small.pages, small.bytes, small.n_terms) == (large.pages, large.bytes, large.n_terms)


def test_a_router_without_children_has_no_label() -> None:
    with pytest.raises(BadSetting, match="wait"):
        merge_labels("root", ROUTER, [])


def test_index_and_clusters_must_be_of_the_same_pages(garden: list[Page]) -> None:
    with pytest.raises(BadSetting, match="same pages"):
        leaf_label("x", ROUTER, PageIndex.build(garden[1:]), organise(Collection.of(garden)))


class Flowery(RoutingFunction):
    """Says ``botany`` of the first sub-cluster of every leaf."""

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> RoutingPart:
        """Leaves a little room for the added row."""
        return describing(super().of_leaf(leaf, budget, room - 100), "botani", [0])


def test_a_function_of_ones_own_adds_terms_that_travel_up(
    garden: list[Page], label_of: Callable[..., ContentLabel], children: tuple[ContentLabel, ...]
) -> None:
    query, idf = Query("botany", Word("botani")), {"botani": 2.0}
    label = label_of("garden", garden, abstraction=Abstraction(routing=Flowery()))
    root = merge_labels("root", ROUTER, [label, *children])

    assert bound(label_of("garden", garden), query, idf).best == 0
    assert bound(label, query, idf).clusters.argmax() == 0
    assert bound(root, query, idf).best > 0
    assert root.page_frequency("botani") == 0
