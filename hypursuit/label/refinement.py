"""The refinement function: sub-clusters with exact counts, heaviest terms, central pages, and links between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy.sparse import csr_array

from hypursuit.label import wire
from hypursuit.label.fitting import largest_fitting
from hypursuit.label.linking import link_matrix
from hypursuit.label.parts import (
    LONGEST_ADDRESS,
    LONGEST_TEXT,
    LabelTerm,
    Links,
    OutwardLinks,
    Refinement,
    SubCluster,
    clean,
)
from hypursuit.label.sources import SHOWN_PAGES
from hypursuit.text.weights import AttributeFactors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hypursuit.clustering.portrait import ClusterPortrait
    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.label.sources import ChildLabels, LeafSource
    from hypursuit.text.terms import Attribute

_OUTWARD_HOSTS = 50
"""Hosts that links of one sub-cluster are counted to, those with most links first."""
_NAME_WORDS = 3


@dataclass(frozen=True, slots=True)
class RefinementFunction:
    """Keeps counts always, names if at all possible, terms and URLs as far as they fit, heaviest first."""

    factors: AttributeFactors = field(default_factory=AttributeFactors)

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> Refinement:
        """Sub-clusters as the site's clustering portrays them."""
        sizes = np.array(leaf.sizes if len(leaf.sizes) else [0] * len(leaf.index.urls), np.int64)
        postings, number = leaf.postings, leaf.number
        distinct = np.count_nonzero(postings.frequencies, axis=1)
        counts = zip(
            np.bincount(leaf.membership, minlength=number).tolist(),
            _summed(leaf.membership, sizes, number),
            _summed(leaf.membership[postings.page], distinct, number),
            strict=True,
        )
        portraits = leaf.portraits
        clusters = tuple(
            SubCluster(clean(portrait.name), *count, _leaf_terms(portrait)[: budget.terms], _urls(leaf, portrait))
            for portrait, count in zip(portraits, counts, strict=True)
        )
        return _fitted(Refinement(clusters, _leaf_links(leaf), _outward(leaf.outward())), room)

    def of_children(self, source: ChildLabels, budget: LabelBudget, room: int) -> Refinement:
        """Children's sub-clusters, gathered."""
        spread = _spread(source.children)
        clusters = tuple(self._gathered(source, group, budget, spread) for group in source.groups)
        inside, outward = gathered_links(source)
        return _fitted(Refinement(clusters, inside, outward), room)

    def _gathered(
        self,
        source: ChildLabels,
        group: tuple[tuple[int, int], ...],
        budget: LabelBudget,
        spread: Counter[tuple[Attribute, str]],
    ) -> SubCluster:
        members = [source.children[child].clusters[cluster] for child, cluster in group]
        terms = self._heaviest(members, spread, sum(len(child.clusters) for child in source.children))[: budget.terms]
        urls = [member.urls[place] for place in range(SHOWN_PAGES) for member in members if place < len(member.urls)]
        return SubCluster(
            members[0].name if len(members) == 1 else _name(terms, members),
            sum(member.pages for member in members),
            sum(member.bytes for member in members),
            sum(member.n_terms for member in members),
            terms,
            tuple(dict.fromkeys(urls))[:SHOWN_PAGES],
        )

    def _heaviest(
        self, members: list[SubCluster], spread: Counter[tuple[Attribute, str]], everywhere: int
    ) -> tuple[LabelTerm, ...]:
        """Terms by their share of the pages, their attribute and how few sub-clusters have them."""
        tf: Counter[tuple[Attribute, str]] = Counter()
        df: Counter[tuple[Attribute, str]] = Counter()
        word: dict[str, str] = {}
        for term in (term for member in members for term in member.terms):
            tf[term.attribute, term.stem] += term.tf
            df[term.attribute, term.stem] += term.df
            word.setdefault(term.stem, term.word)

        def lightness(term: tuple[Attribute, str]) -> tuple[float, tuple[Attribute, str]]:
            rarity = log((everywhere + 1) / spread[term])
            return -round(self.factors[term[0]] ** 0.5 * df[term] * rarity, 9), term

        return tuple(LabelTerm(a, s, word[s], tf[a, s], df[a, s]) for a, s in sorted(tf, key=lightness))


def gathered_links(source: ChildLabels) -> tuple[tuple[Links, ...], tuple[OutwardLinks, ...]]:
    """Links between the parent's sub-clusters, and those that leave it."""
    count = len(source.membership)
    belongs = csr_array((np.ones(count), (np.arange(count), source.membership)), shape=(count, source.number))
    between = (belongs.T @ link_matrix(source.children) @ belongs).tocoo()
    pairs = zip(between.row.tolist(), between.col.tolist(), np.rint(between.data).astype(int).tolist(), strict=True)
    below = {known.host for child in source.children for known in child.hosts}
    outward: Counter[tuple[int, str]] = Counter()
    for begin, label in zip(source.first.tolist(), source.children, strict=False):
        for out in label.outward:
            if out.host not in below:
                outward[int(source.membership[begin + out.source]), out.host] += out.links
    return tuple(Links(*pair) for pair in sorted(pairs) if pair[2]), _outward(outward)


def _summed(membership: NDArray[np.int64], numbers: NDArray[np.int64], groups: int) -> list[int]:
    """Sums by group, in integers: bincount() with weights would round large ones."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, membership, numbers)
    return total.tolist()


def _leaf_terms(portrait: ClusterPortrait) -> tuple[LabelTerm, ...]:
    return tuple(
        LabelTerm(heavy.term.attribute, clean(heavy.term.stem), clean(heavy.word), heavy.tf, heavy.df)
        for heavy in portrait.terms
    )


def _urls(leaf: LeafSource, portrait: ClusterPortrait) -> tuple[str, ...]:
    urls = (leaf.clusters.collection.urls[page] for page in portrait.representatives)
    return tuple(url for url in urls if url == clean(url, LONGEST_ADDRESS))


def _leaf_links(leaf: LeafSource) -> tuple[Links, ...]:
    adjacency = leaf.clusters.collection.adjacency.tocoo()
    membership = leaf.clusters.tree.cut(leaf.k)
    pairs = Counter(zip(membership[adjacency.row].tolist(), membership[adjacency.col].tolist(), strict=True))
    return tuple(Links(*pair, links) for pair, links in sorted(pairs.items()))


def _outward(counted: Counter[tuple[int, str]]) -> tuple[OutwardLinks, ...]:
    kept: Counter[int] = Counter()
    found: list[OutwardLinks] = []
    for (cluster, host), links in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])):
        if host and len(host) <= LONGEST_TEXT and host == clean(host) and kept[cluster] < _OUTWARD_HOSTS:
            kept[cluster] += 1
            found.append(OutwardLinks(cluster, host, links))
    return tuple(found)


def _spread(children: Iterable[ContentLabel]) -> Counter[tuple[Attribute, str]]:
    """In how many sub-clusters each term is heavy."""
    clusters = (cluster for child in children for cluster in child.clusters)
    return Counter((term.attribute, term.stem) for cluster in clusters for term in cluster.terms)


def _name(terms: tuple[LabelTerm, ...], members: list[SubCluster]) -> str:
    """The heaviest words; without any, the name of the largest member."""
    words = list(dict.fromkeys(term.word for term in terms))[:_NAME_WORDS]
    return clean(", ".join(words)) if words else members[0].name


def _fitted(full: Refinement, room: int) -> Refinement:
    """The same with fewer terms, pages, links and at last no names, until it fits; counts stay."""
    most = max((len(cluster.terms) for cluster in full.clusters), default=0)

    def cut(kept: int) -> Refinement:
        share = kept / max(most, 1)
        return Refinement(
            tuple(
                msgspec.structs.replace(
                    cluster, terms=cluster.terms[:kept], urls=cluster.urls[: round(len(cluster.urls) * share)]
                )
                for cluster in full.clusters
            ),
            full.links if share >= 0.1 else (),
            full.outward[: int(len(full.outward) * share)],
        )

    found = largest_fitting(cut, most, room, lambda part: len(wire.frame(part)))
    if found is not None:
        return found
    return Refinement(tuple(SubCluster("", cluster.pages, cluster.bytes, cluster.n_terms) for cluster in full.clusters))
