"""How well the clusters of terms, links and hybrid agree with a human order of the same pages [W96 Table 1]."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from posixpath import dirname
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from hypursuit.clustering.agreement import Agreement, agreement
from hypursuit.clustering.organise import ClusterSettings, Collection, organise
from hypursuit.clustering.signals import Method
from hypursuit.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

FEWEST_JUDGED = 10
"""Fewer pages with a class, or a single class, and no agreement measure means anything."""


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What one method made of a site."""

    method: Method
    agreement: Agreement
    membership: NDArray[np.intp]
    """Of all pages, judged or not."""
    link_trust: float | None


@dataclass(frozen=True, slots=True)
class SiteComparison:
    """Several methods on the same pages against the same truth."""

    pages: int
    judged: int
    """Pages whose class is known; the others are clustered too, but do not count."""
    classes: int
    clusters: int
    results: tuple[MethodResult, ...]

    def of(self, method: Method) -> MethodResult:
        """The result of one method."""
        return next(result for result in self.results if result.method is method)


def url_directories(urls: Iterable[str], depth: int | None = None) -> list[str]:
    """The directory of each URL, cut to its first ``depth`` parts: the site's own order of its pages."""
    folders = [dirname(unquote(urlsplit(url).path)).strip("/") for url in urls]
    return folders if depth is None else ["/".join(folder.split("/")[:depth]) for folder in folders]


def compare_methods(
    collection: Collection,
    truth: Sequence[str | None],
    k: int = 30,
    settings: ClusterSettings = ClusterSettings(),
    methods: Iterable[Method] = tuple(Method),
    told: Callable[[Method], None] = lambda method: None,  # noqa: ARG005  names for the reader
) -> SiteComparison:
    """Cluster the same pages by every method and judge each against the truth.

    Args:
        collection: the pages.
        truth: (n_pages,) the class of each page, None where nobody knows.
        k: how many clusters the trees are cut into.
        settings: for all methods alike.
        methods: which to compare.
        told: called before each method, for progress.
    """
    judged = np.array([page for page, known in enumerate(truth) if known is not None], np.intp)
    classes = np.array([truth[page] for page in judged])
    n_classes = len(set(classes.tolist()))
    if len(judged) < FEWEST_JUDGED or n_classes < 2:
        raise BadSetting(
            f"{len(judged)} pages in {n_classes} classes are too few to judge clusters by; "
            "give a table of URLs and classes, or crawl more pages"
        )
    results = []
    for method in methods:
        told(method)
        made = organise(collection, replace(settings, signals=replace(settings.signals, method=method)))
        membership = made.tree.cut(k)
        results.append(MethodResult(method, agreement(classes, membership[judged]), membership, made.link_trust))
    return SiteComparison(len(truth), len(judged), n_classes, int(results[0].membership.max()) + 1, tuple(results))


def category_table(truth: Sequence[str | None], membership: NDArray[np.intp]) -> list[list[tuple[str, int]]]:
    """Table 1 of [W96]: for each cluster, how many of its pages are of which class, largest clusters first."""
    clusters: dict[int, Counter[str]] = {}
    for known, cluster in zip(truth, membership.tolist(), strict=True):
        if known is not None:
            clusters.setdefault(cluster, Counter())[known] += 1
    ordered = sorted(clusters.values(), key=lambda counts: (-counts.total(), sorted(counts)))
    return [sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])) for counts in ordered]
