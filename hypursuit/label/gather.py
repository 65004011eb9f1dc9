"""Re-clustering the sub-clusters of children with what labels say of their words and of the links between them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.complete_link import merge_tree
from hypursuit.label.budget import LabelBudget
from hypursuit.label.linking import link_matrix
from hypursuit.label.refinement import RefinementFunction
from hypursuit.label.sources import ChildLabels
from hypursuit.similarity.hybrid import comparable, hybrid_similarity
from hypursuit.similarity.terms import term_similarity
from hypursuit.text.matrix import TermMatrix
from hypursuit.text.terms import Term
from hypursuit.text.weights import discriminating_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.label.content import ContentLabel

MOST_COMPARED = 5000
"""Sub-clusters that are compared pair by pair; where there are more, each child's are first gathered by themselves."""


def gathered(children: tuple[ContentLabel, ...], clusters: int) -> NDArray[np.int64]:
    """(all sub-clusters of all children in order,): which of the parent's at most ``clusters`` each belongs to.

    Complete link over F = max of term and link similarity, each in units of its own root mean square [W96 eq. 1].
    """
    total = sum(len(child.clusters) for child in children)
    if total <= clusters:
        return np.arange(total)
    if total > MOST_COMPARED and len(children) > 1:
        return _gathered_in_steps(children, clusters)
    similarity = hybrid_similarity(comparable(_term_similarity(children)), comparable(_link_similarity(children)))
    return merge_tree(similarity, overwrite=True).cut(clusters).astype(np.int64)


def _gathered_in_steps(children: tuple[ContentLabel, ...], clusters: int) -> NDArray[np.int64]:
    """Each child's sub-clusters by themselves, to as many as can be compared; then what they became."""
    kept = MOST_COMPARED // len(children)
    if not kept:
        # More children than can be compared: neighbours by name stay together, sites of one domain that is.
        total = sum(len(child.clusters) for child in children)
        return np.arange(total) * clusters // total
    own = [gathered((child,), kept) for child in children]
    smaller = tuple(_with_gathered(child, part) for child, part in zip(children, own, strict=True))
    first = np.cumsum([0, *(len(child.clusters) for child in smaller)]).tolist()
    numbered = np.concatenate([part + begin for part, begin in zip(own, first, strict=False)])
    return np.asarray(gathered(smaller, clusters)[numbered], np.int64)


def _with_gathered(child: ContentLabel, membership: NDArray[np.int64]) -> ContentLabel:
    """A label for comparing only: its routing part still speaks of the old sub-clusters."""
    source = ChildLabels((child,), membership)
    return replace(child, refinement=RefinementFunction().of_children(source, LabelBudget.interior(), sys.maxsize))


def _term_similarity(children: tuple[ContentLabel, ...]) -> NDArray[np.float32]:
    """Cosine of the heaviest terms, weighted as those of pages are."""
    clusters = [cluster for child in children for cluster in child.clusters]
    column: dict[Term, int] = {}
    entries = [
        (row, column.setdefault(Term(term.attribute, term.stem), len(column)), term.tf)
        for row, cluster in enumerate(clusters)
        for term in cluster.terms
    ]
    if not entries:
        return np.zeros((len(clusters), len(clusters)), np.float32)
    rows, columns, counts = np.array(entries, np.int64).T
    shape = (len(clusters), len(column))
    found = csr_array((np.minimum(counts, np.iinfo(np.int32).max).astype(np.int32), (rows, columns)), shape=shape)
    matrix = TermMatrix(found, ("",) * len(clusters), tuple(column), {})
    return term_similarity(discriminating_weights(matrix))


def _link_similarity(children: tuple[ContentLabel, ...]) -> NDArray[np.float32]:
    """Links in either direction as a share of all that both have: l_ij / √(l_i · l_j)."""
    links = link_matrix(children).toarray().astype(np.float32)
    links += links.T.copy()
    np.fill_diagonal(links, 0)
    length = np.sqrt(np.maximum(links.sum(axis=1), 1))
    links /= length[:, None]
    links /= length
    return links
