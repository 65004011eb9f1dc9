"""A bounded queue before a router's work: beyond it, searches are turned away at once instead of all being late."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypursuit.errors import Overloaded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How many searches a router works on at once, and how many may wait."""

    running: int = 8
    waiting: int = 128


class Gate:
    """Lets so many through at once, first come first served; those that could not finish in time are turned away."""

    def __init__(self, name: str, settings: GateSettings = GateSettings()) -> None:
        self._name, self._settings = name, settings
        self._running = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._usual = 0.0
        """Seconds that a search takes, of late."""

    @property
    def waiting(self) -> int:
        """Searches in the queue."""
        return len(self._queue)

    @asynccontextmanager
    async def passed(self, until: float) -> AsyncIterator[None]:
        """Wait for a turn, and hold it; ``until`` is when, by the loop's clock, the work must be done.

        Raises:
            Overloaded: the queue is full, or the turn came too late to be of use.
        """
        loop = asyncio.get_running_loop()
        waited = await self._enter(until - loop.time())
        started = loop.time()
        try:
            if waited and started + self._usual > until:
                raise Overloaded(self._name)
            yield
            self._usual += 0.1 * (loop.time() - started - self._usual)
        finally:
            self._leave()

    async def _enter(self, patience: float) -> bool:
        """Whether the turn had to be waited for."""
        if self._running < self._settings.running:
            self._running += 1
            return False
        # Whoever would have to spend more than half of its time waiting is told now, rather than given half an answer
        # when it is nearly too late.
        expected = self._usual * (len(self._queue) + 1) / self._settings.running
        if len(self._queue) >= self._settings.waiting or expected > patience / 2:
            raise Overloaded(self._name)
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            async with asyncio.timeout(patience):
                await turn
        except TimeoutError:
            self._withdraw(turn)
            raise Overloaded(self._name) from None
        except asyncio.CancelledError:
            self._withdraw(turn)
            raise
        return True

    def _withdraw(self, turn: asyncio.Future[None]) -> None:
        if turn in self._queue:
            self._queue.remove(turn)
        elif turn.done() and not turn.cancelled():
            self._leave()  # the turn was given in the very moment in which nobody wanted it any more

    def _leave(self) -> None:
        """Hand the turn on to the first who still waits."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._running -= 1
