"""An interior router's own label: made again when those below have changed and are quiet, and pushed if it differs."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hypursuit.errors import HyPursuitError, RouterUnavailable
from hypursuit.label.wire import encode
from routers.label_push import Pusher
from routers.label_store import LabelStore, StoredLabel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from routers.label_push import LabelPush
    from routers.router_settings import RouterSettings

_log = logging.getLogger(__name__)

OWN = " own"
"""Name that the own label is kept under; no child can be called so."""
_MADE_OF = " own, made of"
_LIMIT = 16 << 20


class Merges(Protocol):
    """A router that can make a label of its children's."""

    name: str

    def ingredients(self) -> bytes:
        """Stands for all that the label would be made of now."""
        ...

    def merged(self, budget: LabelBudget, version: int) -> ContentLabel:
        """The label of everything below, as of now."""
        ...


class OwnLabel:
    """Keeps a router's own label, its version, and its parents up to date."""

    def __init__(
        self, router: Merges, folder: Path, budget: LabelBudget, pushes: Sequence[LabelPush], settings: RouterSettings
    ) -> None:
        self._router, self._budget, self._settings = router, budget, settings
        self.store = LabelStore(folder, _LIMIT)
        self._stored = self.store.load(OWN)
        self._made_of = None if self._stored is None else self.store.noted(_MADE_OF)
        self._stale = asyncio.Event()
        self._pushers = [Pusher(router.name, push, self._for_parent) for push in pushes]
        self._task: asyncio.Task[None] | None = None
        self._making = asyncio.Lock()

    @property
    def version(self) -> int:
        """Of the last label made; 0 before the first."""
        return 0 if self._stored is None else self._stored.label.version

    def changed(self) -> None:
        """A child has sent something new."""
        self._stale.set()

    def start(self) -> None:
        """Begin to watch for changes; a label kept from before is offered to the parents at once."""
        self._task = asyncio.create_task(self._run(), name=f"own label of {self._router.name}")
        for pusher in self._pushers:
            pusher.start()
            if self._stored is not None:
                pusher.changed()
        self._stale.set()

    async def close(self) -> None:
        """Stop everything."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(*(pusher.close() for pusher in self._pushers))

    async def current(self) -> ContentLabel:
        """The last label; made now if there is none yet."""
        if self._stored is None:
            await self._renew()
        assert self._stored is not None  # noqa: S101  just made
        return self._stored.label

    async def _for_parent(self, budget: LabelBudget | None) -> ContentLabel:
        if budget is None or budget == self._budget:
            return await self.current()
        return await asyncio.to_thread(self._router.merged, budget, self.version)

    async def _run(self) -> None:
        while True:
            await self._stale.wait()
            await self._quiet()
            try:
                news = await self._renew()
            except RouterUnavailable:
                continue  # no child has sent one yet
            except HyPursuitError as error:
                _log.warning("the label of %s could not be made: %s", self._router.name, error)
                await asyncio.sleep(self._settings.longest_quiet)
                self._stale.set()
                continue
            for pusher in self._pushers if news else ():
                pusher.changed()

    async def _quiet(self) -> None:
        """Wait until nothing has come for a moment, but not for ever."""
        clock = asyncio.get_running_loop().time
        latest = clock() + self._settings.longest_quiet
        while self._stale.is_set() and clock() < latest:
            self._stale.clear()
            await asyncio.sleep(self._settings.quiet)

    async def _renew(self) -> bool:
        """Make the label again if it would be made of something else; whether it says anything new."""
        async with self._making:
            ingredients = await asyncio.to_thread(self._router.ingredients)
            if ingredients == self._made_of:
                return False
            label = await asyncio.to_thread(self._router.merged, self._budget, self.version)
            encoded = await asyncio.to_thread(encode, label)
            news = self._stored is None or self._stored.encoded != encoded
            if news:
                # Later than any before, also if the folder was lost: parents refuse what seems to be older.
                label = replace(label, version=max(self.version + 1, int(time.time())))
                self._stored = StoredLabel(label, await asyncio.to_thread(encode, label))
                await asyncio.to_thread(self.store.keep, OWN, self._stored)
            self._made_of = ingredients
            await asyncio.to_thread(self.store.note, _MADE_OF, ingredients)
            return news
