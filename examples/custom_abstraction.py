"""An abstraction function of one's own: clusters of poems are described by a word that no poem contains.

    python examples/custom_abstraction.py

The paper's example [W96]: a router may add ``literature`` to its label for a cluster of poems. A query with the word is
then routed there. What is added only makes bounds larger, so searches stay exact: asking for ``literature poem`` finds
exactly what one index over all pages would find, and a word that is on no page matches no page.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from hypursuit.clustering.organise import Collection, organise
from hypursuit.crawl.page import Page
from hypursuit.label import (
    Abstraction,
    ContentLabel,
    LabelBudget,
    LeafSource,
    RoutingFunction,
    RoutingPart,
    describing,
    leaf_label,
    merge_labels,
)
from hypursuit.query.bounds import bound
from hypursuit.query.index import PageIndex
from hypursuit.query.language import parse_query
from hypursuit.text.scoring import Scoring
from hypursuit.text.stemming import Stems

ROOM_FOR_ROWS = 500
POETRY = ("poem", "poet", "sonnet", "stanza", "verse", "rhyme")
SITES = {
    "verses.test": [
        ("Sonnet of the sea", "a sonnet whose verse and rhyme follow the tide stanza by stanza"),
        ("Sonnet of the hill", "this poem climbs in verse, each rhyme a step, each stanza a ledge"),
        ("Opening hours", "the reading room opens at nine and closes at five"),
    ],
    "engines.test": [
        ("Boilers", "steam pressure in the boiler drives the piston"),
        ("Valves", "a valve lets steam into the cylinder"),
    ],
}


@dataclass(frozen=True, slots=True)
class DescribingRoutingFunction(RoutingFunction):
    """The usual routing part, with a describing word for sub-clusters whose heaviest terms tell their subject."""

    word: str = "literature"
    telling: frozenset[str] = field(default_factory=lambda: frozenset(Stems()[word] for word in POETRY))

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> RoutingPart:
        """Labels above inherit the added row, as they do every row: of_children() need not be changed."""
        described = [
            number
            for number, portrait in enumerate(leaf.portraits)
            if len({heavy.term.stem for heavy in portrait.terms} & self.telling) >= 2
        ]
        # super() does not know the class that slots=True makes anew.
        part = RoutingFunction.of_leaf(self, leaf, budget, room - ROOM_FOR_ROWS)
        return describing(part, Stems()[self.word], described) if described else part


def label_of(host: str, abstraction: Abstraction) -> ContentLabel:
    """The label of a leaf over one of the sites."""
    pages = pages_of(host)
    index, clusters = PageIndex.build(pages), organise(Collection.of(pages))
    return leaf_label(
        host, f"http://router.test/{host}", index, clusters, LabelBudget(clusters=2), abstraction=abstraction
    )


def pages_of(host: str) -> list[Page]:
    """The pages of one of the sites."""
    return [Page(f"http://{host}/{n}", title=title, text=text) for n, (title, text) in enumerate(SITES[host])]


def show(heading: str, abstraction: Abstraction) -> None:
    """Where a query for the describing word would be sent."""
    query = parse_query("literature")
    labels = [label_of(host, abstraction) for host in SITES]
    root = merge_labels("root", "http://router.test/", labels)
    idf = {stem: Scoring.idf(root.page_frequency(stem), root.pages) for stem in query.stems()}
    print(f"\n{heading}: a search for 'literature'")
    for label in (root, *labels):
        best = bound(label, query, idf).best
        print(f"  {label.name:14} bound {best:5.2f}  {'asked' if best > 0 else 'not asked'}")


def show_exactness() -> None:
    """What a described leaf answers is what its pages say, no more and no less."""
    query = parse_query("literature OR rhyme")
    index = PageIndex.build(page for host in SITES for page in pages_of(host))
    idf = {stem: Scoring.idf(index.page_frequency(stem), len(index.urls)) for stem in query.stems()}
    matches, number = index.search(query, idf, 10)
    print(f"\nall pages, 'literature OR rhyme': {number} found")
    described = label_of("verses.test", Abstraction(routing=DescribingRoutingFunction()))
    best = bound(described, query, idf).best
    for match in matches:
        print(f"  {match.score:.2f} <= {best:.2f}  {index.urls[match.page]}")


def main() -> None:
    """Compare labels with and without the describing word."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    show("as usual", Abstraction())
    show("with a function of our own", Abstraction(routing=DescribingRoutingFunction()))
    show_exactness()


if __name__ == "__main__":
    main()
