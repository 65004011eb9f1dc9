from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from hypursuit.errors import CrawlFailed


def three_pages(small_web: Any) -> None:
    small_web.page("/", "/a", "/b", "/c", ETag='"root1"')
    small_web.page("/a", "/a/below", ETag='"a1"', Last_Modified="Mon, 05 Jan 2026 10:00:00 GMT")
    small_web.page("/a/below")
    small_web.page("/b", Last_Modified="Mon, 05 Jan 2026 10:00:00 GMT")
    small_web.page("/c")


def content(small_web: Any) -> dict[str, tuple[Any, ...]]:
    with small_web.store() as store:
        records = {record.url: (record.depth, record.fetched, record.etag) for record in store.records(aliases=True)}
        return {page.url: (page.text, page.links, *records[page.url]) for page in store.pages(aliases=True)}


async def test_a_second_crawl_asks_with_one_validator_and_leaves_unchanged_pages_alone(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()
    before, asked = content(small_web), len(small_web.requests)

    report = await small_web.crawl()

    headers = dict(zip(small_web.requests[asked:], small_web.headers[asked:], strict=True))
    assert headers["/a"]["If-None-Match"] == '"a1"'
    assert "If-Modified-Since" not in headers["/a"]
    assert headers["/b"]["If-Modified-Since"] == "Mon, 05 Jan 2026 10:00:00 GMT"
    assert "If-None-Match" not in headers["/c"]
    assert (report.crawl, report.outcomes["unchanged"], report.outcomes["stored"]) == (2, 3, 2)
    after = content(small_web)
    assert {url: after[url] for url in before if url.endswith(("/", "/a", "/b"))} == {
        url: before[url] for url in before if url.endswith(("/", "/a", "/b"))
    }
    assert small_web.stored() == ["/", "/a", "/b", "/c", "/a/below"]


async def test_changed_pages_are_updated_and_gone_ones_removed(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()
    small_web.page("/a", "/new", text="Other words now.", ETag='"a2"')
    small_web.page("/new")
    del small_web.answers["/b"]

    report = await small_web.crawl()

    # /a no longer links to /a/below, so that page is out of reach.
    assert small_web.stored() == ["/", "/a", "/c", "/new"]
    assert report.removed == 2
    assert small_web.outcomes()["/b"][0] == "gone"
    assert small_web.outcomes()["/a/below"][0] == "removed"
    with small_web.store() as store:
        assert store.page("http://site.test/a").text.startswith("Other words now.")


async def test_pages_that_rules_or_types_now_exclude_are_removed(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()
    small_web.put("/robots.txt", "User-agent: *\nDisallow: /a\n")
    small_web.page("/b", X_Robots_Tag="noindex")
    small_web.redirect("/c", "/d")
    small_web.page("/d")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/d"]


async def test_failures_that_may_pass_remove_nothing(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()
    before = content(small_web)
    small_web.page("/a", status=500)

    async def hang_up(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    small_web.handle("/b", hang_up)

    report = await small_web.crawl()

    assert report.finished
    assert (report.outcomes["failing"], report.outcomes["unreachable"]) == (1, 1)
    after = content(small_web)
    for url in ("http://site.test/a", "http://site.test/b"):
        assert after[url] == before[url]
    assert small_web.stored() == ["/", "/a", "/b", "/c", "/a/below"]


@pytest.mark.parametrize("status", [404, 500])
async def test_a_root_that_fails_at_a_second_crawl_loses_nothing(small_web: Any, status: int) -> None:
    three_pages(small_web)
    await small_web.crawl()
    before = small_web.stored()
    small_web.page("/", status=status)

    with pytest.raises(CrawlFailed):
        await small_web.crawl()

    assert small_web.stored() == before
    three_pages(small_web)
    report = await small_web.crawl()
    assert report.finished
    assert small_web.stored() == before


async def test_a_stopped_second_crawl_goes_on_without_asking_twice(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()
    small_web.requests.clear()

    stopped = await small_web.crawl(bytes=1)
    resumed = await small_web.crawl()

    assert stopped.stopped
    assert (resumed.resumed, resumed.finished, resumed.crawl) == (True, True, 2)
    pages = [path for path in small_web.requests if path not in {"/robots.txt", "/sitemap.xml"}]
    assert sorted(pages) == ["/", "/a", "/a/below", "/b", "/c"]


async def test_a_smaller_page_limit_drops_what_lies_beyond(small_web: Any) -> None:
    three_pages(small_web)
    await small_web.crawl()

    report = await small_web.crawl(pages=2)

    assert small_web.stored() == ["/", "/a"]
    assert report.removed == 3


async def test_the_log_reaches_back_to_the_crawl_before_and_no_further(small_web: Any) -> None:
    three_pages(small_web)
    lines = []
    for _ in range(4):
        await small_web.crawl()
        with small_web.store() as store:
            lines.append(len(list(store.log())))

    assert lines[1] == lines[2] == lines[3] == 2 * lines[0]
