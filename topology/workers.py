"""Routers in processes of their own: started, told apart by their address, stopped, started again if they die."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from hypursuit.errors import HyPursuitError, TreeFailed
from topology.cpu_pool import end_with_parent, fork_after_import
from topology.doors import bind

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

    from topology.network import Listen

    Serve = Callable[[socket.socket, asyncio.Event, Callable[[], None]], Coroutine[object, object, None]]
    """Serves on a bound socket until the event is set; calls back once it answers."""

_STOP_SECONDS = 10.0


class Worker:
    """A process that serves some routers at one address, until it is stopped."""

    def __init__(self, name: str, serve: Serve, listen: Listen) -> None:
        self.name, self.listen = name, listen
        self._serve = serve
        self._process: ForkServerProcess | None = None
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """Of the process, None before it is started."""
        return None if self._process is None else self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.is_alive()

    async def start(self, bound: socket.socket | None = None) -> None:
        """Start the process and wait until it answers; ``bound`` is its socket, if it is bound already.

        Raises:
            TreeFailed: it ended instead, with its reason.
        """
        context = fork_after_import()
        bound = bound or bind(self.listen)
        ready, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_main, args=(self._serve, bound, theirs), name=self.name)
        with ready:
            try:
                await _completed(self._process.start)
            finally:
                # Were the socket open here too, connections would still be accepted when the process is dead, and hang.
                bound.close()
                theirs.close()
            await _readable(ready.fileno())
            self._check(ready)

    async def stop(self) -> None:
        """Ask the process to end, and see to it that it does."""
        self._stopping = True
        if self._process is None or self._process.pid is None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await _readable(self._process.sentinel)
        except TimeoutError:
            self._process.kill()
            await _readable(self._process.sentinel)
        self._process.join()

    async def ended(self) -> bool:
        """Wait until the process has ended; whether nobody asked it to."""
        if self._process is not None:
            await _readable(self._process.sentinel)
        return not self._stopping

    def _check(self, ready: Connection) -> None:
        try:
            trouble = ready.recv()
        except EOFError:
            trouble = "its process ended"
        if trouble:
            raise TreeFailed(f"{self.name} does not start: {trouble}")


async def _completed(work: Callable[[], None]) -> None:
    """Do something in a thread and, unlike threads are, be cancelled only when it is done."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def _readable(descriptor: int) -> None:
    """Wait for something to read, or for the end of it. No thread: one that waits for ever cannot be cancelled."""
    loop, come = asyncio.get_running_loop(), asyncio.Event()
    # A descriptor can have one reader only, and several may wait for the same process.
    copy = os.dup(descriptor)
    loop.add_reader(copy, come.set)
    try:
        await come.wait()
    finally:
        loop.remove_reader(copy)
        os.close(copy)


def _main(serve: Serve, bound: socket.socket, ready: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; whoever started us decides
    end_with_parent(lambda: os.kill(os.getpid(), signal.SIGTERM))
    with suppress(BrokenPipeError):  # whoever started us is gone
        try:
            asyncio.run(_until_stopped(serve, bound, ready))
        except HyPursuitError as error:
            ready.send(str(error))


async def _until_stopped(serve: Serve, bound: socket.socket, ready: Connection) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await serve(bound, stop, lambda: ready.send(""))
