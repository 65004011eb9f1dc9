"""The parts of a label that people and refinement read: msgspec Structs, positional on the wire, so append only."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from hypursuit.label.budget import MOST_CLUSTERS
from hypursuit.text.terms import Attribute  # noqa: TC001  msgspec reads annotations at run time

Count = Annotated[int, Meta(ge=0, le=1 << 53)]
Number = Annotated[int, Meta(ge=0, lt=MOST_CLUSTERS)]
"""Of a sub-cluster inside its label."""
Text = Annotated[str, Meta(max_length=300)]
Address = Annotated[str, Meta(max_length=2100)]

LONGEST_TEXT = 300
LONGEST_ADDRESS = 2100


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    """Text that every parent accepts: no lone surrogates, not too long."""
    return text[:longest].encode("utf-8", "replace").decode()


class Host(Struct, array_like=True, frozen=True):
    """Pages of one host below a path; a host that starts with a dot stands for all hosts below that domain."""

    host: Text
    path: Address = "/"


class Head(Struct, array_like=True, frozen=True):
    """Names and counts of a label; the counts are exact."""

    name: Text
    url: Address
    version: Count
    hosts: tuple[Host, ...]
    leaves: Count
    pages: Count
    bytes: Count
    n_terms: Count


class LabelTerm(Struct, array_like=True, frozen=True):
    """A heavy term of a sub-cluster. At a leaf tf and df are exact; above they count where it was heavy."""

    attribute: Attribute
    stem: Text
    word: Text
    """The stem as it is mostly written."""
    tf: Count
    df: Count


class SubCluster(Struct, array_like=True, frozen=True):
    """A cluster of pages somewhere below a router. The three counts are exact."""

    name: Text
    pages: Count
    bytes: Count
    n_terms: Count
    """Sum over pages of their distinct terms, so that it adds up."""
    terms: tuple[LabelTerm, ...] = ()
    """Heaviest first."""
    urls: tuple[Address, ...] = ()
    """The central page first."""


class Links(Struct, array_like=True, frozen=True):
    """Links between pages, counted from one sub-cluster to another of the same label."""

    source: Number
    target: Number
    links: Count


class OutwardLinks(Struct, array_like=True, frozen=True):
    """Links from a sub-cluster to pages of a host that is not below the label's router."""

    source: Number
    host: Text
    links: Count


class Refinement(Struct, array_like=True, frozen=True):
    """What query refinement works on [W96]: sub-clusters with their heaviest terms, and the links between them."""

    clusters: tuple[SubCluster, ...]
    links: tuple[Links, ...] = ()
    outward: tuple[OutwardLinks, ...] = ()


class Sample(Struct, array_like=True, frozen=True):
    """A page shown to people."""

    url: Address
    title: Text


class Card(Struct, array_like=True, frozen=True):
    """What people see of a cluster: a few words and pages, the most telling first."""

    words: tuple[Text, ...] = ()
    samples: tuple[Sample, ...] = ()


class Browsing(Struct, array_like=True, frozen=True):
    """What browsing shows [W96]: a card for everything below, and one per sub-cluster where the budget allows."""

    whole: Card
    clusters: tuple[Card, ...] = ()

    def card(self, cluster: int) -> Card:
        """The card of a sub-cluster, blank where the budget had no room for it."""
        return self.clusters[cluster] if cluster < len(self.clusters) else Card()
