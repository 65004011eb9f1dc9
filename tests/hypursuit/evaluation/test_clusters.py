"""Comparing methods with a truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from hypursuit.clustering.organise import Collection
from hypursuit.clustering.signals import Method
from hypursuit.errors import BadSetting
from hypursuit.evaluation import category_table, compare_methods, url_directories

if TYPE_CHECKING:
    from hypursuit.crawl.page import Page


def test_the_directory_of_a_url_is_its_class() -> None:
    urls = ["http://a/x/y/page.html?q=/z", "http://a/x/", "http://a/", "http://a/x%20y/page"]

    assert url_directories(urls) == ["x/y", "x", "", "x y"]
    assert url_directories(urls, depth=1) == ["x", "x", "", "x y"]


def test_all_methods_are_judged_on_the_pages_whose_class_is_known(garden: list[Page]) -> None:
    truth: list[str | None] = list(url_directories(page.url for page in garden))
    truth[0] = None

    compared = compare_methods(Collection.of(garden), truth, k=4)

    assert (compared.pages, compared.judged, compared.classes, compared.clusters) == (28, 27, 3, 4)
    assert {result.method for result in compared.results} == set(Method)
    assert compared.of(Method.TERMS).agreement.homogeneity > 0.8
    assert compared.of(Method.HYBRID).link_trust is not None


def test_too_little_truth_is_refused(garden: list[Page]) -> None:
    with pytest.raises(BadSetting, match="too few"):
        compare_methods(Collection.of(garden), ["same"] * len(garden))
    with pytest.raises(BadSetting, match="too few"):
        compare_methods(Collection.of(garden), [None] * len(garden))


def test_table_one_counts_classes_in_clusters_largest_first() -> None:
    truth = ["HEALTH", "BIZ", "HEALTH", None, "BIZ", "TECH"]

    table = category_table(truth, np.array([1, 1, 1, 1, 0, 0]))

    assert table == [[("HEALTH", 2), ("BIZ", 1)], [("BIZ", 1), ("TECH", 1)]]
