"""Servers that mean harm. Each test is one attack: it must end, bounded, with its reason in the log."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
import tracemalloc
import zlib
from typing import Any

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from hypursuit.crawl.addresses import AddressPolicy, parse_network
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.scope import Site
from hypursuit.errors import AddressRefused
from routers.crawl_settings import CrawlSettings, FetchLimits, Politeness
from routers.crawler import crawl_site
from routers.store import Store


def bomb(size: int) -> bytes:
    """A gzip body that says ``size`` megabytes of nothing."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    megabyte = b" " * 1_000_000
    return b"".join(packer.compress(megabyte) for _ in range(size)) + packer.flush()


@pytest.mark.parametrize("path", ["/trouble", "/robots.txt", "/sitemap.xml"])
async def test_a_decompression_bomb_is_stopped_at_the_cap(small_web: Any, path: str) -> None:
    packed = bomb(300)
    assert len(packed) < 400_000
    small_web.page("/", "/trouble")
    small_web.put(path, packed, **{"Content-Type": "text/html", "Content-Encoding": "gzip"})
    tracemalloc.start()

    report = await small_web.crawl()

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.finished
    assert small_web.stored() == ["/"]
    assert peak < 60_000_000
    if path == "/trouble":
        assert small_web.outcomes()["/trouble"] == ("too large", "more than 1000000 bytes after decompression")


async def test_a_packed_sitemap_bomb_gives_no_urls(small_web: Any) -> None:
    small_web.page("/")
    small_web.put("/sitemap.xml", bomb(300), **{"Content-Type": "application/gzip"})

    assert (await small_web.crawl()).pages == 1


def packed(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


async def crawl_raw(raw_web: Any, store: Any, **fetch: Any) -> dict[str, tuple[str, str]]:
    """Crawl a raw web and return outcome and detail of each path."""
    limits = {"body_bytes": 500_000, "seconds": 1.0, "stall_seconds": 0.3, "connect_seconds": 1.0} | fetch
    settings = CrawlSettings(politeness=Politeness(retries=0), fetch=FetchLimits(**limits))
    await crawl_site(Site.of(f"http://127.0.0.1:{raw_web.port}/"), store, settings)
    with Store.open(store) as opened:
        return {entry.url.rpartition("/")[2]: (entry.outcome.value, entry.detail) for entry in opened.log()}


async def send_for_ever(writer: asyncio.StreamWriter, first: bytes, *again: bytes, pause: float = 0.0) -> None:
    writer.write(first)
    for piece in itertools.cycle(again):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.mark.parametrize(
    ("first", "again", "pause", "outcome"),
    [
        pytest.param(OK + b"\r\n", b"<p>and on " * 500, 0.0, "too large", id="endless body"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"4\r\nword\r\n" * 500, 0.0, "too large", id="chunks"),
        pytest.param(OK, b"X-More: again\r\n" * 100, 0.0, "malformed", id="endless headers"),
        pytest.param(OK + b"X-Long: ", b"a" * 5000, 0.0, "malformed", id="endless header line"),
        pytest.param(b"HTTP/1.1 ", b"200 " * 5000, 0.0, "malformed", id="endless status line"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001, "unreachable", id="endless interim answers"),
        pytest.param(OK + b"\r\n", b"x", 0.02, "unreachable", id="a byte now and then"),
        pytest.param(b"", b"rubbish\r\n", 0.01, "malformed", id="not HTTP"),
    ],
)
async def test_an_answer_without_end_is_cut_off(
    raw_web: Any, tmp_path: Any, first: bytes, again: bytes, pause: float, outcome: str
) -> None:
    async def trouble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await send_for_ever(writer, first, again, pause=pause)

    raw_web.talks["/trouble"] = trouble

    assert (await crawl_raw(raw_web, tmp_path / "raw.sqlite"))["trouble"][0] == outcome


@pytest.mark.parametrize("sent", [b"", OK + b"\r\n<p>and then"], ids=["before the answer", "within the body"])
async def test_a_stall_is_cut_off(raw_web: Any, tmp_path: Any, sent: bytes) -> None:
    async def stall(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        await asyncio.sleep(60)

    raw_web.talks["/trouble"] = stall

    outcome, detail = (await crawl_raw(raw_web, tmp_path / "raw.sqlite", seconds=20.0))["trouble"]

    assert outcome == "unreachable"
    assert "in time" in detail


@pytest.mark.parametrize(
    ("headers", "body", "outcome"),
    [
        pytest.param(b"Content-Length: 900\r\n", b"<p>far fewer", "unreachable", id="cut short"),
        pytest.param(b"Content-Encoding: gzip\r\n", b"<p>not packed at all", "malformed", id="not packed"),
        pytest.param(b"Content-Encoding: gzip\r\n", packed(b"<p>page" * 99)[:-20], "malformed", id="packed and cut"),
        pytest.param(b"Content-Encoding: br\r\n", b"\x0b\x02\x80<p>\x03", "malformed", id="not asked for"),
        pytest.param(b"Content-Length: -5\r\n", b"<p>", "malformed", id="negative"),
        pytest.param(b"Content-Encoding: deflate\r\n", zlib.compress(b"<p>wrapped</p>"), "stored", id="wrapped"),
        pytest.param(b"Content-Encoding: deflate\r\n", zlib.compress(b"<p>bare</p>", wbits=-15), "stored", id="bare"),
        pytest.param(
            b"Content-Encoding: gzip\r\n", packed(b"<p>in two ") + packed(b"members</p>"), "stored", id="two members"
        ),
    ],
)
async def test_bodies_are_what_their_headers_say_or_nothing(
    raw_web: Any, tmp_path: Any, headers: bytes, body: bytes, outcome: str
) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + headers + b"Connection: close\r\n\r\n" + body)
        await writer.drain()

    raw_web.talks["/trouble"] = answer

    assert (await crawl_raw(raw_web, tmp_path / "raw.sqlite"))["trouble"][0] == outcome


async def test_a_compressed_stream_that_gives_nothing_is_cut_off(raw_web: Any, tmp_path: Any) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    nothing = (packer.flush(zlib.Z_FULL_FLUSH) or b"\x00\x00\x00\xff\xff") * 1000

    async def trouble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await send_for_ever(writer, OK + b"Content-Encoding: gzip\r\n\r\n" + start, nothing)

    raw_web.talks["/trouble"] = trouble

    assert (await crawl_raw(raw_web, tmp_path / "raw.sqlite"))["trouble"] == ("too large", "more than 500000 bytes")


class ChangingNames(AbstractResolver):
    """Name servers that say something else at every question."""

    def __init__(self, *answers: str) -> None:
        self._answers = itertools.chain(answers, itertools.repeat(answers[-1]))
        self.asked = 0

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002  part of the protocol
    ) -> list[ResolveResult]:
        """Give the next answer."""
        self.asked += 1
        address = next(self._answers)
        kind = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)]

    async def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::1", ".".join("0000")],
)
async def test_a_name_that_points_inside_is_refused(small_web: Any, address: str) -> None:
    small_web.page("/")
    site = Site.of(f"http://attack.test:{small_web.port}/")

    with pytest.raises(AddressRefused, match="--allow-address"):
        await crawl_site(site, small_web.store_path, CrawlSettings(), resolver=ChangingNames(address))

    assert small_web.requests == []


async def test_a_name_that_changes_between_two_requests_is_checked_at_each_connection(small_web: Any) -> None:
    """The first answer is listed, the next ones are this machine's other face, where a secret lies."""
    site = Site.of(f"http://attack.test:{small_web.port}/")
    names = ChangingNames("127.0.0.1", "127.0.0.1", "127.0.0.2")

    async def hang_up_after(request: web.Request) -> web.Response:
        body = '<p>The root page, once.</p><a href="/secret">see</a>'
        return web.Response(text=body, content_type="text/html", headers={"Connection": "close"})

    small_web.handle("/", hang_up_after)
    small_web.put("/robots.txt", "", Connection="close")
    small_web.page("/secret")
    settings = CrawlSettings(addresses=AddressPolicy(networks=(parse_network("127.0.0.1/32"),)))

    await crawl_site(site, small_web.store_path, settings, resolver=names)

    with Store.open(small_web.store_path) as store:
        outcomes = {entry.url.rpartition("/")[2]: entry.outcome.value for entry in store.log()}
    assert outcomes["secret"] == Outcome.ADDRESS
    assert "/secret" not in small_web.requests
    assert names.asked >= 3


async def test_a_host_bound_to_an_address_is_never_looked_up(small_web: Any) -> None:
    small_web.page("/", "https://site.test/other")
    names = ChangingNames("93.184.215.14")

    await crawl_site(Site.of("http://site.test/"), small_web.store_path, small_web.settings(), resolver=names)

    assert names.asked == 0
    assert small_web.outcomes()["https://site.test/other"][0] == "address refused"


async def test_a_literal_root_opens_its_own_port_only(small_web: Any) -> None:
    small_web.page("/", f"http://127.0.0.1:{small_web.port + 1}/", "http://127.0.0.2/")

    report = await crawl_site(Site.of(f"http://127.0.0.1:{small_web.port}/"), small_web.store_path, CrawlSettings())

    assert report.pages == 1
    assert set(report.outcomes) == {"stored"}


async def test_odd_schemes_and_endless_urls_are_not_followed(small_web: Any) -> None:
    links = ("file:///etc/passwd", "javascript:alert(1)", "ftp://site.test/", "data:text/html,x", "/" + "a" * 5000)
    small_web.page("/", *links, "//site.test:99999/", "http://user:word@site.test/")

    report = await small_web.crawl()

    assert small_web.stored() == ["/"]
    assert set(report.outcomes) <= {"stored", "trap"}
    assert set(small_web.requests) == {"/robots.txt", "/", "/sitemap.xml"}


async def test_paths_that_grow_for_ever_end(small_web: Any) -> None:
    class Growing(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return super().get(path, default) if path in {"/robots.txt", "/sitemap.xml"} else grow

    async def grow(request: web.Request) -> web.Response:
        return web.Response(text=f'<p>{request.path}</p><a href="deeper/x">on</a>', content_type="text/html")

    small_web.answers = Growing()

    report = await small_web.crawl()

    assert report.finished
    assert report.pages < 10
    assert report.outcomes["trap"] == 1


async def test_random_session_values_end(small_web: Any) -> None:
    numbers = itertools.count()

    class Sessions(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return super().get(path, default) if path in {"/robots.txt", "/sitemap.xml"} else session

    async def session(request: web.Request) -> web.Response:
        value = f"{next(numbers):016x}a1"
        return web.Response(text=f'<p>{request.path}</p><a href="/?visitor={value}">on</a>', content_type="text/html")

    small_web.answers = Sessions()

    report = await small_web.crawl()

    assert report.finished
    assert report.pages <= 32


async def test_a_mountain_of_nested_tags_is_a_page_like_any_other(small_web: Any) -> None:
    small_web.page("/", "/deep", "/after")
    small_web.put("/deep", "<div>" * 150_000 + "down here", **{"Content-Type": "text/html"})
    small_web.page("/after")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/deep", "/after"]
