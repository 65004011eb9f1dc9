"""The pages of a site, organised: terms and links, similarity, merge tree, named and portrayed clusters."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.clustering import large
from hypursuit.clustering.complete_link import merge_tree
from hypursuit.clustering.drawing import draw_map
from hypursuit.clustering.naming import name_clusters
from hypursuit.clustering.portrait import ClusterPortrait, SimilaritySource, describe
from hypursuit.clustering.signals import Method, SignalSettings, site_similarity
from hypursuit.clustering.tree import ClusterTree
from hypursuit.errors import NothingToCluster
from hypursuit.similarity.adjacency import page_adjacency
from hypursuit.similarity.terms import term_similarity
from hypursuit.text.matrix import TermMatrix, term_matrix
from hypursuit.text.terms import Considered
from hypursuit.text.titles import short_titles
from hypursuit.text.weights import discriminating_weights, term_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from hypursuit.crawl.page import Link, Page

EXACT_PAGES = 10_000
"""Up to here all pairs of pages are compared; above, see :mod:`hypursuit.clustering.large`."""
AT_A_GLANCE = 2_000
"""Up to here the similarity is kept for portraits and maps; above, they look at the words of the pages concerned."""
COARSE = 5
"""Clusters that a site is first divided into when it is shown."""
_TRUST = struct.Struct("<2d")


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a site's pages are organised."""

    signals: SignalSettings = field(default_factory=SignalSettings)
    considered: Considered = field(default_factory=Considered)
    exact_pages: int = EXACT_PAGES
    at_a_glance: int = AT_A_GLANCE

    def described(self) -> str:
        """The settings in words that are the same in every process; repr shows where in memory functions lie."""
        combine = self.signals.combine
        return re.sub(r" at 0x[0-9a-fA-F]+", f" of {combine.__module__}", repr(self))


@dataclass(frozen=True, slots=True)
class Collection:
    """The pages to be organised, in crawl order, in the forms that similarities are made from."""

    titles: tuple[str, ...]
    """Without what the site puts into every title."""
    terms: TermMatrix
    adjacency: csr_array

    @property
    def urls(self) -> tuple[str, ...]:
        """Row → page."""
        return self.terms.urls

    @classmethod
    def of(
        cls, pages: Iterable[Page], stands_for: Mapping[str, str] | None = None, considered: Considered = Considered()
    ) -> Collection:
        """Read pages once, in order; ``stands_for`` leads from their other addresses to their URLs."""
        titles: list[str] = []
        links: list[tuple[str, tuple[Link, ...]]] = []

        def noting() -> Iterable[Page]:
            for page in pages:
                titles.append(page.title)
                links.append((page.url, page.links))
                yield page

        terms = term_matrix(noting(), considered)
        return cls(short_titles(titles), terms, page_adjacency(links, stands_for or {}))


@dataclass(frozen=True)
class SiteClusters:
    """A site's merge tree, with everything needed to name, portray and draw any cut of it."""

    collection: Collection
    tree: ClusterTree
    method: Method
    link_clarity: float | None
    link_trust: float | None
    similarity: SimilaritySource = field(repr=False)

    @cached_property
    def weights(self) -> csr_array:
        """Term weights of eq. 8, which the heaviest terms of a cluster go by."""
        return term_weights(self.collection.terms)

    def to_bytes(self) -> bytes:
        """The merge tree and what it was made by, for :func:`recall`; terms and links are not part of it."""
        none = float("nan")
        judged = (none if value is None else value for value in (self.link_clarity, self.link_trust))
        return _TRUST.pack(*judged) + self.tree.to_bytes()

    def names(self, k: int) -> dict[int, str]:
        """Names of the clusters of a cut and of the COARSE ones above them, by their number in the tree."""
        return name_clusters(self.tree, self.collection.terms, self.collection.titles, {min(COARSE, k), k})

    def portraits(self, k: int, *, n_terms: int = 8, n_pages: int = 3) -> tuple[ClusterPortrait, ...]:
        """The clusters of one cut, in the order of its membership."""
        known = self.names(k)
        return tuple(
            describe(
                cluster,
                known[cluster],
                self.tree.members(cluster),
                self.collection.terms,
                self.weights,
                self.similarity,
                n_terms=n_terms,
                n_pages=n_pages,
            )
            for cluster in self.tree.clusters(k)
        )

    def draw(self, heading: str, k: int) -> str:
        """The map of the site at one cut, as SVG."""
        collection = self.collection
        return draw_map(
            heading,
            collection.titles,
            collection.urls,
            self.tree.cut(k),
            self.portraits(k),
            self.similarity,
            collection.adjacency,
        )


def organise(collection: Collection, settings: ClusterSettings = ClusterSettings()) -> SiteClusters:
    """Cluster pages by complete link over the similarity that the settings ask for."""
    if not collection.urls:
        raise NothingToCluster("there are no pages to cluster; crawl the site first")
    terms, adjacency = collection.terms, collection.adjacency
    group = None
    if len(collection.urls) > settings.exact_pages:
        group = large.gather(terms, adjacency, min(large.LEADERS, settings.exact_pages))
        terms, adjacency = large.grouped(terms, adjacency, group)
    found = site_similarity(terms, adjacency, settings.signals)
    glance = len(found.matrix) == len(collection.urls) <= settings.at_a_glance
    tree = merge_tree(found.matrix, overwrite=not glance)
    if group is not None:
        tree = large.ungrouped(tree, group)
    source = found.matrix if glance else _similarity_of_words(collection)
    return SiteClusters(collection, tree, found.method, found.link_clarity, found.link_trust, source)


def recall(collection: Collection, settings: ClusterSettings, kept: bytes) -> SiteClusters:
    """The clusters of a large site from what ``to_bytes`` gave for the same collection and settings."""
    clarity, trust = (None if np.isnan(value) else value for value in _TRUST.unpack_from(kept))
    tree = ClusterTree.from_bytes(kept[_TRUST.size :])
    return SiteClusters(collection, tree, settings.signals.method, clarity, trust, _similarity_of_words(collection))


def _similarity_of_words(collection: Collection) -> SimilaritySource:
    """For large sites, where the hybrid is used up by clustering or was made for groups of pages."""
    weights = discriminating_weights(collection.terms)

    def among(pages: NDArray[np.intp]) -> NDArray[np.float32]:
        return term_similarity(weights[pages])

    return among
