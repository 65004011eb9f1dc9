"""What labels are made from: the index and clusters of a leaf, or the labels of children."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

import numpy as np

from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from hypursuit.clustering.organise import SiteClusters
    from hypursuit.clustering.portrait import ClusterPortrait
    from hypursuit.crawl.page import Link
    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.text.scoring import Scoring

SHOWN_PAGES = 5
"""Pages named per sub-cluster."""


class IndexOfPages(Protocol):
    """What a label takes from the index of a leaf."""

    @property
    def urls(self) -> Sequence[str]:
        """Page → URL."""
        ...

    @property
    def lengths(self) -> NDArray[np.integer]:
        """(pages,): words of each page."""
        ...

    @property
    def stems(self) -> Sequence[str]:
        """Every stem that stands on a page."""
        ...

    @property
    def scoring(self) -> Scoring:
        """How pages are scored."""
        ...

    def postings(self, stem: str) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """The pages with a stem, and (n, 5) how often it stands there under each attribute."""
        ...


@dataclass(frozen=True)
class LeafSource:
    """A leaf: pages in the order of the index, and the sub-cluster of each."""

    index: IndexOfPages
    clusters: SiteClusters
    k: int
    """Sub-clusters at most."""
    terms: int = 100
    """Heaviest terms per sub-cluster at most."""
    sizes: Sequence[int] = ()
    """Bytes of the pages, in the order of the index; without them every page counts 0 bytes."""
    links: Sequence[tuple[str, Iterable[Link]]] = field(default=(), repr=False)
    """URL and links of pages, for those that lead to other hosts."""

    def __post_init__(self) -> None:
        known, indexed = set(self.clusters.collection.urls), set(self.index.urls)
        if known != indexed:
            raise BadSetting(
                f"the index holds {len(indexed)} pages, the clusters {len(known)}, {len(known & indexed)} of them the "
                "same: make both from the same pages"
            )
        if len(self.sizes) not in {0, len(indexed)}:
            raise BadSetting(f"{len(self.sizes)} sizes for {len(indexed)} pages: give one per page, or none")

    def pages_cut(self, k: int) -> NDArray[np.int64]:
        """(pages,): cluster of each page of the index when the site is cut into k."""
        cut = dict(zip(self.clusters.collection.urls, self.clusters.tree.cut(k).tolist(), strict=True))
        return np.array([cut[url] for url in self.index.urls], np.int64)

    @cached_property
    def membership(self) -> NDArray[np.int64]:
        """(pages,): the sub-cluster of each page of the index."""
        return self.pages_cut(self.k)

    @cached_property
    def number(self) -> int:
        """How many sub-clusters there are."""
        return int(self.membership.max(initial=-1)) + 1

    @cached_property
    def postings(self) -> Postings:
        """All postings of the index."""
        return Postings.of(self.index)

    @cached_property
    def portraits(self) -> tuple[ClusterPortrait, ...]:
        """The sub-clusters portrayed, in the order of their numbers."""
        return self.clusters.portraits(self.k, n_terms=self.terms, n_pages=SHOWN_PAGES)

    def outward(self) -> Counter[tuple[int, str]]:
        """Links from sub-clusters to hosts of other sites."""
        cluster = dict(zip(self.index.urls, self.membership.tolist(), strict=True))
        own = {urlsplit(url).netloc for url in self.index.urls}
        return Counter(
            (cluster[url], host)
            for url, links in self.links
            if url in cluster
            for host in sorted({urlsplit(link.target).netloc for link in links if link.follow} - own)
        )


@dataclass(frozen=True, eq=False, slots=True)
class Postings:
    """Every posting of an index: stem, page and tf by attribute, in the order of the stems."""

    stem: NDArray[np.int64]
    page: NDArray[np.int64]
    frequencies: NDArray[np.int64]
    """(postings, 5)."""

    @classmethod
    def of(cls, index: IndexOfPages) -> Postings:
        """Read an index through."""
        lists = [index.postings(stem) for stem in index.stems]
        stem = np.repeat(np.arange(len(lists)), [len(pages) for pages, _ in lists])
        page = np.concatenate([np.empty(0, np.int64), *(pages for pages, _ in lists)])
        frequencies = np.concatenate([np.empty((0, 5), np.int64), *(frequencies for _, frequencies in lists)])
        return cls(stem, page.astype(np.int64), frequencies.astype(np.int64))


@dataclass(frozen=True)
class ChildLabels:
    """The labels of children, and how their sub-clusters are gathered into those of the parent."""

    children: tuple[ContentLabel, ...]
    membership: NDArray[np.int64]
    """(all sub-clusters of all children in order,): the parent's sub-cluster."""

    @cached_property
    def number(self) -> int:
        """How many sub-clusters the parent has."""
        return int(self.membership.max(initial=-1)) + 1

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """(children + 1,): where each child's sub-clusters begin."""
        return np.concatenate(([0], np.cumsum([len(child.clusters) for child in self.children], dtype=np.int64)))

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each sub-cluster of the parent the (child, sub-cluster) pairs in it, most pages first."""
        gathered: list[list[tuple[int, int]]] = [[] for _ in range(self.number)]
        for child, label in enumerate(self.children):
            for cluster in range(len(label.clusters)):
                gathered[self.membership[self.first[child] + cluster]].append((child, cluster))
        return tuple(tuple(sorted(group, key=self._largest_first)) for group in gathered)

    def _largest_first(self, pair: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        child, cluster = pair
        return -self.children[child].clusters[cluster].pages, pair


Part_co = TypeVar("Part_co", covariant=True)


class AbstractionFunction(Protocol, Generic[Part_co]):
    """Makes one part of a label: from the pages of a leaf, or — above — from the labels of children alone [W96].

    The part must encode to at most ``room`` bytes; equal input must give an equal part.
    """

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> Part_co:
        """The part of a leaf's label."""
        ...

    def of_children(self, source: ChildLabels, budget: LabelBudget, room: int) -> Part_co:
        """The part of a parent's label."""
        ...
