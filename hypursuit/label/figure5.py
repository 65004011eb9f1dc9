"""A label for people and for programs in other languages: the text of the paper's Figure 5, and JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from hypursuit.text.terms import Attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypursuit.label.content import ContentLabel
    from hypursuit.label.parts import Card, SubCluster

_SYNTAX = re.compile(r'[\\()"]')
_WHITE = re.compile(r"\s+")


def figure5(label: ContentLabel) -> str:
    """The label as nested ``(name: value)`` pairs; terms of the text have no attribute [W96 Fig. 5].

    Values are crawled: parentheses, quotes and backslashes in them get a backslash, white space becomes one blank, so
    that they cannot be taken for structure.
    """
    lines = [f"((version: {label.version}) {_quoted('url', label.url)}", ""]
    for number, cluster in enumerate(label.clusters, 1):
        lines += [*_cluster_lines(number, cluster), ""]
    return "\n".join([*lines, ")\n"])


def to_json(label: ContentLabel) -> dict[str, Any]:
    """The label in JSON values, everything by name. The routing part is told by its extent, not by its arrays."""
    counts = {name: getattr(label, name) for name in ("name", "url", "version", "leaves", "pages", "bytes", "n_terms")}
    routing = label.routing
    return counts | {
        "hosts": [_named(host) for host in label.hosts],
        "words": list(label.browsing.whole.words),
        "samples": [_named(sample) for sample in label.browsing.whole.samples],
        "clusters": [_shown(cluster, label.browsing.card(place)) for place, cluster in enumerate(label.clusters)],
        "links": [_named(link) for link in label.links],
        "outward": [_named(link) for link in label.outward],
        "routing": {
            "cells": routing.cells,
            "stems": len(routing.keys),
            "entries": len(routing.level),
            "covered": sum(len(cover.stems) for cover in routing.covers),
        },
    }


def _cluster_lines(number: int, cluster: SubCluster) -> Iterator[str]:
    counts = f"(size: {cluster.bytes}) (num-docs: {cluster.pages}) (num-terms: {cluster.n_terms})"
    yield "(cluster:"
    yield f"((cluster-num: {number}) {counts} {_quoted('name', cluster.name)}"
    yield from (_quoted("url", url) for url in cluster.urls)
    for term in cluster.terms:
        attribute = "" if term.attribute is Attribute.TEXT else f"(attribute: {term.attribute}) "
        yield f"(term: ({attribute}(value: {_harmless(term.stem)}) (tf: {term.tf}) (df: {term.df})))"
    yield "))"


def _quoted(name: str, value: str) -> str:
    return f'({name}: "{_harmless(value)}")'


def _harmless(value: str) -> str:
    return _SYNTAX.sub(lambda found: "\\" + found.group(), _WHITE.sub(" ", value).strip())


def _shown(cluster: SubCluster, card: Card) -> dict[str, Any]:
    words, samples = list(card.words), [_named(sample) for sample in card.samples]
    shown = _named(cluster) | {"terms": [_named(term) for term in cluster.terms]}
    return shown | {"urls": list(cluster.urls), "words": words, "samples": samples}


def _named(part: msgspec.Struct) -> dict[str, Any]:
    return msgspec.structs.asdict(part)
