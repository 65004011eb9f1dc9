"""A router above others: knows its children by their labels, and asks those that may have something."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from math import inf
from typing import TYPE_CHECKING

from hypursuit.errors import (
    ForeignLabel,
    LabelChanged,
    LabelOutdated,
    LabelRefused,
    MalformedLabel,
    NotAuthorised,
    RouterUnavailable,
)
from hypursuit.label.budget import LabelBudget
from hypursuit.label.make import merge_labels
from hypursuit.query.answer import Answer, Carried, Health, LabelReceipt, SearchRequest
from hypursuit.query.bounds import bound
from hypursuit.query.plan import Plan, Prospect, Search
from hypursuit.text.scoring import Scoring
from routers import tally
from routers.fan_out import FanOut, told
from routers.label_store import StoredLabel
from routers.own_label import OwnLabel
from routers.router import Reception, clustered, told_before
from routers.router_settings import DEFAULTS, RouterSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import Hit
    from hypursuit.query.plan import Ask
    from hypursuit.query.query import Idf, Query
    from routers.child import Child
    from routers.fan_out import AskChild
    from routers.label_push import LabelPush
    from routers.router import Visit

LABEL_LIMIT = 4 << 20
"""The largest label taken from a child, in bytes."""
NO_LABEL = "has not sent a label yet"


class InteriorRouter:
    """Answers for all leaves below its children.

    Labels from children and its own are kept in ``folder``. ``start`` and ``close`` frame its life.
    """

    kind = "interior"

    def __init__(
        self,
        name: str,
        url: str,
        children: Sequence[Child],
        folder: Path,
        *,
        budget: LabelBudget | None = None,
        pushes: Sequence[LabelPush] = (),
        settings: RouterSettings = DEFAULTS,
    ) -> None:
        self.name, self.url = name, url
        self._children = {child.name: child for child in children}
        self._budget, self._settings = budget or LabelBudget.interior(), settings
        self._reception = Reception(name, settings)
        self._accepting = asyncio.Lock()
        self._own = OwnLabel(self, folder, self._budget, pushes, settings)
        for child in children:
            if (stored := self._own.store.load(child.name)) is not None:
                child.stored = stored

    @property
    def children(self) -> Sequence[Child]:
        """In the order given."""
        return tuple(self._children.values())

    async def start(self) -> None:
        """Begin to make and push the own label."""
        self._own.start()

    async def close(self) -> None:
        """End that."""
        await self._own.close()

    def health(self) -> Health:
        """Ready once every child has sent a label."""
        labels = [label for child in self.children if (label := child.label) is not None]
        waiting = tuple(child.name for child in self.children if child.label is None)
        return Health(
            router=self.name,
            kind=self.kind,
            ready=not waiting,
            leaves=sum(label.leaves for label in labels),
            pages=sum(label.pages for label in labels),
            label_version=self._own.version,
            waiting_for=waiting,
            open_circuits=tuple(child.name for child in self.children if child.open_circuit),
        )

    async def label(self, budget: LabelBudget | None = None) -> ContentLabel:
        """What the children's labels say together."""
        if budget is None or budget == self._budget:
            return await self._own.current()
        return await asyncio.to_thread(self.merged, budget, self._own.version)

    def ingredients(self) -> bytes:
        """Stands for the children's labels and all else that the own label is made of."""
        known = [(child.name, child.stored.etag) for child in self.children if child.stored is not None]
        return hashlib.blake2b(repr((self.name, self.url, self._budget, sorted(known))).encode()).digest()

    def merged(self, budget: LabelBudget, version: int) -> ContentLabel:
        """The children's labels as one; may take a while."""
        labels = [child.label for child in self.children if child.label is not None]
        if not labels:
            raise RouterUnavailable(self.name, "has no label yet: it waits for those of its children")
        return merge_labels(self.name, self.url, labels, budget, version=version)

    async def accept_label(self, child: str, token: str, encoded: bytes, replaces: str = "") -> LabelReceipt:
        """Take a child's label if it is that child's to give, and newer than the last."""
        known = self._children.get(child)
        if known is None or not hmac.compare_digest(known.spec.token.encode(), token.encode()):
            # Which children there are is nobody's business who has no token.
            raise NotAuthorised(child, "it came without this child's token")
        stored = await asyncio.to_thread(_checked, known, encoded)
        async with self._accepting:
            changed = await self._take(known, stored, replaces)
        return _receipt(child, stored, changed=changed)

    async def _take(self, child: Child, stored: StoredLabel, replaces: str) -> bool:
        """Put a checked label in the place of the last one; whether it is another."""
        current = child.stored
        if current is not None and current.encoded == stored.encoded:
            return False
        if replaces and (current is None or current.etag != replaces):
            raise LabelChanged(
                child.name, "it was to replace another label than the one that is known; look, and try again"
            )
        if current is not None and stored.label.version <= current.label.version:
            raise LabelOutdated(child.name, stored.label.version, current.label.version)
        await asyncio.to_thread(self._own.store.keep, child.name, stored)
        child.stored = stored
        self._own.changed()
        return True

    async def search(self, request: SearchRequest) -> Answer:
        """The best pages below, by asking the children that may have them."""
        async with self._reception.visit(request) as visit:
            if visit.repeated:
                return told_before(self.name, self.health().leaves, visit)
            return await self._search(request, visit)

    async def _search(self, request: SearchRequest, visit: Visit) -> Answer:
        idf = visit.carried.idf if visit.carried else self._idf(visit.query)
        prospects = [_prospect(child, visit.query, idf) for child in self.children]
        plan = Plan["Hit"](prospects, _sought(request), self._settings.pace)
        fan_out = FanOut(plan, self._asker(request, visit, idf), visit.until, self._settings)
        for prospect in prospects:
            if prospect.bound == inf:
                fan_out.fail(prospect.name, NO_LABEL)
        await fan_out.run()
        return self._answer(request, visit, plan, prospects, fan_out)

    def _idf(self, query: Query) -> Idf:
        """From what the children's labels say, for all routers below."""
        labels = [child.label for child in self.children if child.label is not None]
        pages = sum(label.pages for label in labels)
        return {stem: Scoring.idf(sum(label.page_frequency(stem) for label in labels), pages) for stem in query.stems()}

    def _asker(self, request: SearchRequest, visit: Visit, idf: Idf) -> AskChild:
        hops = 1 if visit.carried is None else visit.carried.hops + 1

        async def ask_child(ask: Ask, seconds: float) -> Answer:
            carried = Carried(
                query_id=visit.query_id,
                asker=self.name,
                idf=dict(idf),
                floor=ask.floor,
                horizon=ask.horizon,
                ceiling=told(ask.ceiling),
                hops=hops,
            )
            below = SearchRequest(
                q=request.q,
                limit=request.wanted,
                deadline_ms=max(int(1000 * seconds), 1),
                explain=request.explain,
                carried=carried,
            )
            return await self._children[ask.child].search(below, seconds)

        return ask_child

    def _answer(
        self, request: SearchRequest, visit: Visit, plan: Plan[Hit], prospects: list[Prospect], fan_out: FanOut
    ) -> Answer:
        shown = tuple(plan.best[request.offset :])
        total, total_exact = tally.totals(prospects, fan_out.outcomes)
        explained = tally.explanation(prospects, fan_out.outcomes, plan.threshold) if request.explain else ()
        return Answer(
            router=self.name,
            hits=shown,
            clusters=clustered(shown) if visit.carried is None else (),
            coverage=tally.coverage(prospects, fan_out.outcomes),
            exact=plan.exact,
            complete_above=told(plan.complete_above),
            total=max(total, len(plan.best)),
            total_exact=total_exact,
            took_ms=visit.took_ms,
            remaining=plan.remaining,
            explain=tuple(explained),
        )


def _prospect(child: Child, query: Query, idf: Idf) -> Prospect:
    if (label := child.label) is None:
        return Prospect(child.name, inf)
    return Prospect(child.name, bound(label, query, idf).best, label.leaves)


def _sought(request: SearchRequest) -> Search:
    carried = request.carried
    if carried is None:
        return Search(request.wanted)
    ceiling = inf if carried.ceiling is None else carried.ceiling
    return Search(request.wanted, carried.floor, carried.horizon, ceiling)


def _checked(child: Child, encoded: bytes) -> StoredLabel:
    try:
        stored = StoredLabel.of(encoded, LABEL_LIMIT)
    except MalformedLabel as error:
        raise LabelRefused(child.name, str(error)) from error
    if stored.label.name != child.name:
        raise ForeignLabel(child.name, f"it is the label of {stored.label.name}")
    if (foreign := child.granted.foreign(stored.label.hosts)) is not None:
        raise ForeignLabel(child.name, f"it speaks for {foreign.host}{foreign.path}, which the child was not given")
    return stored


def _receipt(child: str, stored: StoredLabel, *, changed: bool) -> LabelReceipt:
    return LabelReceipt(child=child, version=stored.label.version, etag=stored.etag, changed=changed)
