"""How routers, the command line and tests talk to a router: typed, bounded in time and size."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from hypursuit.errors import HyPursuitError, LabelOutdated, LabelRefused, MalformedRequest, RouterUnavailable
from hypursuit.label.wire import decode
from hypursuit.query.answer import ANSWER_BYTES, Answer, Health, LabelReceipt, Problem
from routers.wire import JSON, LABEL, MSGPACK, PROBLEM, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import SearchRequest

LABEL_BYTES = 4 << 20
"""What is read of a label, whatever the budget."""
GRACE = 0.25
"""Seconds that a client waits beyond the deadline it set, for an answer that is on its way."""

T = TypeVar("T")


def make_session() -> aiohttp.ClientSession:
    """A session for any number of clients of one process; close it when they are done.

    Connections are kept for less time than servers keep them, so none is used in the moment in which it closes.
    Nothing is decompressed: routers send plain bytes, and a bomb stays small.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=5.0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        headers={"Accept-Encoding": "identity", "User-Agent": "hypursuit"},
    )


class Reply(msgspec.Struct, frozen=True):
    """What came back: enough of it to decide."""

    status: int
    media_type: str
    etag: str
    body: bytes


class RouterClient:
    """One router, by its URL. All methods raise RouterUnavailable where it gives nothing usable."""

    def __init__(self, url: str, session: aiohttp.ClientSession, name: str = "") -> None:
        self.url = url.rstrip("/")
        self.name = name or self.url
        self._session = session

    async def search(self, request: SearchRequest, seconds: float | None = None) -> Answer:
        """The best pages below the router; waits no longer than the request's deadline, or than ``seconds``.

        Raises:
            MalformedRequest: the router says that the request makes no sense.
        """
        patience = request.deadline_ms / 1000 + GRACE if seconds is None else seconds
        headers = {"Content-Type": MSGPACK, "Accept": MSGPACK}
        # A connection may die with the router at its other end, and the next one be fine: once more, then.
        reply = await self._send("POST", "/search", patience, body=pack(request, MSGPACK), headers=headers, attempts=2)
        return self._read(reply, Answer, MSGPACK)

    async def health(self, seconds: float = 2.0) -> Health:
        """Whether the router is up; it need not be ready."""
        return self._read(await self._send("GET", "/healthz", seconds), Health, JSON)

    async def label(self, seconds: float = 10.0, longest: int = LABEL_BYTES) -> ContentLabel:
        """The router's content label."""
        reply = await self._send("GET", "/label", seconds, headers={"Accept": LABEL}, longest=longest)
        self._expect(reply, LABEL)
        return decode(reply.body, longest)

    async def push_label(
        self, child: str, encoded: bytes, token: str, *, replaces: str = "", seconds: float = 10.0
    ) -> LabelReceipt:
        """Hand a label to this router as one of its children.

        Args:
            child: the name this router knows the child by.
            encoded: the label in its wire form.
            token: the child's, as this router knows it.
            replaces: ETag of the label that the child believes this router has; "" for whatever it has.
            seconds: how long to wait.

        Raises:
            LabelRefused: and, as LabelOutdated, with the version that this router has.
        """
        headers = {"Content-Type": LABEL, "Authorization": f"Bearer {token}"}
        if replaces:
            headers["If-Match"] = replaces
        reply = await self._send("PUT", f"/labels/{quote(child, safe='')}", seconds, body=encoded, headers=headers)
        if 400 <= reply.status < 500:
            raise _refusal(child, self._problem(reply))
        return self._read(reply, LabelReceipt, JSON)

    async def _send(
        self,
        method: str,
        path: str,
        seconds: float,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] = {},
        longest: int = ANSWER_BYTES,
        attempts: int = 1,
    ) -> Reply:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    attempts -= 1
                    try:
                        return await self._exchange(method, path, body, headers, longest)
                    except (aiohttp.ServerDisconnectedError, ConnectionResetError):
                        if attempts <= 0:
                            raise
        except TimeoutError:
            raise RouterUnavailable(self.name, f"did not answer within {seconds:.3g} s", late=True) from None
        except aiohttp.ClientConnectorError as error:
            raise RouterUnavailable(self.name, f"cannot be reached: {error.strerror or error}") from error
        except (aiohttp.ClientError, ConnectionError, ValueError) as error:
            raise RouterUnavailable(self.name, f"broke off: {str(error) or type(error).__name__}") from error

    async def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], longest: int
    ) -> Reply:
        url = URL(self.url + path, encoded=True)
        content = None if body is None else BytesIO(body)  # aiohttp warns of large bytes
        async with self._session.request(method, url, data=content, headers=headers, allow_redirects=False) as response:
            received = bytearray()
            async for chunk in response.content.iter_any():
                received += chunk
                if len(received) > longest:
                    response.close()
                    raise RouterUnavailable(self.name, f"answered with more than {longest} bytes")
            etag = response.headers.get("ETag", "")
            return Reply(response.status, response.content_type, etag, bytes(received))

    def _read(self, reply: Reply, kind: type[T], media_type: str) -> T:
        self._expect(reply, media_type)
        try:
            return unpack(reply.body, kind, media_type)
        except MalformedRequest as error:
            raise RouterUnavailable(self.name, f"answered with rubbish: {error}") from error

    def _expect(self, reply: Reply, media_type: str) -> None:
        if reply.status not in (200, 201):
            problem = self._problem(reply)
            if reply.status == 400:
                raise MalformedRequest(problem.detail or problem.title)
            said = f"answered {reply.status}: {problem.detail or problem.title}"
            raise RouterUnavailable(self.name, said[:300], busy=reply.status == 503)
        if reply.media_type != media_type:
            raise RouterUnavailable(self.name, f"answered with {reply.media_type}, not with {media_type}")

    def _problem(self, reply: Reply) -> Problem:
        if reply.media_type == PROBLEM:
            try:
                return unpack(reply.body, Problem)
            except MalformedRequest:
                return Problem(title="an error that cannot be read", status=reply.status)
        return Problem(title="an error without explanation", status=reply.status)


def _refusal(child: str, problem: Problem) -> HyPursuitError:
    if problem.status == 409 and problem.version is not None:
        return LabelOutdated(child, 0, problem.version)
    return LabelRefused(child, f"{problem.status} {problem.detail or problem.title}")
