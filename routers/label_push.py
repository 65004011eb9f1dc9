"""A router's label on its way to a parent: sent when it changes, again and again until the parent has it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from hypursuit.errors import HyPursuitError, LabelOutdated, RouterUnavailable
from hypursuit.label.wire import encode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import LabelReceipt

_log = logging.getLogger(__name__)


class TakesLabels(Protocol):
    """Whoever carries a label to a parent: a client, or the parent's router itself in the same process."""

    async def push_label(
        self, child: str, encoded: bytes, token: str, *, replaces: str = "", seconds: float = 10.0
    ) -> LabelReceipt:
        """Hand it over; raises LabelRefused and RouterUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class LabelPush:
    """One parent that a router sends its label to."""

    parent: TakesLabels
    token: str
    budget: LabelBudget | None = None
    """Where this parent wants another size than the router's own."""
    first_pause: float = 0.2
    longest_pause: float = 10.0
    check: float = 30.0
    """Seconds after which the label is offered again, in case the parent has lost it; free of charge if it has not."""


class Pusher:
    """Keeps one parent up to date in a task of its own."""

    def __init__(
        self, name: str, push: LabelPush, label: Callable[[LabelBudget | None], Awaitable[ContentLabel]]
    ) -> None:
        self._name, self._push, self._label = name, push, label
        self._changed = asyncio.Event()
        self._least_version = 0
        self._task: asyncio.Task[None] | None = None
        self.delivered: int = 0
        """Version of the label that the parent has."""

    def changed(self) -> None:
        """There is a new label to send."""
        self._changed.set()

    def start(self) -> None:
        """Begin sending; nothing is sent before ``changed`` is called."""
        self._task = asyncio.create_task(self._run(), name=f"labels of {self._name}")

    async def close(self) -> None:
        """Stop, whatever is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        await self._changed.wait()
        while True:
            self._changed.clear()
            await self._deliver()
            try:
                async with asyncio.timeout(self._push.check):
                    await self._changed.wait()
            except TimeoutError:
                continue  # nothing new; offered again all the same

    async def _deliver(self) -> None:
        pause = self._push.first_pause
        while not await self._attempt():
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._push.longest_pause)

    async def _attempt(self) -> bool:
        try:
            label = await self._label(self._push.budget)
            label = replace(label, version=max(label.version, self._least_version))
            encoded = await asyncio.to_thread(encode, label)
            receipt = await self._push.parent.push_label(self._name, encoded, self._push.token)
        except LabelOutdated as error:
            # The parent remembers a later one than this router does: its memory was lost, or restored from old.
            self._least_version = error.current + 1
            return False
        except RouterUnavailable as error:
            _log.info("the label of %s waits: %s", self._name, error)
            return False
        except HyPursuitError as error:
            _log.warning("the label of %s is not taken: %s", self._name, error)
            return False
        self.delivered = receipt.version
        return True
