"""Which URLs of a site show the same page.

A wrong fold loses a page, a missed one shows it twice; so every rule errs on the side of keeping pages apart.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hypursuit.crawl.sketch import POSITIONS, read_sketches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from hypursuit.crawl.sketch import Sketches

NEAR: Final = 0.98
"""Resemblance from which two pages of the same title are one, judged on what the site does not repeat elsewhere."""
BELIEVABLE: Final = 0.5
"""Resemblance from which a page's statement of its canonical URL is believed."""
FEW_SHINGLES: Final = 200
"""Shorter texts are folded only when equal: in a short reference page one word can be all the difference."""
FEW_POSITIONS: Final = 16
"""The least number of positions that are not boilerplate for a judgement of likeness."""

_BAND: Final = 16
_COMPARED: Final = 64


@dataclass(frozen=True, slots=True)
class AliasEntry:
    """What is needed of one page to find its aliases."""

    url: str
    order: int
    """Place in the crawl; the earliest of a group is the original."""
    key: bytes
    """:func:`content_key` of the page."""
    sketch: bytes
    """:func:`content_sketch` of the page."""
    canonical: str | None = None
    """What the page declares."""


def fold_aliases(entries: Iterable[AliasEntry]) -> dict[str, str]:
    """Map every alias to its original; originals are not in the map, and no original is an alias.

    A page is an alias of

    - the URL it declares canonical, if that was fetched and resembles it: sites that declare their home page on every
      page must not lose their pages;
    - else the earliest page with equal title and text;
    - else the earliest page of the same title that is nearly equal, leaving out what the whole site repeats.

    The result does not depend on the order of ``entries``. Time is linear but for sorting: a page is compared with
    few others that agree with it in a band of its sketch.
    """
    pages = sorted(entries, key=lambda entry: (entry.order, entry.url))
    if not pages:
        return {}
    sketches = read_sketches([page.sketch for page in pages])
    aliases = _Aliases()
    _fold_declared(pages, sketches, aliases)
    _fold_equal(pages, aliases)
    _fold_near(sketches, aliases)
    return {pages[alias].url: pages[aliases.original(alias)].url for alias in aliases}


class _Aliases(dict[int, int]):
    """Alias to (possibly intermediate) original, free of cycles."""

    def original(self, page: int) -> int:
        """The end of the chain from ``page``, which is shortened on the way."""
        end = page
        while end in self:
            end = self[end]
        while page in self:
            self[page], page = end, self[page]
        return end

    def join(self, alias: int, original: int) -> None:
        """Make one an alias of the other, unless that closes a circle."""
        if alias not in self and self.original(original) != alias:
            self[alias] = original


def _fold_declared(pages: list[AliasEntry], sketches: Sketches, aliases: _Aliases) -> None:
    # Only what stands on most pages is left out here, since many variants of one page may rightly name it.
    telling = _telling(sketches.minima, limit=max(3, len(pages) // 2))
    number = {page.url: place for place, page in enumerate(pages)}
    # Latest first: where declarations form a circle, the one that would close it is the earliest page's, which is
    # therefore left as the original.
    for alias in range(len(pages) - 1, -1, -1):
        target = number.get(pages[alias].canonical or "", alias)
        if target == alias:
            continue
        equal = pages[alias].key == pages[target].key
        if equal or _resemblances(sketches, telling, alias, [target])[0] >= BELIEVABLE:
            aliases.join(alias, target)


def _fold_equal(pages: list[AliasEntry], aliases: _Aliases) -> None:
    first: dict[bytes, int] = {}
    for place, page in enumerate(pages):
        original = first.setdefault(page.key, place)
        if original != place:
            aliases.join(place, original)


def _fold_near(sketches: Sketches, aliases: _Aliases) -> None:
    """Compare every page still on its own with earlier ones in its bands, the earliest first."""
    telling = _telling(sketches.minima, limit=max(10, len(sketches.minima) // 10))
    buckets: defaultdict[bytes, list[int]] = defaultdict(list)
    for place in range(len(sketches.counts)):
        if place in aliases or sketches.counts[place] < FEW_SHINGLES:
            continue
        bands = list(_bands(sketches, place))
        candidates = sorted({earlier for band in bands for earlier in buckets[band]})[:_COMPARED]
        near = _resemblances(sketches, telling, place, candidates) >= NEAR
        if near.any():
            aliases.join(place, candidates[int(near.argmax())])
            continue
        # Only originals are compared with: were aliases too, a chain of small changes could fold pages that differ
        # much. Full buckets stay as they are, or a site of near-equal pages would need quadratic time.
        for band in bands:
            if len(buckets[band]) < _COMPARED:
                buckets[band].append(place)


def _bands(sketches: Sketches, place: int) -> Iterator[bytes]:
    title = sketches.titles[place].tobytes()
    minima = sketches.minima[place].tobytes()
    width = 4 * _BAND
    for band in range(POSITIONS // _BAND):
        yield bytes((band,)) + title + minima[band * width : (band + 1) * width]


def _telling(minima: NDArray[np.uint32], limit: int) -> NDArray[np.bool_]:
    """(n, POSITIONS): False where a page's minimum comes from text that more than ``limit`` pages have."""
    telling = np.empty(minima.shape, dtype=np.bool_)
    for position in range(POSITIONS):
        _, inverse, counts = np.unique(minima[:, position], return_inverse=True, return_counts=True)
        telling[:, position] = counts[inverse] <= limit
    return telling


def _resemblances(sketches: Sketches, telling: NDArray[np.bool_], place: int, others: list[int]) -> NDArray[np.float64]:
    """(len(others),) share of the telling positions in which pages agree; 0 where too few tell anything."""
    compared = telling[others] | telling[place]
    agreeing = ((sketches.minima[others] == sketches.minima[place]) & compared).sum(axis=1)
    positions = compared.sum(axis=1)
    known = (positions >= FEW_POSITIONS) & (sketches.counts[others] > 0) & (sketches.counts[place] > 0)
    return np.where(known, agreeing / np.maximum(positions, 1), 0.0)
