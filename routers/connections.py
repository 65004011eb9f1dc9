"""Connections that give nothing and take forever are closed: slow senders, slow readers, silent ones.

aiohttp bounds none of these by itself: it waits for ever for the first request of a connection, for the rest of a
started one, and for a client to read its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator

    from aiohttp.web_protocol import RequestHandler

PATIENCE = 10.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Activity:
    """Which connections are being served, and since when the others are not.

    ``patience`` is how many seconds a connection may be silent, take to send a body, or to read an answer.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._served: set[RequestHandler] = set()
        self._silent: dict[RequestHandler, float] = {}

    def begin(self, connection: RequestHandler) -> None:
        """A request has come."""
        self._served.add(connection)
        self._silent.pop(connection, None)

    def end(self, connection: RequestHandler, now: float) -> None:
        """It has been answered."""
        self._served.discard(connection)
        self._silent[connection] = now

    def sweep(self, connections: list[RequestHandler], now: float) -> None:
        """Close those that have been silent for too long."""
        there = set(connections)
        self._silent = {known: since for known, since in self._silent.items() if known in there}
        for connection in there - self._served:
            if now - self._silent.setdefault(connection, now) > self.patience and connection.transport is not None:
                connection.transport.abort()


ACTIVITY = web.AppKey("activity", Activity)


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Write the answer here, where it can be given up, rather than after all handlers, where it cannot."""
    activity, clock = request.app[ACTIVITY], asyncio.get_running_loop().time
    activity.begin(request.protocol)
    try:
        response = await handler(request)
        if request.transport is not None:
            # Nothing stays behind in the process: what the peer does not read is noticed while it is waited for.
            request.transport.set_write_buffer_limits(high=0)
            await _written(request, response, activity.patience)
        return response
    finally:
        activity.end(request.protocol, clock())


async def _written(request: web.Request, response: web.StreamResponse, patience: float) -> None:
    try:
        async with asyncio.timeout(patience):
            await response.prepare(request)
            await response.write_eof()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("the client does not read its answer") from None


@dataclass(frozen=True, slots=True)
class Serving:
    """An application that answers at an address."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """Of its root."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@asynccontextmanager
async def serving(
    app: web.Application,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    bound: socket.socket | None = None,
) -> AsyncIterator[Serving]:
    """Serve an application made by ``make_app`` for as long as the block runs.

    Args:
        app: the application.
        host: address to listen at.
        port: 0 for any free one.
        bound: a socket to listen at instead.
    """
    # Cancelled when the client hangs up: a parent whose time is over takes its work back.
    runner = web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=True,
        auto_decompress=False,
        keepalive_timeout=app[ACTIVITY].patience,
        lingering_time=1.0,
        shutdown_timeout=1.0,
    )
    await runner.setup()
    sweeping: asyncio.Task[None] | None = None
    try:
        site = (
            web.TCPSite(runner, host, port, backlog=512) if bound is None else web.SockSite(runner, bound, backlog=512)
        )
        await site.start()
        sweeping = asyncio.create_task(_sweep(runner, app[ACTIVITY]), name="connections")
        address = runner.addresses[0]
        yield Serving(str(address[0]), int(address[1]))
    finally:
        if sweeping is not None:
            sweeping.cancel()
            await asyncio.gather(sweeping, return_exceptions=True)
        await runner.cleanup()


async def _sweep(runner: web.AppRunner, activity: Activity) -> None:
    clock = asyncio.get_running_loop().time
    while runner.server is not None:
        await asyncio.sleep(min(1.0, activity.patience / 4))
        activity.sweep(list(runner.server.connections), clock())
