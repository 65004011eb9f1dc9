"""The label as the paper prints it, and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from hypursuit.label import ContentLabel, LabelBudget, LabelTerm, Refinement, SubCluster, figure5, to_json
from hypursuit.text.terms import Attribute

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypursuit.crawl.page import Page

FIGURE = """((version: 1) (url: "http://router.test/x")

(cluster:
((cluster-num: 1) (size: 6763) (num-docs: 5) (num-terms: 458) (name: "Committees")
(url: "http://www.test/1.html")
(term: ((attribute: header) (value: committees) (tf: 2) (df: 1)))
(term: ((value: eecs) (tf: 38) (df: 5)))
))

)
"""


def with_cluster(label: ContentLabel, cluster: SubCluster) -> ContentLabel:
    return replace(label, refinement=Refinement((cluster,)))


def committees(name: str = "Committees", stem: str = "committees") -> SubCluster:
    terms = (LabelTerm(Attribute.HEADER, stem, stem, 2, 1), LabelTerm(Attribute.TEXT, "eecs", "EECS", 38, 5))
    return SubCluster(name, 5, 6763, 458, terms, ("http://www.test/1.html",))


def test_a_label_reads_like_figure_5(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> None:
    label = with_cluster(label_of("x", site(1, "x.test", 2)), committees())

    assert figure5(label) == FIGURE


def test_crawled_strings_cannot_pass_for_structure(
    site: Callable[[int, str, int], list[Page]], label_of: Callable[..., ContentLabel]
) -> None:
    hostile = committees('x") (size: 0)\n\\', "a)(b")
    text = figure5(with_cluster(label_of("x", site(1, "x.test", 2)), hostile))

    assert r'(name: "x\"\) \(size: 0\) \\")' in text
    assert r"(value: a\)\(b)" in text


def test_json_tells_everything_by_name(garden: list[Page], label_of: Callable[..., ContentLabel]) -> None:
    label = label_of("garden", garden, LabelBudget(clusters=5))
    told = json.loads(msgspec.json.encode(to_json(label)))

    assert (told["pages"], told["leaves"], len(told["clusters"])) == (28, 1, 5)
    assert told["hosts"] == [{"host": "garden.example", "path": "/"}]
    assert told["samples"][0] == {"url": "http://garden.example/", "title": "Garden"}
    assert sum(cluster["pages"] for cluster in told["clusters"]) == 28
    assert told["clusters"][0]["terms"][0].keys() == {"attribute", "stem", "word", "tf", "df"}
    assert told["routing"]["stems"] == len(label.routing.keys)
