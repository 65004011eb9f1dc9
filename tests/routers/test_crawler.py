from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from hypursuit.crawl.scope import Site
from hypursuit.crawl.traps import TrapLimits
from hypursuit.errors import CrawlFailed, StoreUnusable
from routers.crawl_settings import FetchLimits, Politeness
from routers.crawler import crawl_site, crawl_sites, store_path
from routers.store import Store
from routers.store_writer import StoreWriter

if TYPE_CHECKING:
    from routers.crawl_report import CrawlReport


async def test_pages_come_breadth_first_in_order_of_their_links(small_web: Any) -> None:
    #        /
    #     /b   /a
    #   /d /c   /e        /e also links to /b, which is known
    small_web.page("/", "/b", "/a")
    small_web.page("/b", "/d", "/c")
    small_web.page("/a", "/c", "/e")
    small_web.page("/c"), small_web.page("/d"), small_web.page("/e", "/b", "/")

    report = await small_web.crawl()

    assert small_web.stored() == ["/", "/b", "/a", "/d", "/c", "/e"]
    with small_web.store() as store:
        assert [record.depth for record in store.records()] == [0, 1, 1, 2, 2, 2]
        assert [record.order for record in store.records()] == [0, 1, 2, 3, 4, 5]
    assert (report.pages, report.finished, report.crawl, report.resumed) == (6, True, 1, False)
    assert sorted(small_web.requests) == sorted(["/robots.txt", "/", "/b", "/a", "/d", "/c", "/e", "/sitemap.xml"])


def tangled(small_web: Any, seed: int, run: int) -> None:
    """Declare 60 pages with random links, errors and redirects (some to the same page); delays differ by run."""
    chance, haste = random.Random(seed), random.Random(f"{seed} {run}")
    paths = [f"/p{number}" for number in range(60)]

    def delayed(path: str) -> None:
        declared, delay = small_web.answers[path], haste.random() / 300

        async def late(request: web.Request) -> web.Response:
            await asyncio.sleep(delay)
            return web.Response(body=declared.body, status=declared.status, headers=declared.headers)

        small_web.handle(path, late)

    small_web.page("/", *chance.sample(paths, 6))
    for path in paths:
        kind = chance.random()
        if kind < 0.2:
            small_web.redirect(path, chance.choice(paths))
        elif kind < 0.3:
            small_web.page(path, status=404)
        elif kind < 0.35:
            small_web.page(path, *chance.sample(paths, 4), X_Robots_Tag="noindex")
        else:
            small_web.page(path, *chance.sample(paths, 4))
        delayed(path)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pages", [None, 12])
async def test_the_result_does_not_depend_on_timing(
    small_web: Any, tmp_path: Any, seed: int, pages: int | None
) -> None:
    results = []
    for run in range(3):
        tangled(small_web, seed, run)
        small_web.store_path = tmp_path / f"{run}.sqlite"
        await small_web.crawl(pages=pages, politeness=Politeness(concurrency=(1, 4, 9)[run]))
        with small_web.store() as store:
            results.append([(record.url, record.depth, record.alias_of) for record in store.records(aliases=True)])

    assert results[0] == results[1] == results[2]
    assert len(results[0]) == pages or pages is None


async def test_a_page_limit_gives_exactly_the_first_pages(small_web: Any) -> None:
    small_web.page("/", *(f"/{number}" for number in range(20)))
    for number in range(20):
        small_web.page(f"/{number}", status=404 if number % 3 == 0 else 200)

    report = await small_web.crawl(pages=6, politeness=Politeness(concurrency=8))

    assert small_web.stored() == ["/", "/1", "/2", "/4", "/5", "/7"]
    assert report.finished


async def test_a_depth_limit_leaves_out_what_lies_deeper(small_web: Any) -> None:
    small_web.page("/", "/1")
    small_web.page("/1", "/2")
    small_web.page("/2", "/3")

    await small_web.crawl(depth=1)

    assert small_web.stored() == ["/", "/1"]
    assert "/2" not in small_web.requests


async def test_byte_and_time_limits_leave_the_rest_for_the_next_run(small_web: Any) -> None:
    small_web.page("/", *(f"/{number}" for number in range(9)))
    for number in range(9):
        small_web.page(f"/{number}", text="word " * 200)

    first = await small_web.crawl(bytes=3000, politeness=Politeness(concurrency=1))
    second = await small_web.crawl(seconds=0.0)
    third = await small_web.crawl()

    assert first.stopped == "the byte limit of 3000"
    assert 2 <= first.pages < 10
    assert second.stopped.startswith("the time limit")
    assert (third.resumed, third.finished, third.pages, third.crawl) == (True, True, 10, 1)
    pages = [path for path in small_web.requests if path not in {"/robots.txt", "/sitemap.xml"}]
    assert len(pages) == len(set(pages)) == 10


async def test_redirects_join_the_level_and_place_of_their_source(small_web: Any) -> None:
    small_web.page("/", "/old", "/plain")
    small_web.redirect("/old", "/new", 301)
    small_web.page("/new", "/below")
    small_web.page("/plain"), small_web.page("/below")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/new", "/plain", "/below"]
    assert small_web.outcomes()["/old"] == ("redirect", "http://site.test/new")
    with small_web.store() as store:
        assert [record.depth for record in store.records()] == [0, 1, 1, 2]


async def test_other_addresses_of_a_page_lead_to_it(small_web: Any) -> None:
    small_web.page("/", "/old", "/copy", "/loop", "/dead")
    small_web.redirect("/old", "/older")
    small_web.redirect("/older", "/copy")
    small_web.redirect("/loop", "/loop2")
    small_web.redirect("/loop2", "/loop")
    small_web.redirect("/dead", "/nowhere")
    text = "What two pages say alike, word by word, from beginning to end. " * 5
    for path in ("/copy", "/page"):
        small_web.put(path, f'<title>T</title><p>{text}<a href="/page">x</a>', **{"Content-Type": "text/html"})

    await small_web.crawl()

    with small_web.store() as store:
        assert store.other_addresses() == {
            "http://site.test/old": "http://site.test/copy",
            "http://site.test/older": "http://site.test/copy",
            "http://site.test/page": "http://site.test/copy",
        }


async def test_redirect_circles_and_long_chains_end(small_web: Any) -> None:
    small_web.page("/", "/circle", "/chain0", "/self")
    small_web.redirect("/circle", "/back")
    small_web.redirect("/back", "/circle")
    small_web.redirect("/self", "/self")
    for hop in range(9):
        small_web.redirect(f"/chain{hop}", f"/chain{hop + 1}")

    await small_web.crawl(fetch=FetchLimits(redirects=5))

    assert small_web.stored() == ["/"]
    assert small_web.outcomes()["/chain5"] == ("too many redirects", "http://site.test/chain6")
    assert "/chain6" not in small_web.requests
    assert small_web.requests.count("/circle") == small_web.requests.count("/self") == 1


async def test_redirects_out_of_the_site_are_noted_and_not_followed(small_web: Any) -> None:
    small_web.page("/", "/away", "/metadata", "/port")
    small_web.redirect("/away", "http://elsewhere.test/")
    small_web.redirect("/metadata", "http://169.254.169.254/latest/meta-data/")
    small_web.redirect("/port", f"http://127.0.0.1:{small_web.port}/secret")
    small_web.page("/secret")

    await small_web.crawl()

    assert small_web.stored() == ["/"]
    assert small_web.outcomes()["/metadata"] == ("off-site", "http://169.254.169.254/latest/meta-data/")
    assert small_web.outcomes()["/away"][0] == small_web.outcomes()["/port"][0] == "off-site"
    assert "/secret" not in small_web.requests


async def test_robots_rules_hold_for_links_and_for_redirects(small_web: Any) -> None:
    small_web.put("/robots.txt", "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
    small_web.page("/", "/private/a", "/private/open", "/sly")
    small_web.page("/private/a"), small_web.page("/private/open")
    small_web.redirect("/sly", "/private/b")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/private/open"]
    assert small_web.outcomes()["/private/a"][0] == "robots"
    assert small_web.outcomes()["/sly"] == ("robots", "http://site.test/private/b")
    assert not {"/private/a", "/private/b"} & set(small_web.requests)


@pytest.mark.parametrize(("status", "crawled"), [(404, True), (403, True), (500, False), (503, False), (429, False)])
async def test_a_missing_robots_file_allows_all_and_a_failing_one_nothing(
    small_web: Any, status: int, crawled: bool
) -> None:
    small_web.put("/robots.txt", "", status=status)
    small_web.page("/")

    if crawled:
        assert (await small_web.crawl()).pages == 1
    else:
        with pytest.raises(CrawlFailed, match=f"robots.txt answered {status}"):
            await small_web.crawl()
        assert "/" not in small_web.requests


async def test_robots_redirects_are_followed_on_the_site_only(small_web: Any) -> None:
    small_web.redirect("/robots.txt", "/rules.txt")
    small_web.put("/rules.txt", "User-agent: *\nDisallow: /a\n")
    small_web.page("/", "/a")

    await small_web.crawl()

    assert small_web.outcomes()["/a"][0] == "robots"


async def test_the_first_part_of_an_endless_robots_file_holds(small_web: Any) -> None:
    small_web.put("/robots.txt", "User-agent: *\nDisallow: /a\n" + "# and on\n" * 500_000 + "Disallow: /b\n")
    small_web.page("/", "/a", "/b"), small_web.page("/b")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/b"]


async def test_noindex_pages_are_not_stored_but_followed(small_web: Any) -> None:
    small_web.page("/", "/meta", "/header", "/both")
    small_web.page("/meta", "/below-meta", head='<meta name="robots" content="noindex">')
    small_web.page("/header", "/below-header", X_Robots_Tag="hypursuit: noindex")
    small_web.page("/both", "/never", X_Robots_Tag="noindex, nofollow")
    small_web.page("/below-meta"), small_web.page("/below-header"), small_web.page("/never")

    report = await small_web.crawl()

    assert small_web.stored() == ["/", "/below-meta", "/below-header"]
    assert report.outcomes["noindex"] == 3
    assert "/never" not in small_web.requests
    with small_web.store() as store:
        assert store.page("http://site.test/meta") is None


async def test_nofollow_pages_and_links_lead_nowhere(small_web: Any) -> None:
    small_web.page("/", "/quiet", text='<a rel="nofollow" href="/unloved">no</a> something to read')
    small_web.page("/quiet", "/hidden", head='<meta name="robots" content="nofollow">')

    await small_web.crawl()

    assert small_web.stored() == ["/", "/quiet"]
    assert not {"/unloved", "/hidden"} & set(small_web.requests)


async def test_canonical_and_equal_pages_are_folded_and_their_links_kept(small_web: Any) -> None:
    text = "The same words under two addresses, enough of them to be sure. " * 5
    small_web.page("/", "/a?print=1", "/a", "/copy")
    head = '<title>A</title><link rel="canonical" href="/a">'
    for path in ("/a?print=1", "/a"):
        small_web.put(path, f"<html><head>{head}</head><p>{text}</p></html>", **{"Content-Type": "text/html"})
    small_web.put("/copy", f"<html><title>A</title><p>{text}</p></html>", **{"Content-Type": "text/html"})

    report = await small_web.crawl()

    assert report.aliases == 2
    with small_web.store() as store:
        assert store.aliases() == {
            "http://site.test/a?print=1": "http://site.test/a",
            "http://site.test/copy": "http://site.test/a",
        }
        assert [page.url for page in store.pages()] == ["http://site.test/", "http://site.test/a"]
        assert len(list(store.pages(aliases=True))) == 4
        assert store.page("http://site.test/copy") is not None


async def test_sitemap_urls_that_no_link_reached_come_last_as_depth_one(small_web: Any) -> None:
    small_web.put("/robots.txt", "Sitemap: http://site.test/index.xml\n")
    small_web.put("/index.xml", "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>")
    small_web.put(
        "/map.xml",
        "<urlset><url><loc>http://site.test/island</loc></url><url><loc>http://site.test/a</loc></url></urlset>",
    )
    small_web.page("/", "/a"), small_web.page("/a")
    small_web.page("/island", "/beach"), small_web.page("/beach")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/a", "/island", "/beach"]
    with small_web.store() as store:
        assert [record.depth for record in store.records()] == [0, 1, 1, 2]


async def test_only_html_is_parsed_and_other_types_are_noted(small_web: Any) -> None:
    html = "<!DOCTYPE html><p>A page that does not say what it is.</p>"
    small_web.page("/", "/text", "/nothing", "/picture", "/lie", "/lie.pdf")
    small_web.put("/text", html, **{"Content-Type": "text/plain"})
    small_web.put("/nothing", html, **{"Content-Type": ""})
    small_web.put("/picture", b"\x89PNG\r\n", **{"Content-Type": "image/png"})
    small_web.put("/lie", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" * 9, **{"Content-Type": "text/html"})
    small_web.put("/lie.pdf", "<p>A page in spite of its name.</p>", **{"Content-Type": "text/html"})

    await small_web.crawl()

    assert small_web.stored() == ["/", "/nothing", "/lie.pdf"]
    outcomes = small_web.outcomes()
    assert outcomes["/text"] == ("type", "text/plain")
    assert outcomes["/picture"] == ("type", "image/png")
    assert outcomes["/lie"] == ("binary", "text/html")


async def test_session_numbers_are_dropped_from_links(small_web: Any) -> None:
    small_web.page("/", "/a;jsessionid=1F0B", "/b?PHPSESSID=0123456789abcdef&page=2")
    small_web.page("/a"), small_web.page("/b?page=2")

    await small_web.crawl()

    assert small_web.stored() == ["/", "/a", "/b?page=2"]
    with small_web.store() as store:
        assert [link.target for link in next(store.pages()).links] == [
            "http://site.test/a",
            "http://site.test/b?page=2",
        ]


async def test_an_endless_calendar_ends(small_web: Any) -> None:
    async def month(request: web.Request) -> web.Response:
        number = int(request.query["month"])
        links = f'<a href="/calendar?month={number + 1}">next</a> <a href="/calendar?month={number - 1}">back</a>'
        return web.Response(text=f"<p>Month {number}</p>{links}", content_type="text/html")

    class Calendar(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return month if path.startswith("/calendar?") else super().get(path, default)

    small_web.page("/", "/calendar?month=0")
    small_web.answers = Calendar(small_web.answers)

    report = await small_web.crawl(traps=TrapLimits(numbered_levels=10))

    assert report.finished
    assert report.pages < 40
    assert report.outcomes["trap"] == 2


async def test_a_site_below_a_path_stays_there(small_web: Any) -> None:
    small_web.page("/guide/", "/guide/a", "/guidelines", "/", "https://site.test/guide/b")
    small_web.page("/guide/a"), small_web.page("/"), small_web.page("/guidelines")

    await small_web.crawl("/guide/")

    assert small_web.stored() == ["/guide/", "/guide/a"]
    # https is the same site, but the operator gave an address for http only.
    assert small_web.outcomes()["https://site.test/guide/b"][0] == "address refused"


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda web: web.redirect("/", "http://www.site.test/"), "crawl http://www.site.test/ instead"),
        (lambda web: web.redirect("/", "/"), "lead in a circle"),
        (lambda web: web.put("/", "%PDF-1.4", **{"Content-Type": "application/pdf"}), "not HTML .application/pdf."),
        (lambda web: web.page("/", status=404), "answered 404; check the address"),
        (lambda web: web.page("/", status=500), "status 500"),
        (lambda web: web.put("/robots.txt", "User-agent: *\nDisallow: /"), "robots.txt disallows it"),
        (lambda web: (web.redirect("/", "/b"), web.page("/b", status=410)), "answered 410"),
    ],
)
async def test_a_root_page_that_fails_says_what_to_do(small_web: Any, declare: Any, message: str) -> None:
    declare(small_web)

    with pytest.raises(CrawlFailed, match=message):
        await small_web.crawl()


async def test_a_failed_root_is_tried_again_by_the_next_run(small_web: Any) -> None:
    small_web.redirect("/", "/moved")
    with pytest.raises(CrawlFailed):
        await small_web.crawl()
    small_web.page("/", "/a"), small_web.page("/a")

    report = await small_web.crawl()

    assert report.finished
    assert small_web.stored() == ["/", "/a"]


async def test_a_root_out_of_reach_says_so(small_web: Any) -> None:
    unused = small_web.port
    small_web.page("/")
    site = Site.of("http://site.test/")
    settings = small_web.settings()
    small_web.port = 9  # nobody listens to the discard port here

    with pytest.raises(CrawlFailed, match="cannot be reached"):
        await crawl_site(site, small_web.store_path, small_web.settings())
    assert unused != 9
    assert (await crawl_site(site, small_web.store_path, settings)).finished


async def test_two_crawls_of_one_store_are_refused(small_web: Any) -> None:
    small_web.page("/")
    refused = pytest.raises(StoreUnusable, match="another crawl is writing")
    with StoreWriter(small_web.store_path, Site.of("http://site.test/")), refused:
        await small_web.crawl()
    assert (await small_web.crawl()).finished


async def test_a_site_that_goes_away_is_left_for_the_next_run(small_web: Any) -> None:
    patience = 15

    async def until_patience_ends(request: web.Request) -> web.StreamResponse:
        nonlocal patience
        patience -= request.path != "/robots.txt"
        if patience < 0 and request.transport is not None:
            request.transport.abort()
        return web.Response(text=f"<p>Number {request.path}</p>", content_type="text/html")

    small_web.page("/", *(f"/{number}" for number in range(40)))
    for path in ("/robots.txt", *(f"/{number}" for number in range(40))):
        small_web.handle(path, until_patience_ends)

    away = await small_web.crawl()
    patience = 1000
    back = await small_web.crawl()

    assert away.stopped.startswith("the site no longer answers")
    assert away.pages == 16
    assert (back.finished, back.resumed, back.pages) == (True, True, 41)
    assert small_web.stored() == ["/", *(f"/{number}" for number in range(40))]


async def test_a_site_that_goes_away_within_the_last_pages_is_left_too(small_web: Any) -> None:
    away = False

    async def leave(request: web.Request) -> web.Response:
        nonlocal away
        away = away or request.path == "/last"
        if away and request.transport is not None:
            request.transport.abort()
        return web.Response(status=404)

    small_web.page("/", "/last")
    small_web.handle("/last", leave)
    small_web.handle("/robots.txt", leave)

    assert (await small_web.crawl()).stopped.startswith("the site no longer answers")
    small_web.page("/last")
    small_web.put("/robots.txt", "")
    assert (await small_web.crawl()).finished
    assert small_web.stored() == ["/", "/last"]


async def test_pages_that_never_answer_are_passed_over_on_a_site_that_does(small_web: Any) -> None:
    async def hang_up(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    small_web.page("/", *(f"/dead{number}" for number in range(25)), "/alive")
    for number in range(25):
        small_web.handle(f"/dead{number}", hang_up)
    small_web.page("/alive")

    report = await small_web.crawl()

    assert report.finished
    assert small_web.stored() == ["/", "/alive"]
    assert report.outcomes["unreachable"] == 25


async def test_many_sites_at_once_and_a_failing_one_costs_only_itself(small_web: Any, tmp_path: Any) -> None:
    small_web.page("/", "/a"), small_web.page("/a")
    sites = [Site.of("http://site.test/"), Site.of("http://site.test/nothing/"), Site.of("http://site.test/a")]
    ended: list[CrawlReport] = []

    class Progress:
        def started(self, site: Site, *, stored: int, limit: int | None) -> None: ...
        def advanced(self, site: Site, *, stored: int, waiting: int) -> None: ...
        def ended(self, report: CrawlReport) -> None:
            ended.append(report)

    reports = await crawl_sites(sites, tmp_path / "stores", small_web.settings(requests_at_once=2), Progress())

    assert [report.pages for report in reports] == [2, 0, 1]
    assert isinstance(reports[1].failure, CrawlFailed)
    assert {id(report) for report in ended} == {id(report) for report in reports}
    with Store.open(store_path(tmp_path / "stores", sites[2])) as store:
        assert store.root == "http://site.test/a"
