from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime
from typing import Any

import pytest
from aiohttp import web

from routers.crawl_settings import Politeness
from routers.politeness import Pacer, retry_after

NOON = datetime(2026, 1, 5, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("Mon, 05 Jan 2026 12:00:30 GMT", 30.0),
        ("Mon, 05 Jan 2026 11:00:00 GMT", 0.0),
        ("Monday, 05-Jan-26 12:01:00 GMT", 60.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        (None, None),
        ("9" * 400, 999_999_999.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOON) == seconds


async def test_requests_start_a_delay_apart() -> None:
    loop = asyncio.get_running_loop()
    pacer, starts = Pacer(0.02), []

    async def request() -> None:
        await pacer.turn()
        starts.append(loop.time())

    await asyncio.gather(*(request() for _ in range(6)))

    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert min(gaps) >= 0.01  # half of it, for a machine that pauses between the start and the note of it


async def test_a_hold_keeps_back_requests_that_already_wait() -> None:
    loop = asyncio.get_running_loop()
    pacer = Pacer(0.01)
    await pacer.turn()
    waiting = asyncio.create_task(pacer.turn())
    await asyncio.sleep(0)
    began = loop.time()
    pacer.hold(0.1)

    await waiting

    assert loop.time() - began >= 0.099


async def test_never_more_requests_under_way_than_allowed(small_web: Any) -> None:
    under_way, most = 0, 0

    async def slow(request: web.Request) -> web.Response:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return web.Response(text=f"<p>{request.path} is slow</p>", content_type="text/html")

    small_web.page("/", *(f"/{number}" for number in range(20)))
    for number in range(20):
        small_web.handle(f"/{number}", slow)

    await small_web.crawl(politeness=Politeness(concurrency=3))

    assert most == 3


async def test_crawl_delay_of_robots_is_kept(small_web: Any) -> None:
    small_web.put("/robots.txt", "User-agent: hypursuit\nCrawl-delay: 0.06\n")
    small_web.page("/", "/1", "/2", "/3")
    for number in (1, 2, 3):
        small_web.page(f"/{number}")

    await small_web.crawl()

    with small_web.store() as store:
        starts = sorted(entry.at for entry in store.log() if entry.outcome == "stored")
    assert len(starts) == 4
    assert min(later - earlier for earlier, later in itertools.pairwise(starts)) >= 0.03


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_site_is_left_alone_for_as_long_as_it_asks(small_web: Any, status: int) -> None:
    loop = asyncio.get_running_loop()
    starts: list[float] = []

    async def busy_once(request: web.Request) -> web.Response:
        starts.append(loop.time())
        if len(starts) == 1:
            return web.Response(status=status, headers={"Retry-After": "1"})
        return web.Response(text=f"<p>{request.path} at last</p>", content_type="text/html")

    small_web.page("/", "/1", "/2", "/3")
    for number in (1, 2, 3):
        small_web.handle(f"/{number}", busy_once)

    # The site asks for a second; 0.2 is as long as these settings wait.
    report = await small_web.crawl(politeness=Politeness(concurrency=1, longest_wait=0.2))

    assert report.pages == 4
    assert report.outcomes["stored"] == 4
    assert starts[1] - starts[0] >= 0.19


async def test_failures_are_retried_a_bounded_number_of_times(small_web: Any) -> None:
    tries: dict[str, int] = {}

    async def flaky(request: web.Request) -> web.Response:
        tries[request.path] = tries.get(request.path, 0) + 1
        if request.path == "/never" or tries[request.path] < 3:
            return web.Response(status=502)
        return web.Response(text="<p>third time lucky</p>", content_type="text/html")

    small_web.page("/", "/flaky", "/never")
    small_web.handle("/flaky", flaky)
    small_web.handle("/never", flaky)

    await small_web.crawl(politeness=Politeness(retries=2, backoff=0.01, concurrency=1))

    assert small_web.stored() == ["/", "/flaky"]
    assert tries == {"/flaky": 3, "/never": 3}
    assert small_web.outcomes()["/never"] == ("failing", "status 502")
    with small_web.store() as store:
        assert sum(entry.outcome == "retried" for entry in store.log()) == 4
