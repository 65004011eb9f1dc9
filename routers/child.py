"""A child as its parent sees it: an address, the last label, and how it has behaved."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hypursuit.errors import HyPursuitError, RouterUnavailable
from routers.breaker import DEFAULTS as DEFAULT_BREAKER
from routers.breaker import Breaker, BreakerSettings, Circuit
from routers.grant import ANYWHERE, Grant

if TYPE_CHECKING:
    from hypursuit.label.content import ContentLabel
    from hypursuit.label.parts import Host
    from hypursuit.query.answer import Answer, SearchRequest
    from routers.label_store import StoredLabel


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What a parent is told about a child by its operator."""

    name: str
    url: str
    token: str
    """What the child shows when it sends its label."""
    hosts: tuple[Host, ...] = (ANYWHERE,)
    """What it may speak for."""


FAIR = 0.2
"""Seconds that a child must have been given before its silence counts against it."""


class Searcher(Protocol):
    """Whoever carries a search to a child: a client, or the child's router itself in the same process."""

    async def search(self, request: SearchRequest, seconds: float | None = None) -> Answer:
        """The child's answer."""
        ...


class Child:
    """Asks one child, believes no more than its label and its hosts allow, and leaves it alone while it fails."""

    def __init__(self, spec: ChildSpec, searcher: Searcher, breaker: BreakerSettings = DEFAULT_BREAKER) -> None:
        self.spec = spec
        self._searcher = searcher
        self._breaker = Breaker(breaker)
        self._granted = Grant(spec.hosts)
        self._labelled = Grant(())
        self._stored: StoredLabel | None = None

    @property
    def name(self) -> str:
        """As the parent knows it."""
        return self.spec.name

    @property
    def granted(self) -> Grant:
        """What the child may speak for."""
        return self._granted

    @property
    def stored(self) -> StoredLabel | None:
        """The last label that was accepted."""
        return self._stored

    @stored.setter
    def stored(self, stored: StoredLabel) -> None:
        self._stored = stored
        self._labelled = Grant(stored.label.hosts)

    @property
    def label(self) -> ContentLabel | None:
        """The last label, decoded."""
        return None if self._stored is None else self._stored.label

    @property
    def open_circuit(self) -> bool:
        """Whether it is left alone for the moment."""
        return self._breaker.circuit is not Circuit.CLOSED

    async def search(self, request: SearchRequest, seconds: float) -> Answer:
        """The child's answer, checked; waits for it no longer than so many seconds.

        Raises:
            RouterUnavailable: it gave none that can be used, with the reason.
        """
        clock = asyncio.get_running_loop().time
        if not self._breaker.admits(clock()):
            raise RouterUnavailable(self.name, "is left alone for a moment, since it failed repeatedly")
        try:
            answer = await self._asked(request, seconds)
        except RouterUnavailable as error:
            # A child that says it is busy works, and one that was given next to no time may; leaving them alone would
            # make an outage of an overload.
            if error.busy or (error.late and seconds < FAIR):
                self._breaker.abandoned(clock())
            else:
                self._breaker.failed(clock())
            raise
        except BaseException:
            self._breaker.abandoned(clock())
            raise
        self._breaker.succeeded()
        return answer

    async def _asked(self, request: SearchRequest, seconds: float) -> Answer:
        try:
            async with asyncio.timeout(seconds):
                answer = await self._searcher.search(request, seconds)
        except TimeoutError:
            raise RouterUnavailable(self.name, f"did not answer within {seconds:.3g} s", late=True) from None
        except RouterUnavailable:
            raise
        except HyPursuitError as error:
            raise RouterUnavailable(self.name, f"could not answer: {error}") from error
        self._check(request, answer)
        return answer

    def _check(self, request: SearchRequest, answer: Answer) -> None:
        if len(answer.hits) > request.wanted:
            raise RouterUnavailable(self.name, f"gave {len(answer.hits)} hits when {request.wanted} were asked for")
        for hit in answer.hits:
            if not (self._granted.covers(hit.url) and self._labelled.covers(hit.url)):
                raise RouterUnavailable(self.name, f"gave {hit.url[:200]}, which is on none of its hosts")
