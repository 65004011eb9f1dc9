"""The order of a crawl: breadth first, level by level, the same whatever the network's timing.

A *round* is one level: its URLs are numbered in the order of the pages that link to them, then of the links in the
page. All of a round is finished before the next is drawn up, so the next round is a function of what was stored and
nothing else. A redirect's target belongs to the round, and takes the number, of the URL that led to it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypursuit.crawl.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hypursuit.crawl.page import Page
    from hypursuit.crawl.robots import RobotsRules
    from hypursuit.crawl.scope import Site
    from hypursuit.crawl.traps import TrapGuard


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A URL waiting in a round."""

    position: int
    """Its number in the round; a redirect's target has that of its source."""
    hops: int
    """Redirects that led to it."""
    url: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A URL that will not be fetched, and why."""

    url: str
    outcome: Outcome
    detail: str = ""


class Round:
    """The URLs of one level: which is next, which are under way, where each came to stand and where it leads."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._waiting = sorted(entries)
        self._under_way: set[str] = set()
        self._positions: dict[str, int] = {}
        self._redirects: dict[str, str] = {}
        self._leads: dict[str, tuple[str, ...]] = {}

    def claim(self) -> Entry | None:
        """The next URL in order, now under way; None if none waits."""
        if not self._waiting:
            return None
        entry = heapq.heappop(self._waiting)
        self._under_way.add(entry.url)
        return entry

    def settle(self, entry: Entry) -> None:
        """Note that a claimed URL is done with."""
        self._under_way.discard(entry.url)
        self._positions[entry.url] = entry.position

    def redirect(self, entry: Entry, target: str, joined: Entry | None) -> None:
        """Note where a redirect leads, and let its target wait in this round if it is new."""
        self._redirects[entry.url] = target
        if joined is not None:
            heapq.heappush(self._waiting, joined)

    def page(self, url: str, leads: tuple[str, ...]) -> None:
        """Note that a URL gave a page, and the URLs it leads to."""
        self._leads[url] = leads

    @property
    def under_way(self) -> int:
        """How many URLs are claimed and not settled."""
        return len(self._under_way)

    @property
    def waiting(self) -> int:
        """How many URLs are not claimed yet."""
        return len(self._waiting)

    @property
    def pages(self) -> int:
        """How many URLs gave a page, to be indexed or not."""
        return len(self._leads)

    def moved(self) -> list[tuple[str, int]]:
        """Pages that stand before the place they were claimed at, since a redirect from there leads to them."""
        final = final_positions(self._positions.items(), self._redirects)
        return [(url, final[url]) for url in self._leads if final[url] != self._positions[url]]

    def discoveries(self) -> Iterator[str]:
        """All that the pages lead to, in the order of the pages, then of their links; URLs occur repeatedly."""
        final = final_positions(self._positions.items(), self._redirects)
        for url in sorted(self._leads, key=final.__getitem__):
            yield from self._leads[url]


def final_positions(positions: Iterable[tuple[str, int]], redirects: Mapping[str, str]) -> dict[str, int]:
    """Where every URL of a round stands once redirects are followed: the smallest number of all that led to it.

    Which of several redirects reached a page first depends on timing; this does not.
    """
    final: dict[str, int] = {}
    for url, position in sorted(positions, key=lambda pair: pair[1]):
        follower: str | None = url
        while follower is not None and follower not in final:
            final[follower] = position
            follower = redirects.get(follower)
    return final


def outgoing(page: Page, site: Site) -> tuple[str, ...]:
    """The site's own URLs that a page leads to, each once, in order: its canonical address, then its links."""
    found: dict[str, None] = {}
    if page.canonical is not None and page.canonical != page.url and site.covers(page.canonical):
        found[page.canonical] = None
    if page.follow:
        covers = site.covers
        for link in page.links:
            if link.follow and link.target not in found and covers(link.target):
                found[link.target] = None
    return tuple(found)


class Gate:
    """Decides which discovered URLs enter a round: in scope, allowed, no trap, not seen before."""

    def __init__(self, site: Site, robots: RobotsRules, guard: TrapGuard) -> None:
        self._site, self._robots, self._guard = site, robots, guard
        # The rules were read before anything else; a page that links to them does not make them a page.
        self.seen: set[str] = {site.robots_url}
        self._joined: list[str] = []

    def restore(self, known: Iterable[tuple[str, int, bool]]) -> None:
        """Take up where an earlier run left: URLs, their depths, and whether each was let in."""
        for url, depth, let_in in known:
            self.seen.add(url)
            if let_in:
                self._guard.count(url, depth)

    def draw_up(self, discovered: Iterable[str], depth: int) -> Iterator[str | Refusal]:
        """Sort out discovered URLs in their order: the new ones to visit, and refusals, each URL at most once."""
        while self._joined:
            self._guard.count(self._joined.pop(), depth - 1)
        for url in discovered:
            if url in self.seen or not self._site.covers(url):
                continue
            self.seen.add(url)
            if not self._robots.allows(url):
                yield Refusal(url, Outcome.ROBOTS)
            elif (trap := self._guard.admit(url, depth)) is not None:
                yield Refusal(url, Outcome.TRAP, trap)
            else:
                yield url

    def redirect(self, target: str) -> Refusal | None:
        """Why a redirect's target cannot join the round of its source; None where it can, or is known already.

        A target joins in the order of arrival, which is no order at all, so it is not weighed against what the trap
        guard has counted, and is counted itself only when the next round is drawn up.
        """
        if not self._site.covers(target):
            return Refusal(target, Outcome.OFF_SITE, target)
        if not self._robots.allows(target):
            return Refusal(target, Outcome.ROBOTS, target)
        trap = self._guard.misshapen(target)
        return None if trap is None else Refusal(target, Outcome.TRAP, trap)

    def join(self, target: str) -> bool:
        """Let a redirect's target into the current round; False if it was seen before."""
        if target in self.seen:
            return False
        self.seen.add(target)
        self._joined.append(target)
        return True
