"""Labels of leaves and of the routers above them, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import msgspec

from hypursuit.errors import BadSetting, LabelOverBudget
from hypursuit.label import wire
from hypursuit.label.browsing import BrowsingFunction
from hypursuit.label.budget import LabelBudget
from hypursuit.label.gather import gathered
from hypursuit.label.hosts import ANYWHERE, coarser, hosts_of, joined_hosts
from hypursuit.label.parts import LONGEST_ADDRESS, Head, clean
from hypursuit.label.refinement import RefinementFunction
from hypursuit.label.route import RoutingFunction
from hypursuit.label.sources import ChildLabels, LeafSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hypursuit.clustering.organise import SiteClusters
    from hypursuit.crawl.page import Link
    from hypursuit.label.content import ContentLabel
    from hypursuit.label.parts import Browsing, Host, Refinement
    from hypursuit.label.routing import RoutingPart
    from hypursuit.label.sources import AbstractionFunction, IndexOfPages

LEAF_BUDGET, INTERIOR_BUDGET = LabelBudget.leaf(), LabelBudget.interior()
_REFINEMENT_SHARE = 0.3
_BROWSING_SHARE = 0.1
_HEAD_SHARE = 0.3
"""Beyond this share of the budget hosts are told by their domains."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Abstraction:
    """The three abstraction functions of a router [W96]; put another in its place to change what labels say."""

    refinement: AbstractionFunction[Refinement] = field(default_factory=RefinementFunction)
    routing: AbstractionFunction[RoutingPart] = field(default_factory=RoutingFunction)
    browsing: AbstractionFunction[Browsing] = field(default_factory=BrowsingFunction)


USUAL = Abstraction()


def leaf_label(  # noqa: PLR0913  what a leaf knows of itself, most of it by name
    name: str,
    url: str,
    index: IndexOfPages,
    clusters: SiteClusters,
    budget: LabelBudget = LEAF_BUDGET,
    *,
    sizes: Sequence[int] = (),
    links: Iterable[tuple[str, Iterable[Link]]] = (),
    version: int = 1,
    abstraction: Abstraction = USUAL,
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
    known = tuple(links)

    def division(k: int) -> LeafSource:
        return LeafSource(index, clusters, k, budget.terms, sizes, known)

    head = _head(name, url, version, hosts_of(index.urls), 1)
    return _within(head, budget, abstraction, division)


def merge_labels(
    name: str,
    url: str,
    children: Sequence[ContentLabel],
    budget: LabelBudget = INTERIOR_BUDGET,
    *,
    version: int = 1,
    abstraction: Abstraction = USUAL,
) -> ContentLabel:
    """The label of an interior router, from its children's labels alone; their order does not matter."""
    if not children:
        raise BadSetting(f"{name} has no children's labels to merge: wait for one")
    ordered = tuple(sorted(children, key=lambda child: (child.name, child.url)))

    def division(k: int) -> ChildLabels:
        return ChildLabels(ordered, gathered(ordered, k))

    hosts = joined_hosts(known for child in ordered for known in child.hosts)
    head = _head(name, url, version, hosts, sum(child.leaves for child in ordered))
    return _within(head, budget, abstraction, division)


def _head(name: str, url: str, version: int, hosts: tuple[Host, ...], leaves: int) -> Head:
    return Head(clean(name), clean(url, LONGEST_ADDRESS), version, hosts, leaves, 0, 0, 0)


def _within(
    head: Head, budget: LabelBudget, abstraction: Abstraction, division: Callable[[int], LeafSource | ChildLabels]
) -> ContentLabel:
    """The label with as many sub-clusters as the budget allows; half of them, and so on, where it has no room.

    Before sub-clusters are given up, everything else is: their counts are dear.
    """
    k = budget.clusters
    while True:
        source = division(k)
        for share in (1.0, 0.0):
            label = _made(head, budget, abstraction, source, share)
            size = len(wire.encode(label))
            if size <= budget.bytes:
                return label
        if source.number <= 1:
            raise LabelOverBudget(head.name, size, budget.bytes)
        k = source.number // 2


def _made(
    head: Head, budget: LabelBudget, abstraction: Abstraction, source: LeafSource | ChildLabels, share: float
) -> ContentLabel:
    """Refinement and browsing take at most so much of their share, routing all that is left."""
    room = budget.bytes * share
    refinement = _applied(abstraction.refinement, source, budget, int(room * _REFINEMENT_SHARE))
    head = _counted(head, refinement)
    while len(wire.frame(head)) > room * _HEAD_SHARE and head.hosts != (ANYWHERE,):
        head = msgspec.structs.replace(head, hosts=coarser(head.hosts))
    left = budget.bytes - wire.FRAMING - len(wire.frame(head)) - len(wire.frame(refinement))
    browsing = _applied(abstraction.browsing, source, budget, min(int(room * _BROWSING_SHARE), left))
    routing = _applied(abstraction.routing, source, budget, left - len(wire.frame(browsing)))
    return wire.assembled(head, refinement, routing, browsing)


def _applied(function: AbstractionFunction[P], source: LeafSource | ChildLabels, budget: LabelBudget, room: int) -> P:
    if isinstance(source, LeafSource):
        return function.of_leaf(source, budget, room)
    return function.of_children(source, budget, room)


def _counted(head: Head, refinement: Refinement) -> Head:
    clusters = refinement.clusters
    return msgspec.structs.replace(
        head,
        pages=sum(cluster.pages for cluster in clusters),
        bytes=sum(cluster.bytes for cluster in clusters),
        n_terms=sum(cluster.n_terms for cluster in clusters),
    )
