"""Labels of made sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hypursuit.clustering.organise import Collection, organise
from hypursuit.label import ContentLabel, LabelBudget, leaf_label
from hypursuit.query.index import PageIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypursuit.crawl.page import Page


@pytest.fixture
def label_of() -> Callable[..., ContentLabel]:
    """(name, pages, budget) → the label of a leaf with these pages."""

    def make(name: str, pages: list[Page], budget: LabelBudget = LabelBudget(), **more: object) -> ContentLabel:  # noqa: B008  frozen
        index, clusters = PageIndex.build(pages), organise(Collection.of(pages))
        links = [(page.url, page.links) for page in pages]
        sizes = [len(page.text) for page in pages]
        return leaf_label(name, f"http://router.test/{name}", index, clusters, budget, sizes=sizes, links=links, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def children(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> tuple[ContentLabel, ...]:
    """Labels of four made sites, two of which link to the first."""
    hosts = ("one.north.test", "two.north.test", "south.test", "west.other")
    return tuple(label_of(host, site(7, host, 14)) for host in hosts)
