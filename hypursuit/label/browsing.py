"""The browsing function: a few words and sample pages of everything below and of each sub-cluster, for people."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, TypeVar

from hypursuit.label import wire
from hypursuit.label.fitting import largest_fitting
from hypursuit.label.parts import LONGEST_ADDRESS, Browsing, Card, Sample, clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.sources import ChildLabels, LeafSource

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BrowsingFunction:
    """Samples are central pages; cards of sub-clusters are dropped first where room is short, smallest detail last."""

    words: int = 10
    samples: int = 5

    def of_leaf(self, leaf: LeafSource, budget: LabelBudget, room: int) -> Browsing:  # noqa: ARG002  all kept fits
        """Cards of the sub-clusters; the whole site shows its first page and the centres of its largest clusters."""
        collection = leaf.clusters.collection
        portraits = leaf.portraits
        cards = [
            Card(
                _distinct(clean(heavy.word) for heavy in portrait.terms)[: self.words],
                _samples((collection.urls[page], collection.titles[page]) for page in portrait.representatives)[
                    : self.samples
                ],
            )
            for portrait in portraits
        ]
        largest = sorted(range(len(cards)), key=lambda place: (-portraits[place].size, place))
        whole = self._gathered([cards[place] for place in largest])
        first = _samples([(collection.urls[0], collection.titles[0])])
        whole = Card(whole.words, _distinct((*first, *whole.samples))[: self.samples])
        return _fitted(Browsing(whole, tuple(cards)), room)

    def of_children(self, source: ChildLabels, budget: LabelBudget, room: int) -> Browsing:  # noqa: ARG002
        """Cards gathered, the largest members speaking first."""
        children = source.children
        cards = [
            self._gathered([children[child].browsing.card(cluster) for child, cluster in group])
            for group in source.groups
        ]
        largest = sorted(children, key=lambda child: (-child.pages, child.name, child.url))
        return _fitted(Browsing(self._gathered([child.browsing.whole for child in largest]), tuple(cards)), room)

    def _gathered(self, cards: Sequence[Card]) -> Card:
        """The first of each card, then the second of each, and so on."""
        words = _distinct(_in_turn([card.words for card in cards]))
        samples = _distinct(_in_turn([card.samples for card in cards]))
        return Card(words[: self.words], samples[: self.samples])


def _samples(pages: Iterable[tuple[str, str]]) -> tuple[Sample, ...]:
    return tuple(Sample(url, clean(title)) for url, title in pages if url == clean(url, LONGEST_ADDRESS))


def _distinct(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))


def _in_turn(rows: Sequence[Sequence[T]]) -> Iterable[T]:
    missing = object()
    return (item for item in chain(*zip_longest(*rows, fillvalue=missing)) if item is not missing)  # type: ignore[misc]


def _fitted(full: Browsing, room: int) -> Browsing:
    most = max((len(card.words) + len(card.samples) for card in (full.whole, *full.clusters)), default=0)

    def cut(kept: int) -> Browsing:
        # Words before samples: a title takes the room of ten words.
        cards = [
            Card(card.words[:kept], card.samples[: max(kept - len(card.words), 0)])
            for card in (full.whole, *full.clusters)
        ]
        return Browsing(cards[0], tuple(cards[1:]) if kept else ())

    return largest_fitting(cut, most, room, lambda part: len(wire.frame(part))) or Browsing(Card())
