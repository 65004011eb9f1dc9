"""A plan carried out: children asked at once, in waves, within the time there is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from hypursuit.errors import RouterUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hypursuit.query.answer import Answer, Hit
    from hypursuit.query.plan import Ask, Plan
    from routers.router_settings import RouterSettings

    AskChild = Callable[[Ask, float], Awaitable[Answer]]
    """Asks one child and waits so many seconds; raises RouterUnavailable."""

NO_TIME = "was not asked: no time was left"
TOO_LATE = "had not answered when the time was up"


@dataclass(slots=True)
class Outcome:
    """What came of asking one child, in all rounds."""

    answers: list[Answer] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0


class FanOut:
    """One plan, carried out once. Whatever happens, nothing is left running when ``run`` returns."""

    def __init__(self, plan: Plan[Hit], ask: AskChild, until: float, settings: RouterSettings) -> None:
        self._plan, self._ask, self._until, self._settings = plan, ask, until, settings
        self._loop = asyncio.get_running_loop()
        self._tasks: dict[asyncio.Task[Answer], tuple[Ask, float]] = {}
        self.outcomes: dict[str, Outcome] = {}

    async def run(self) -> None:
        """Ask until the plan is done or time is up; then say of everybody still needed that it failed."""
        try:
            while self._start_wave() and self._time_left() > 0:
                await self._wait()
        finally:
            await self._end()
        for child in self._plan.owed:
            self._fail(child, NO_TIME)

    def fail(self, child: str, reason: str) -> None:
        """Count a child as failed that there is no use in asking."""
        self._fail(child, reason)

    def _time_left(self) -> float:
        return self._until - self._loop.time()

    def _start_wave(self) -> bool:
        """Start what the plan wants now; whether anything is under way."""
        now = self._loop.time()
        seconds = self._settings.share * (self._until - now)
        if seconds > 0:
            for ask in self._plan.next_asks():
                self._tasks[asyncio.ensure_future(self._ask(ask, seconds))] = ask, now
        return bool(self._tasks)

    async def _wait(self) -> None:
        """Until a child has answered, or one is late, or time is up."""
        now = self._loop.time()
        patience = self._settings.late * self._settings.share * (self._until - now)
        done, pending = await asyncio.wait(
            self._tasks, timeout=max(min(patience, self._until - now), 0.001), return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            ask, started = self._tasks.pop(task)
            self._settle(ask, task, self._loop.time() - started)
        if not done:
            for task in pending:
                self._plan.late(self._tasks[task][0].child)

    def _settle(self, ask: Ask, task: asyncio.Task[Answer], seconds: float) -> None:
        outcome = self._outcome(ask.child)
        outcome.seconds += seconds
        try:
            answer = task.result()
        except RouterUnavailable as error:
            self._fail(ask.child, error.reason)
            return
        above = float("inf") if answer.complete_above is None else answer.complete_above
        if refused := self._plan.answered(ask.child, answer.hits, remaining=answer.remaining, complete_above=above):
            outcome.failure = f"gave an answer that was refused: {refused}"
        else:
            outcome.answers.append(answer)

    async def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        for (ask, started), result in zip(self._tasks.values(), ended, strict=True):
            self._outcome(ask.child).seconds += self._loop.time() - started
            self._fail(ask.child, result.reason if isinstance(result, RouterUnavailable) else TOO_LATE)
        self._tasks.clear()

    def _fail(self, child: str, reason: str) -> None:
        self._plan.failed(child)
        self._outcome(child).failure = reason

    def _outcome(self, child: str) -> Outcome:
        return self.outcomes.setdefault(child, Outcome())


def told(bound: float) -> float | None:
    """A bound as it goes over the wire: null where there is none."""
    return bound if isfinite(bound) else None
