"""Links between the sub-clusters of different children, from what their labels count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypursuit.label.content import ContentLabel


def link_matrix(children: Sequence[ContentLabel]) -> csr_array:
    """(n, n): links from each sub-cluster to each, all sub-clusters of all children numbered through.

    A label says how many of its links lead to a host, not to which of its pages: they are spread over the sub-clusters
    of the child that has the host, by their pages. [W96 had links only at the leaves]
    """
    first = np.cumsum([0, *(len(child.clusters) for child in children)]).tolist()
    total = first[-1]
    inside = [
        (begin + link.source, begin + link.target, link.links)
        for begin, child in zip(first, children, strict=False)
        for link in child.links
    ]
    owner = {known.host: place for place, child in enumerate(children) for known in child.hosts}
    leaving = [
        (begin + out.source, owner[out.host], out.links)
        for place, (begin, child) in enumerate(zip(first, children, strict=False))
        for out in child.outward
        if owner.get(out.host, place) != place
    ]
    shares = [
        (place, begin + number, cluster.pages / child.pages)
        for place, (begin, child) in enumerate(zip(first, children, strict=False))
        for number, cluster in enumerate(child.clusters)
        if child.pages
    ]
    to_child, share = _sparse(leaving, (total, len(children))), _sparse(shares, (len(children), total))
    return csr_array(_sparse(inside, (total, total)) + to_child @ share)


def _sparse(entries: Sequence[tuple[int, int, float]], shape: tuple[int, int]) -> csr_array:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return csr_array((np.array(values, np.float64), (rows, columns)), shape=shape)
