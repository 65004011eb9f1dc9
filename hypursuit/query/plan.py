"""Best first: whom to ask, with what floor, and what is certain in the end. No I/O, no clock.

Every child has a bound that no score below it exceeds. Where a query enters, rounds are made: all that may score
above a *horizon* are asked first, then those above a lower one, until the k-th best score found is above all bounds
left. Routers further down are handed the horizon and make one round each; so a deep tree asks hardly more
leaves than a flat one, though no router knows more than its children's labels. [DESIGN: a label is an upper bound]
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from math import inf, isfinite
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Ranked(Protocol):
    """What a plan looks at in a hit."""

    @property
    def url(self) -> str: ...  # noqa: D102  see Hit
    @property
    def score(self) -> float: ...  # noqa: D102


H = TypeVar("H", bound=Ranked)


def rank(hit: Ranked) -> tuple[float, str]:
    """The order of results everywhere."""
    return -hit.score, hit.url


@dataclass(frozen=True, slots=True)
class Prospect:
    """A child that may be asked."""

    name: str
    bound: float
    """No page below scores more; 0 means that none matches, inf that nothing is known."""
    leaves: int = 1


@dataclass(frozen=True, slots=True)
class Ask:
    """A child to ask now, and what to tell it; see :class:`hypursuit.query.answer.Carried`."""

    child: str
    floor: float
    horizon: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Search:
    """What a plan is to find: the ``wanted`` best, none below ``floor``.

    ``horizon`` is None where the query enters: this plan then sets it, and lowers it round by round.
    """

    wanted: int
    floor: float = 0.0
    horizon: float | None = None
    ceiling: float = inf


@dataclass(frozen=True, slots=True)
class Pace:
    """How boldly a plan asks. More at once is faster and asks some in vain; no answer depends on it."""

    wave: int = 8
    """Children asked at once; the next wave knows what this one found."""
    reach: float = 0.8
    """A round goes down to this share of the largest bound left."""
    rounds: int = 3
    """So many are made that way; one more then asks all that can still matter."""


class Plan(Generic[H]):
    """One router's share of one search.

    Call ``next_asks`` until it gives nothing and nothing is under way; report each ask by ``answered`` or ``failed``.
    ``late`` lets the next wave start without a child that is slow; it may still answer.
    """

    def __init__(self, prospects: Iterable[Prospect], search: Search, pace: Pace = Pace()) -> None:
        self._prospects = {prospect.name: prospect for prospect in prospects}
        self._search, self._pace = search, pace
        self._left = {p.name: p.bound for p in self._prospects.values() if p.bound > 0 and not self._asked_before(p)}
        """Child → what it may still have that nobody was asked for."""
        self._ceilings: dict[str, float] = {}
        self._under_way: dict[str, Ask] = {}
        self._late: set[str] = set()
        self._missing: dict[str, float] = {}
        """Child → what it, or one below it, may have and could not be got."""
        self._asked: set[str] = set()
        self._found: dict[str, H] = {}
        self._best: list[H] = []
        self._round = 0
        self._horizon = inf if search.horizon is None else search.horizon

    @property
    def best(self) -> Sequence[H]:
        """The wanted hits, best first; of the same URL the better one."""
        return self._best

    @property
    def threshold(self) -> float:
        """What scores less cannot matter any more; what scores the same can, since URLs break ties."""
        kth = self._best[-1].score if len(self._best) == self._search.wanted else 0.0
        return max(kth, self._search.floor)

    @property
    def asked(self) -> frozenset[str]:
        """Children that were asked at least once."""
        return frozenset(self._asked)

    @property
    def under_way(self) -> frozenset[str]:
        """Children whose answers are outstanding, late ones included."""
        return frozenset(self._under_way)

    @property
    def unasked(self) -> tuple[str, ...]:
        """Children that may still have something that matters and are not under way, best first."""
        return tuple(name for name in self._by_promise() if self._matters(self._left[name]))

    @property
    def owed(self) -> tuple[str, ...]:
        """Children that have to be asked before the plan is done: where the query enters, all that matter."""
        horizon = 0.0 if self._search.horizon is None else self._horizon
        return tuple(name for name in self.unasked if self._left[name] >= horizon)

    @property
    def remaining(self) -> float:
        """The largest bound that was left out for being below the horizon; 0 where the query enters."""
        return max((self._left[name] for name in self.unasked), default=0.0)

    @property
    def complete_above(self) -> float:
        """No page that scores more is missing from ``best``; 0 if none is missing at all."""
        return max((bound for bound in self._missing.values() if self._matters(bound)), default=0.0)

    @property
    def exact(self) -> bool:
        """Whether nothing that is missing could change ``best``."""
        return self.complete_above == 0.0

    def next_asks(self) -> list[Ask]:
        """The next wave; empty while one is under way, and at the end."""
        if len(self._under_way) > len(self._late):
            return []
        candidates = self._candidates()
        if not candidates and self._search.horizon is None and not self._under_way and self.unasked:
            self._lower_the_horizon()
            candidates = self._candidates()
        return [self._ask(name) for name in candidates[: self._pace.wave]]

    def late(self, child: str) -> None:
        """Do not hold up the next wave for this child."""
        if child in self._under_way:
            self._late.add(child)

    def answered(self, child: str, hits: Sequence[H], *, remaining: float = 0.0, complete_above: float = 0.0) -> str:
        """Take in what a child found.

        Args:
            child: one that is under way.
            hits: its best, none missing that scores more than both ``remaining`` and ``complete_above``.
            remaining: the bound of what it left out for being below the horizon.
            complete_above: the bound of what it could not get.

        Returns:
            Why the answer was refused and counts as failed, as for a score above the child's own bound; else nothing.
        """
        ask, bound = self._under_way[child], self._prospects[child].bound
        if reason := _implausible(hits, bound) or _over_promising(ask, remaining):
            self.failed(child)
            return reason
        self._close(child)
        self._left[child] = min(remaining, bound)
        self._ceilings[child] = ask.horizon
        if complete_above > 0:
            self._miss(child, min(complete_above, bound))
        self._merge(hits)
        return ""

    def failed(self, child: str) -> None:
        """A child under way, or one that cannot be asked at all, gave nothing."""
        self._close(child)
        self._miss(child, self._left.pop(child, 0.0))

    def _ask(self, name: str) -> Ask:
        self._asked.add(name)
        # A leaf is either asked or not. Its parents may hold it for something larger: it is told no horizon, so that
        # nothing can remain.
        alone = self._prospects[name].leaves <= 1
        horizon = 0.0 if alone else max(self._horizon, self.threshold)
        ceiling = inf if alone else self._ceilings.get(name, self._search.ceiling)
        ask = self._under_way[name] = Ask(name, self.threshold, horizon, ceiling)
        return ask

    def _lower_the_horizon(self) -> None:
        largest = max(self._left[name] for name in self.unasked)
        near = self._pace.reach * largest if self._round < self._pace.rounds else 0.0
        self._horizon = max(self.threshold, near)
        self._round += 1

    def _candidates(self) -> list[str]:
        return [name for name in self.unasked if self._left[name] >= self._horizon]

    def _asked_before(self, prospect: Prospect) -> bool:
        """Whether a leaf was asked in an earlier round, which this router, unlike its asker, knows nothing about."""
        return prospect.leaves <= 1 and inf > prospect.bound >= self._search.ceiling

    def _by_promise(self) -> list[str]:
        waiting = (name for name in self._left if name not in self._under_way)
        return sorted(waiting, key=lambda name: (-self._left[name], name))

    def _matters(self, bound: float) -> bool:
        return bound > 0 and bound >= self.threshold

    def _miss(self, child: str, bound: float) -> None:
        self._missing[child] = max(bound, self._missing.get(child, 0.0))

    def _close(self, child: str) -> None:
        self._under_way.pop(child, None)
        self._late.discard(child)

    def _merge(self, hits: Iterable[H]) -> None:
        for hit in hits:
            known = self._found.get(hit.url)
            if known is None or hit.score > known.score:
                self._found[hit.url] = hit
        self._best = nsmallest(self._search.wanted, self._found.values(), key=rank)


def _implausible(hits: Iterable[Ranked], bound: float) -> str:
    for hit in hits:
        if not isfinite(hit.score) or hit.score < 0:
            return f"it claims a score of {hit.score}"
        if hit.score > bound:
            return f"it claims a score of {hit.score:.6g}, but its label allows no more than {bound:.6g}"
    return ""


def _over_promising(ask: Ask, remaining: float) -> str:
    if not (isfinite(remaining) and remaining >= 0):
        return f"it claims that {remaining} remains"
    # Were this let pass, a child could have itself asked for ever.
    if remaining > 0 and remaining >= ask.horizon:
        return f"it left out what it was asked for: up to {remaining:.6g}, when all above {ask.horizon:.6g} was wanted"
    return ""
