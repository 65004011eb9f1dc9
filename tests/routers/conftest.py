"""A small web of our own: pages declared in the test, served on loopback under a name of their own."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.frontier import Entry
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.scope import Site
from hypursuit.label.budget import LabelBudget
from hypursuit.query.answer import SearchRequest
from hypursuit.query.index import PageIndex
from routers.child import Child, ChildSpec
from routers.client import RouterClient, make_session
from routers.connections import serving
from routers.crawl_settings import CrawlLimits, CrawlSettings, FetchLimits, Politeness
from routers.crawler import crawl_site
from routers.http_api import make_app
from routers.interior_router import InteriorRouter
from routers.label_push import LabelPush
from routers.leaf_files import prepare_leaf
from routers.leaf_router import LeafRouter
from routers.router_settings import RouterSettings
from routers.store import Store
from routers.store_writer import Attempt, Content, StoreWriter, Visit

if TYPE_CHECKING:
    from pathlib import Path

    import aiohttp

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import Answer as SearchAnswer
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


# --- trees of routers ---


def page(url: str, title: str, text: str, *links: str) -> Page:
    """A page as the parser would give it."""
    anchors = tuple(Link(target, "link", 0, 0) for target in links)
    return Page(url=url, title=title, text=text, links=anchors)


def made_store(path: Path, pages: list[Page], aliases: dict[str, str] | None = None) -> Path:
    """A store as a crawl of these pages would leave it; the first is the root page."""
    site = Site.of(pages[0].url)
    with StoreWriter(path, site) as writer:
        writer.begin(site.root)
        for place, stored in enumerate(pages):
            content = Content(stored, len(stored.text), str(place).encode(), b"")
            writer.commit(Visit(Entry(place, 0, stored.url), Outcome.STORED, Attempt(1.0e9, 200), content=content))
        writer.finish(1.0e9, aliases or {})
    return path


def made_site(host: str, n_pages: int = 12, vocabulary: int = 60) -> list[Page]:
    """Pages of chance words, some of them common; the same for the same host."""
    chance = random.Random(host)
    words = [f"{chance.choice('bcdfgklmnprst')}{vowel}{end}" for vowel in "aeiou" for end in ("lk", "nd", "rt", "mp")]
    words = sorted({*words, *(f"word{number}" for number in range(vocabulary))})
    weights = [1 / (1 + chance.randrange(len(words))) for _ in words]
    urls = [f"http://{host}/", *(f"http://{host}/p{number}" for number in range(1, n_pages))]
    return [
        page(
            url,
            " ".join(chance.choices(words, weights, k=3)),
            " ".join(chance.choices(words, weights, k=chance.randrange(20, 120))),
            *(other for other in chance.sample(urls, 3) if other != url),
        )
        for url in urls
    ]


def _bound(address: tuple[str, int]) -> socket.socket:
    """A socket that holds an address and refuses connections, until somebody listens."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(address)
    return bound


@dataclass
class Planted:
    """A router of a tree in this process, with a server of its own: only HTTP between them."""

    name: str
    bound: socket.socket
    """Of its address; nobody listens there before it starts."""
    children: list[Planted] = field(default_factory=list)
    parents: list[Planted] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    store: Path | None = None
    router: LeafRouter | InteriorRouter | None = None
    stack: AsyncExitStack | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        name: tuple[str, int] = self.bound.getsockname()[:2]
        return name

    @property
    def url(self) -> str:
        """Of the router."""
        return "http://{}:{}".format(*self.address)


class Grove:
    """A tree of routers to be planted by a test, and torn at."""

    def __init__(self, directory: Path, session: aiohttp.ClientSession) -> None:
        self._directory, self._session = directory, session
        self.routers: dict[str, Planted] = {}
        self.settings = RouterSettings(quiet=0.02)
        self.leaf_budget = LabelBudget.leaf()
        self.interior_budget = LabelBudget.interior()

    def leaf(self, name: str, pages: list[Page] | None = None, aliases: dict[str, str] | None = None) -> Planted:
        """A leaf with pages; they become known to nobody before ``grow``."""
        planted = self._planted(name)
        planted.pages = pages or made_site(name)
        planted.store = made_store(self._directory / f"{name}.sqlite", planted.pages, aliases)
        return planted

    def interior(self, name: str, *children: Planted) -> Planted:
        """A router above others."""
        planted = self._planted(name)
        planted.children = list(children)
        for child in children:
            child.parents.append(planted)
        return planted

    def _planted(self, name: str) -> Planted:
        self.routers[name] = planted = Planted(name, _bound(("127.0.0.1", 0)))
        return planted

    async def grow(self) -> None:
        """Start all routers and wait until each knows what is below it."""
        for planted in self.routers.values():
            await self.start(planted.name)
        for planted in self.routers.values():
            await self.until_ready(planted.name)

    async def start(self, name: str) -> None:
        """Start one router where it was."""
        planted = self.routers[name]
        planted.router = self._leaf(planted) if planted.store else self._interior(planted)
        planted.stack = AsyncExitStack()
        await planted.stack.enter_async_context(serving(make_app({"/": planted.router}), bound=planted.bound.dup()))

    def _leaf(self, planted: Planted) -> LeafRouter:
        assert planted.store is not None
        contents = prepare_leaf(planted.name, planted.url, planted.store, self.leaf_budget)
        return LeafRouter(contents, pushes=self._pushes(planted), settings=self.settings)

    def _interior(self, planted: Planted) -> InteriorRouter:
        children = [
            Child(
                ChildSpec(below.name, below.url, f"token of {below.name}"),
                RouterClient(below.url, self._session, below.name),
                self.settings.breaker,
            )
            for below in planted.children
        ]
        return InteriorRouter(
            planted.name,
            planted.url,
            children,
            self._directory / planted.name,
            budget=self.interior_budget,
            pushes=self._pushes(planted),
            settings=self.settings,
        )

    def _pushes(self, planted: Planted) -> list[LabelPush]:
        return [
            LabelPush(RouterClient(parent.url, self._session), f"token of {planted.name}", first_pause=0.02)
            for parent in planted.parents
        ]

    async def stop(self, name: str) -> None:
        """Stop a router; its address refuses connections from then on."""
        planted = self.routers[name]
        address = planted.address
        planted.bound.close()
        if planted.stack is not None:
            await planted.stack.aclose()
            planted.stack = None
        planted.bound = _bound(address)

    async def until_ready(self, name: str) -> None:
        """Wait until a router has the labels of all its children, and all of those theirs."""
        while not (await self.client(name).health()).ready:  # noqa: ASYNC110  others decide when
            await asyncio.sleep(0.01)
        planted = self.routers[name]
        for child in planted.children:
            await self.until_ready(child.name)
            leaves = (await self.client(child.name).health()).leaves
            while self.label_of(planted, child.name).leaves != leaves:  # noqa: ASYNC110  others decide when
                await asyncio.sleep(0.01)

    def label_of(self, planted: Planted, child: str) -> ContentLabel:
        """The label that a router has of a child."""
        assert isinstance(planted.router, InteriorRouter)
        [label] = [known.label for known in planted.router.children if known.name == child]
        assert label is not None
        return label

    def client(self, name: str) -> RouterClient:
        """A client of one of the routers."""
        return RouterClient(self.routers[name].url, self._session, name)

    async def search(self, name: str, q: str, **wishes: Any) -> SearchAnswer:
        """One search."""
        return await self.client(name).search(SearchRequest(q=q, **wishes))

    def central(self, *names: str) -> PageIndex:
        """One index over all pages of some leaves, or of all."""
        leaves = [self.routers[name] for name in names] or [p for p in self.routers.values() if p.store]
        return PageIndex.build(page for leaf in leaves for page in leaf.pages)

    async def close(self) -> None:
        """Stop everything."""
        for planted in self.routers.values():
            if planted.stack is not None:
                await planted.stack.aclose()
            planted.bound.close()


@pytest.fixture
async def grove(tmp_path: Path) -> AsyncIterator[Grove]:
    """Routers to be planted; whatever the test leaves running is stopped, and nothing may outlive that."""
    before = asyncio.all_tasks()
    async with make_session() as session:
        made = Grove(tmp_path, session)
        yield made
        await made.close()
    await asyncio.sleep(0)
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left, f"tasks left behind: {left}"
