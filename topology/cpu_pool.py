"""CPU work for an event loop: a few processes that have everything imported, and that can be stopped at once."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Self, TypeVar, TypeVarTuple, Unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerContext

Args = TypeVarTuple("Args")
T = TypeVar("T")

_PRELOADED = "topology.serving"


def fork_after_import() -> ForkServerContext:
    """Processes forked from one that has imported the routers and nothing else: no threads, no loop, no sockets.

    Forked so, a router takes milliseconds and shares the memory of what it imported; spawned, a second each.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_PRELOADED])
    return context


class CpuPool:
    """Runs functions in other processes while the ``async with`` block runs; on leaving it, they are killed.

    So nothing is to be run here that must not be cut short: files are to be written aside and renamed.
    """

    def __init__(self, processes: int | None = None) -> None:
        self._crew = _Crew(processes or os.cpu_count() or 1)
        # Only one at a time is tried again, so that it is known which work kills the process that does it.
        self._alone = asyncio.Lock()
        self._left = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._left = True
        await asyncio.to_thread(self._crew.end)

    async def run(self, work: Callable[[Unpack[Args]], T], *args: *Args) -> T:
        """The result of a function of a module, called in another process.

        Raises:
            BrokenProcessPool: the process died of it, twice, or was killed because the block was left.
        """
        try:
            return await self._crew.run(work, *args)
        except BrokenProcessPool:
            if self._left:
                raise
            # Somebody's work killed a process, and with it went everybody's.
            async with self._alone:
                single = _Crew(1)
                try:
                    return await single.run(work, *args)
                finally:
                    await asyncio.to_thread(single.end)


class _Crew:
    """Processes that start with the first work and end, whatever they are at, when a pipe to them is closed."""

    def __init__(self, size: int) -> None:
        context = fork_after_import()
        self._theirs, self._life_line = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(size, context, _begin, (self._theirs,))

    async def run(self, work: Callable[[Unpack[Args]], T], *args: *Args) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    def end(self) -> None:
        self._life_line.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._theirs.close()


def _begin(life_line: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; whoever started us decides

    def wait() -> None:
        # Readable only at its end: nothing is ever sent. Also if the other side was killed.
        life_line.poll(None)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def end_with_parent(end: Callable[[], None]) -> None:
    """Call ``end`` when the process that started this one is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def wait() -> None:
            parent.join()
            end()

        threading.Thread(target=wait, daemon=True).start()
