"""A small web of our own: pages declared in the test, served on loopback under a name of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from routers.crawl_settings import CrawlLimits, CrawlSettings, FetchLimits, Politeness
from routers.crawler import crawl_site
from routers.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from routers.crawl_report import CrawlReport

HOST = "site.test"


@dataclass
class Answer:
    """What the small web answers at one path."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SmallWeb:
    """Pages by path; each test declares its own. Every request is remembered in ``requests``, robots.txt included."""

    def __init__(self, directory: Path) -> None:
        self.answers: dict[str, Answer | Handler] = {}
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.store_path = directory / "site.sqlite"
        self.port = 0
        self.on_request: Callable[[web.Request], None] | None = None

    def page(self, path: str, *links: str, text: str = "", head: str = "", status: int = 200, **headers: str) -> None:
        """Declare an HTML page with links; header names are given with underscores."""
        anchors = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
        title = path.strip("/") or "root"
        said = text or f"This is the page at {path}, and no other page says {path} like this."
        body = f"<html><head><title>{title}</title>{head}</head><body><p>{said}</p>{anchors}</body></html>"
        spelled = {name.replace("_", "-"): value for name, value in headers.items()}
        self.put(path, body.encode(), status=status, **{"Content-Type": "text/html; charset=utf-8"} | spelled)

    def put(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> None:
        """Declare any answer."""
        content = body.encode() if isinstance(body, str) else body
        self.answers[path] = Answer(content, status, headers)

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        """Declare a redirect."""
        self.put(path, b"", status=status, Location=target)

    def handle(self, path: str, handler: Handler) -> None:
        """Declare an answer made by a function."""
        self.answers[path] = handler

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request as declared; anything else is not there."""
        self.requests.append(request.raw_path)
        self.headers.append(dict(request.headers))
        if self.on_request is not None:
            self.on_request(request)
        declared = self.answers.get(request.raw_path)
        if declared is None:
            return web.Response(status=404, text="no such page")
        if not isinstance(declared, Answer):
            return await declared(request)
        etag = declared.headers.get("ETag")
        if etag is not None and request.headers.get("If-None-Match") == etag:
            return web.Response(status=304)
        if "Last-Modified" in declared.headers and "If-Modified-Since" in request.headers:
            return web.Response(status=304)
        return web.Response(body=declared.body, status=declared.status, headers=declared.headers)

    def settings(self, **changes: object) -> CrawlSettings:
        """Settings that reach this web, without waits; limits on pages, depth, bytes and seconds by name."""
        limits = {name: changes.pop(name) for name in ("pages", "depth", "bytes", "seconds") if name in changes}
        return replace(
            CrawlSettings(
                limits=CrawlLimits(**limits),
                politeness=Politeness(backoff=0.01, longest_wait=0.2),
                fetch=FetchLimits(body_bytes=1_000_000, seconds=5.0, stall_seconds=0.5, connect_seconds=2.0),
                addresses=AddressPolicy((Resolve(HOST, 80, ip_address("127.0.0.1"), self.port),)),
            ),
            **changes,
        )

    async def crawl(self, root: str = "/", **changes: object) -> CrawlReport:
        """Crawl this web into its store."""
        return await crawl_site(Site.of(f"http://{HOST}{root}"), self.store_path, self.settings(**changes))

    def store(self) -> Store:
        """The store, opened for reading."""
        return Store.open(self.store_path)

    def stored(self) -> list[str]:
        """Paths of the stored pages in crawl order, aliases included."""
        with self.store() as store:
            return [record.url.removeprefix(f"http://{HOST}") for record in store.records(aliases=True)]

    def outcomes(self) -> dict[str, tuple[str, str]]:
        """The last outcome and detail of every path in the log."""
        with self.store() as store:
            return {
                entry.url.removeprefix(f"http://{HOST}"): (entry.outcome.value, entry.detail) for entry in store.log()
            }


@pytest.fixture
async def small_web(tmp_path: Path) -> AsyncIterator[SmallWeb]:
    """A web to be filled by the test; it has neither robots.txt nor sitemap unless declared."""
    small = SmallWeb(tmp_path)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", small.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    small.port = runner.addresses[0][1]
    yield small
    await runner.cleanup()


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class RawWeb:
    """A server that speaks bytes: for answers that no HTTP library would send. Given per path; others are 404."""

    port: int = 0
    talks: dict[str, Talk] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    root: str = '<html><body><p>The root of a hostile site.</p><a href="/trouble">trouble</a></body></html>'

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until one of the declared talks takes it over."""
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split()[1].decode()
                if path in self.talks:
                    await self.talks[path](reader, writer)
                    break
                status, body = ("200 OK", self.root) if path == "/" else ("404 Not Found", "nothing")
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(f"{head}{body}".encode())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the crawler hung up, as it should
        finally:
            writer.close()
            self.tasks.discard(task)


@pytest.fixture
async def raw_web() -> AsyncIterator[RawWeb]:
    """A server whose root page links to /trouble; the test says how that talks."""
    raw = RawWeb()
    server = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.port = server.sockets[0].getsockname()[1]
    yield raw
    server.close()
    for task in raw.tasks:
        task.cancel()
    await asyncio.gather(*raw.tasks, return_exceptions=True)
