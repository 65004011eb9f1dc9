"""What leaf and interior routers have in common: one interface, and what is done before any search."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hypursuit.errors import MalformedQuery, MalformedRequest
from hypursuit.query.answer import MOST_HOPS, MOST_RESULTS, Answer, Coverage, ResultCluster
from hypursuit.query.language import parse_query
from hypursuit.text.stemming import Stems
from routers.asked import AskedBefore
from routers.gate import Gate
from routers.router_settings import DEFAULTS, RouterSettings, reserve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import Carried, Health, Hit, LabelReceipt, SearchRequest
    from hypursuit.query.query import Query


class Router(Protocol):
    """A router of any level, in this process."""

    @property
    def name(self) -> str:
        """Unique in its tree."""
        ...

    async def search(self, request: SearchRequest) -> Answer:
        """The best pages below."""
        ...

    async def label(self, budget: LabelBudget | None = None) -> ContentLabel:
        """What lies below, within a budget; the router's own by default."""
        ...

    def health(self) -> Health:
        """Whether all is well."""
        ...

    async def accept_label(self, child: str, token: str, encoded: bytes, replaces: str = "") -> LabelReceipt:
        """Take a label from a child; LabelRefused where that is not to be."""
        ...

    async def start(self) -> None:
        """Begin to do what is done in the background."""
        ...

    async def close(self) -> None:
        """End everything that was begun."""
        ...


@dataclass(frozen=True, slots=True)
class Visit:
    """A search that was let in."""

    query: Query
    carried: Carried | None
    query_id: str
    started: float
    until: float
    """When, by the loop's clock, the answer has to be ready."""
    repeated: bool = False

    @property
    def took_ms(self) -> float:
        """Since it came."""
        return round(1000 * (asyncio.get_running_loop().time() - self.started), 3)


class Reception:
    """Reads searches, stops circles, recognises queries that came another way, and keeps the queue bounded."""

    def __init__(self, name: str, settings: RouterSettings = DEFAULTS) -> None:
        self._name = name
        self._asked = AskedBefore()
        self._entering = Gate(name, settings.entering)
        self._passing = Gate(name, settings.passing)
        self._stems = Stems()

    @asynccontextmanager
    async def visit(self, request: SearchRequest) -> AsyncIterator[Visit]:
        """Let a search in for as long as the block runs.

        Raises:
            MalformedQuery, MalformedRequest: it makes no sense.
            Overloaded: there is no room for it.
        """
        visit = self._read(request)
        if visit.repeated:
            yield visit
            return
        gate = self._entering if request.carried is None else self._passing
        async with gate.passed(visit.until):
            yield visit

    def _read(self, request: SearchRequest) -> Visit:
        now = asyncio.get_running_loop().time()
        if request.wanted > MOST_RESULTS:
            raise MalformedRequest(f"offset and limit together go down to result {MOST_RESULTS:,}, not further")
        carried = request.carried
        if carried is not None and carried.hops > MOST_HOPS:
            raise MalformedRequest(f"the query has passed {carried.hops} routers: they stand in a circle, or too deep")
        query = parse_query(_text(request.q), self._stems)
        query_id = secrets.token_hex(16) if carried is None else carried.query_id
        repeated = self._asked.by_another(query_id, "" if carried is None else carried.asker, now)
        seconds = request.deadline_ms / 1000
        return Visit(query, carried, query_id, now, now + seconds - reserve(seconds), repeated)


def _text(q: str) -> str:
    """The query, if it is text: half a character can be typed into a URL, but not be sent on."""
    try:
        q.encode()
    except UnicodeEncodeError as error:
        raise MalformedQuery(error.start, "it holds half a character there") from None
    return q


def told_before(router: str, leaves: int, visit: Visit) -> Answer:
    """The answer for a second asker: whoever came first has the hits."""
    coverage = Coverage(leaves=leaves, asked=leaves, repeated=leaves)
    return Answer(router=router, coverage=coverage, exact=True, repeated=True, took_ms=visit.took_ms)


def clustered(hits: Sequence[Hit]) -> tuple[ResultCluster, ...]:
    """Hits by the sub-clusters of their leaves, in the order of each one's best hit."""
    groups: dict[tuple[str, int], list[int]] = {}
    names: dict[tuple[str, int], str] = {}
    for place, hit in enumerate(hits):
        if hit.cluster is not None:
            key = hit.leaf, hit.cluster.id
            names[key] = hit.cluster.name
            groups.setdefault(key, []).append(place)
    return tuple(
        ResultCluster(id=number, name=names[leaf, number], leaf=leaf, hits=tuple(places))
        for (leaf, number), places in groups.items()
    )


Routers = Mapping[str, Router]
"""Where they are mounted → routers."""
