"""Labels of leaves and of the routers above them, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hypursuit.errors import BadSetting, LabelOverBudget
from hypursuit.label import wire
from hypursuit.label.browsing import BrowsingFunction
from hypursuit.label.budget import LabelBudget
from hypursuit.label.content import ContentLabel
from hypursuit.label.gather import gathered
from hypursuit.label.hosts import ANYWHERE, coarser, hosts_of, joined_hosts
from hypursuit.label.parts import LONGEST_ADDRESS, Browsing, Card, Refinement, clean
from hypursuit.label.refinement import RefinementFunction
from hypursuit.label.route import RoutingFunction
from hypursuit.label.sources import ChildLabels, LeafSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hypursuit.clustering.organise import SiteClusters
    from hypursuit.crawl.page import Link
    from hypursuit.label.routing import RoutingPart
    from hypursuit.label.sources import AbstractionFunction, IndexOfPages

LEAF_BUDGET, INTERIOR_BUDGET = LabelBudget.leaf(), LabelBudget.interior()
_REFINEMENT_SHARE = 0.3
_BROWSING_SHARE = 0.1
_HEAD_SHARE = 0.3
"""Beyond this share of the budget hosts are told by their domains."""


@dataclass(frozen=True, slots=True)
class Abstraction:
    """The three abstraction functions of a router [W96]; put another in its place to change what labels say."""

    refinement: AbstractionFunction[Refinement] = field(default_factory=RefinementFunction)
    routing: AbstractionFunction[RoutingPart] = field(default_factory=RoutingFunction)
    browsing: AbstractionFunction[Browsing] = field(default_factory=BrowsingFunction)


def leaf_label(
    name: str,
    url: str,
    index: IndexOfPages,
    clusters: SiteClusters,
    budget: LabelBudget = LEAF_BUDGET,
    *,
    sizes: Sequence[int] = (),
    links: Iterable[tuple[str, Iterable[Link]]] = (),
    version: int = 1,
    abstraction: Abstraction = Abstraction(),
) -> ContentLabel:
    """The label of a leaf.

    Args:
        name: of the leaf's router.
        url: where the router answers.
        index: of the leaf's pages; any order.
        clusters: of the same pages.
        budget: of the parent that the label is for.
        sizes: bytes of the pages, in the order of the index.
        links: URL and links of the pages, from which links to other hosts are counted.
        version: one more than that of the label before.
        abstraction: the functions that make the parts.

    Raises:
        LabelOverBudget: name, URL and counts alone take more than the budget.
    """
    kept = tuple(links)

    def attempt(k: int) -> _Attempt:
        leaf = LeafSource(index, clusters, k, sizes, kept)
        return _Attempt(
            lambda room: abstraction.refinement.of_leaf(leaf, budget, room),
            lambda room: abstraction.routing.of_leaf(leaf, budget, room),
            lambda room: abstraction.browsing.of_leaf(leaf, budget, room),
        )

    hosts = hosts_of(index.urls)
    head = _Head(name, url, version, hosts, 1)
    return _within(head, budget, attempt, min(budget.clusters, max(len(index.urls), 1)))


def merge_labels(
    name: str,
    url: str,
    children: Sequence[ContentLabel],
    budget: LabelBudget = INTERIOR_BUDGET,
    *,
    version: int = 1,
    abstraction: Abstraction = Abstraction(),
) -> ContentLabel:
    """The label of an interior router, from its children's labels alone; their order does not matter."""
    if not children:
        raise BadSetting(f"{name} has no children's labels to merge: wait for one")
    ordered = tuple(sorted(children, key=lambda child: (child.name, child.url)))

    def attempt(k: int) -> _Attempt:
        source = ChildLabels(ordered, gathered(ordered, k))
        return _Attempt(
            lambda room: abstraction.refinement.of_children(source, budget, room),
            lambda room: abstraction.routing.of_children(source, budget, room),
            lambda room: abstraction.browsing.of_children(source, budget, room),
        )

    hosts = joined_hosts(known for child in ordered for known in child.hosts)
    head = _Head(name, url, version, hosts, sum(child.leaves for child in ordered))
    return _within(head, budget, attempt, budget.clusters)


@dataclass(frozen=True, slots=True)
class _Head:
    name: str
    url: str
    version: int
    hosts: tuple[object, ...]
    leaves: int


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The three functions applied to one division into sub-clusters, each given its room."""

    refinement: Callable[[int], Refinement]
    routing: Callable[[int], RoutingPart]
    browsing: Callable[[int], Browsing]


def _within(head: _Head, budget: LabelBudget, attempt: Callable[[int], _Attempt], k: int) -> ContentLabel:
    """The label with the most sub-clusters up to k, halving them, that the budget has room for."""
    while True:
        label = _made(head, budget, attempt(k))
        size = len(wire.encode(label))
        if size <= budget.bytes:
            return label
        if k == 1:
            raise LabelOverBudget(head.name, size, budget.bytes)
        k = max(k // 2, 1)


def _made(head: _Head, budget: LabelBudget, functions: _Attempt) -> ContentLabel:
    refinement = functions.refinement(int(budget.bytes * _REFINEMENT_SHARE))
    counts = (sum(getattr(c, name) for c in refinement.clusters) for name in ("pages", "bytes", "n_terms"))
    hosts = joined_hosts(head.hosts)  # type: ignore[arg-type]
    blank = ContentLabel(
        clean(head.name),
        clean(head.url, LONGEST_ADDRESS),
        head.version,
        hosts,
        head.leaves,
        *counts,
        refinement,
        None,  # type: ignore[arg-type]
        Browsing(Card()),
    )
    while len(wire.head_frame(blank)) > budget.bytes * _HEAD_SHARE and blank.hosts != (ANYWHERE,):
        blank = replace(blank, hosts=coarser(blank.hosts))
    taken = wire.FRAMING + len(wire.head_frame(blank)) + len(wire.frame(refinement))
    browsing = functions.browsing(min(int(budget.bytes * _BROWSING_SHARE), budget.bytes - taken))
    taken += len(wire.frame(browsing))
    return replace(blank, browsing=browsing, routing=functions.routing(budget.bytes - taken))
