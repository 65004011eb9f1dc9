"""A content label: a bounded summary of what lies below a router, and an upper bound on what can be found there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hypursuit.label.hosts import may_hold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hypursuit.label.hosts import Place
    from hypursuit.label.parts import Browsing, Host, Links, OutwardLinks, Refinement, SubCluster
    from hypursuit.label.routing import RoutingPart
    from hypursuit.text.terms import Attribute


class WordLike(Protocol):
    """A stem, under an attribute or anywhere."""

    @property
    def stem(self) -> str: ...  # noqa: D102

    @property
    def attribute(self) -> Attribute | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class ContentLabel:
    """What a router tells its parent [W96 "Content labels"].

    The counts are exact sums over everything below, at any budget. The three parts are made by the three abstraction
    functions and speak of the same sub-clusters in the same order.
    """

    name: str
    url: str
    version: int
    """Grows whenever the label changes."""
    hosts: tuple[Host, ...]
    """Every page below is on one of these."""
    leaves: int
    pages: int
    bytes: int
    n_terms: int
    """Sum over pages of their distinct terms."""
    refinement: Refinement
    routing: RoutingPart
    browsing: Browsing

    @property
    def clusters(self) -> tuple[SubCluster, ...]:
        """The sub-clusters, as refinement sees them."""
        return self.refinement.clusters

    @property
    def links(self) -> tuple[Links, ...]:
        """Links between the sub-clusters."""
        return self.refinement.links

    @property
    def outward(self) -> tuple[OutwardLinks, ...]:
        """Links from the sub-clusters to hosts that are not below."""
        return self.refinement.outward

    def page_frequency(self, stem: str) -> int:
        """Pages below with the stem: exact where no budget dropped it, else an estimate."""
        return self.routing.page_frequency(stem)

    def largest_parts(self, word: WordLike) -> NDArray[np.float64]:
        """(clusters,): what no page of a sub-cluster exceeds with this word; 0 = certainly absent."""
        return self.routing.by_cluster(self.routing.largest_parts(word.stem, word.attribute))

    def may_hold(self, scope: Place) -> bool:
        """Whether a page of the scope's host (or of one below it) under its path may be below."""
        return may_hold(self.hosts, scope)
