"""Re-clustering the sub-clusters of children with what labels say of their words and of the links between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.complete_link import merge_tree
from hypursuit.label.refinement import crossing_links
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
    if len(children) > 1 and total > MOST_COMPARED:
        return _gathered_in_steps(children, clusters)
    similarity = hybrid_similarity(comparable(_term_similarity(children)), comparable(_link_similarity(children)))
    return merge_tree(similarity, overwrite=True).cut(clusters).astype(np.int64)


def _gathered_in_steps(children: tuple[ContentLabel, ...], clusters: int) -> NDArray[np.int64]:
    """Halves of the children by themselves, then what they became, which is compared by its pages' numbers alone.

    Of a child with thousands of siblings all sub-clusters fall together: it is the children that are told apart.
    """
    kept = max(clusters // len(children), 1)
    own = [gathered((child,), kept) for child in children]
    first = np.cumsum([0, *(int(part.max()) + 1 for part in own)])
    numbered = np.concatenate([part + first[place] for place, part in enumerate(own)])
    if first[-1] <= clusters:
        return numbered
    # Neighbours by name stay together: with names that nest, these are sites of one domain.
    return np.asarray(numbered * clusters // int(first[-1]), np.int64)


def _term_similarity(children: tuple[ContentLabel, ...]) -> NDArray[np.float32]:
    """Cosine of the heaviest terms, weighted as those of pages are."""
    column: dict[Term, int] = {}
    rows, columns, counts = [], [], []
    clusters = [cluster for child in children for cluster in child.clusters]
    for row, cluster in enumerate(clusters):
        for term in cluster.terms:
            rows.append(row)
            columns.append(column.setdefault(Term(term.attribute, term.stem), len(column)))
            counts.append(term.tf)
    found = csr_array((np.array(counts, np.int32), (rows, columns)), shape=(len(clusters), max(len(column), 1)))
    terms = tuple(column) or (Term("text", ""),)  # type: ignore[arg-type]
    matrix = TermMatrix(found, ("",) * len(clusters), terms, {})
    return term_similarity(discriminating_weights(matrix))


def _link_similarity(children: tuple[ContentLabel, ...]) -> NDArray[np.float32]:
    """Links in either direction, per link that both have: l_ij / √(l_i · l_j)."""
    total = sum(len(child.clusters) for child in children)
    links = np.zeros((total, total), np.float32)
    begin = 0
    for child in children:
        for link in child.links:
            links[begin + link.source, begin + link.target] += link.links
        begin += len(child.clusters)
    for pair, count in crossing_links(children).items():
        links[pair] += count
    links += links.T.copy()
    np.fill_diagonal(links, 0)
    length = np.sqrt(np.maximum(links.sum(axis=1), 1))
    links /= length[:, None]
    links /= length
    return links
