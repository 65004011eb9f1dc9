"""The HTTP face of routers: one URL table, thin handlers. Many routers share an application, each below its path."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
from aiohttp import web

from hypursuit.errors import MalformedRequest, NotAuthorised, Overloaded
from hypursuit.label.figure5 import figure5, to_json
from hypursuit.label.wire import encode
from hypursuit.query.answer import SearchRequest
from routers.connections import ACTIVITY, PATIENCE, Activity, guard
from routers.interior_router import LABEL_LIMIT
from routers.label_store import StoredLabel
from routers.openapi import description
from routers.problems import problems
from routers.wire import FIGURE_5, JSON, LABEL, MSGPACK, accepted, pack, unpack

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from multidict import MultiMapping

    from hypursuit.label.content import ContentLabel
    from routers.router import Router

_REQUEST_BYTES = 1 << 20
HOLD = 0.25
"""Seconds that people who are turned away are kept waiting for it."""

ROUTERS = web.AppKey("routers", dict[str, "Router"])


def make_app(routers: Mapping[str, Router], patience: float = PATIENCE) -> web.Application:
    """An application that serves routers, each at its path ("" or "/" for one at the root), and runs them.

    The routers are started and closed with the application. ``patience`` is how many seconds clients may take to send
    a request or to read an answer. Run it with :func:`routers.connections.serving`.
    """
    app = web.Application(middlewares=[guard, problems], client_max_size=LABEL_LIMIT + 1)
    app[ROUTERS] = dict(routers)
    app[ACTIVITY] = Activity(patience)
    app.cleanup_ctx.append(_running)
    for path, router in routers.items():
        app.router.add_routes(RouterApi(router).routes(path.rstrip("/")))
    return app


async def _running(app: web.Application) -> AsyncIterator[None]:
    routers = app[ROUTERS].values()
    for router in routers:
        await router.start()
    yield
    await asyncio.gather(*(router.close() for router in routers))


class RouterApi:
    """The handlers of one router."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def routes(self, path: str) -> list[web.RouteDef]:
        """The URL table, below a path."""
        return [
            web.get(f"{path}/search", self.search),
            web.post(f"{path}/search", self.carried_search),
            web.get(f"{path}/label", self.label),
            web.put(f"{path}/labels/{{child}}", self.accept_label),
            web.get(f"{path}/healthz", self.health),
            web.get(f"{path}/readyz", self.ready),
            web.get(f"{path}/openapi.json", self.openapi),
        ]

    async def search(self, request: web.Request) -> web.Response:
        """GET /search: the best pages below this router."""
        wanted = read_search(request.query)
        try:
            answer = await self._router.search(wanted)
        except Overloaded:
            # Clients that ask again at once would keep the router busy with turning them away.
            await asyncio.sleep(min(HOLD, wanted.deadline_ms / 4000))
            raise
        return _respond(request, answer)

    async def carried_search(self, request: web.Request) -> web.Response:
        """POST /search: the same for routers, with what the query carries."""
        body = await _body(request, _REQUEST_BYTES)
        return _respond(request, await self._router.search(unpack(body, SearchRequest, _media_type(request))))

    async def label(self, request: web.Request) -> web.Response:
        """GET /label: what lies below this router, in bytes, as the paper's Figure 5, or as JSON."""
        label = await self._router.label()
        form = accepted(request.headers.get("Accept", ""), (JSON, LABEL, FIGURE_5))
        stored = StoredLabel(label, await asyncio.to_thread(encode, label))
        if request.headers.get("If-None-Match") == stored.etag:
            return web.Response(status=304, headers={"ETag": stored.etag, "Vary": "Accept"})
        body = stored.encoded if form == LABEL else await asyncio.to_thread(_written, label, form)
        charset = "utf-8" if form == FIGURE_5 else None
        headers = {"ETag": stored.etag, "Vary": "Accept"}
        return web.Response(body=body, content_type=form, charset=charset, headers=headers)

    async def accept_label(self, request: web.Request) -> web.Response:
        """PUT /labels/{child}: a child's label, with its token."""
        child = request.match_info["child"]
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise NotAuthorised(child, "it came without a token")
        if _media_type(request) != LABEL:
            raise web.HTTPUnsupportedMediaType(text=f"labels are sent as {LABEL}")
        encoded = await _body(request, LABEL_LIMIT)
        replaces = request.headers.get("If-Match", "").strip()
        receipt = await self._router.accept_label(child, token.strip(), encoded, "" if replaces == "*" else replaces)
        response = _respond(request, receipt)
        response.headers["ETag"] = receipt.etag
        return response

    async def health(self, request: web.Request) -> web.Response:
        """GET /healthz: that the router is up, and what it knows."""
        return _respond(request, self._router.health())

    async def ready(self, request: web.Request) -> web.Response:
        """GET /readyz: 200 once the router can answer for all below it, 503 before."""
        health = self._router.health()
        return _respond(request, health, status=200 if health.ready else 503)

    async def openapi(self, request: web.Request) -> web.Response:
        """GET /openapi.json: this table, for machines."""
        return _respond(request, description())


def read_search(parameters: MultiMapping[str]) -> SearchRequest:
    """A search from the parameters of a URL; ``deadline`` is in milliseconds there."""
    given = {name: parameters.getone(name) for name in ("q", "limit", "offset", "explain") if name in parameters}
    if "deadline" in parameters:
        given["deadline_ms"] = parameters.getone("deadline")
    try:
        return msgspec.convert(given, SearchRequest, strict=False)
    except msgspec.ValidationError as error:
        raise MalformedRequest(str(error).replace("deadline_ms", "deadline")) from error


def _respond(request: web.Request, message: object, status: int = 200) -> web.Response:
    media_type = accepted(request.headers.get("Accept", ""), (JSON, MSGPACK))
    return web.Response(status=status, body=pack(message, media_type), content_type=media_type)


def _media_type(request: web.Request) -> str:
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise web.HTTPUnsupportedMediaType(text="bodies are sent uncompressed")
    return request.content_type


async def _body(request: web.Request, longest: int) -> bytes:
    """The body of a request, if it comes in time and is not too long."""
    if (request.content_length or 0) > longest:
        raise web.HTTPRequestEntityTooLarge(max_size=longest, actual_size=request.content_length or 0)
    body = bytearray()
    try:
        async with asyncio.timeout(request.app[ACTIVITY].patience):
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > longest:
                    raise web.HTTPRequestEntityTooLarge(max_size=longest, actual_size=len(body))
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="the body did not come in time") from None
    return bytes(body)


def _written(label: ContentLabel, form: str) -> bytes:
    return figure5(label).encode() if form == FIGURE_5 else pack(to_json(label))
