"""A crawl that is killed again and again ends like one that was left alone."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import signal
from typing import TYPE_CHECKING, Any

from hypursuit.errors import StoreUnusable

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import web

KILLS = 50

# Runs in a process of its own; what it needs is imported once, in the server that the processes are forked from.
CRAWL = """
import asyncio
from ipaddress import ip_address
from pathlib import Path
from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from routers.crawl_settings import CrawlSettings
from routers.crawler import crawl_site
settings = CrawlSettings(addresses=AddressPolicy((Resolve("site.test", 80, ip_address("127.0.0.1"), {port}),)))
asyncio.run(crawl_site(Site.of("http://site.test/"), Path({store!r}), settings))
"""


def hundred_pages(small_web: Any) -> None:
    """About a hundred pages, with all that a crawl has to remember: redirects, aliases, noindex, errors, hints."""
    chance = random.Random(1996)
    paths = [f"/p{number}" for number in range(100)]
    small_web.page("/", *chance.sample(paths, 5))
    for number, path in enumerate(paths):
        links = chance.sample(paths, 3)
        if number % 9 == 4:
            small_web.redirect(path, links[0])
        elif number % 11 == 6:
            small_web.page(path, *links, X_Robots_Tag="noindex")
        elif number % 13 == 8:
            small_web.page(path, status=404)
        elif number % 10 == 5:
            small_web.page(
                path, *links, text="One of several pages that say the same. " * 9, head="<title>Same</title>"
            )
        else:
            small_web.page(path, *links, text=f"Page {number} says {chance.random()} and nothing else. " * 5)
    urls = "".join(f"<url><loc>http://site.test{path}</loc></url>" for path in paths)
    small_web.put("/sitemap.xml", f"<urlset>{urls}</urlset>")


def everything(small_web: Any, path: Path) -> list[tuple[Any, ...]]:
    """All that a store says about its pages, but for the time."""
    small_web.store_path = path
    with small_web.store() as store:
        records = [(r.url, r.title, r.order, r.depth, r.size, r.alias_of) for r in store.records(aliases=True)]
        pages = list(store.pages(aliases=True))
        assert store.summary().finished
    return list(zip(records, pages, strict=True))


def state_of(small_web: Any, path: Path) -> tuple[bool, set[str]]:
    """Whether a store's crawl is finished, and the paths it holds; a store may have been killed before it was one."""
    small_web.store_path = path
    try:
        with small_web.store() as store:
            finished = store.summary().finished
    except StoreUnusable:
        return False, set()
    return finished, set(small_web.stored())


async def run_until_killed(small_web: Any, store: Path, chance: random.Random) -> int | None:
    """Crawl in a process of its own; kill it a moment after one of its next requests. Returns its exit code."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["routers.crawler", "hypursuit.crawl.parse"])
    process = context.Process(target=exec, args=(CRAWL.format(port=small_web.port, store=str(store)), {}))
    patience, moment = chance.randrange(1, 5), chance.random() * 0.006
    loop = asyncio.get_running_loop()

    def count_down(request: web.Request) -> None:
        nonlocal patience
        patience -= 1
        if patience == 0:
            loop.call_later(moment, process.kill)

    small_web.on_request = count_down
    process.start()
    await asyncio.to_thread(process.join)
    small_web.on_request = None
    return process.exitcode


async def test_fifty_kills_end_in_the_store_of_an_undisturbed_crawl(small_web: Any, tmp_path: Path) -> None:
    hundred_pages(small_web)
    await small_web.crawl()
    calm = everything(small_web, small_web.store_path)
    chance, kills, most = random.Random(2002), 0, 0

    while kills < KILLS:
        troubled, finished, before = tmp_path / f"troubled{kills}.sqlite", False, kills
        while not finished:
            _, stored = state_of(small_web, troubled)
            small_web.requests.clear()
            kills += await run_until_killed(small_web, troubled, chance) == -signal.SIGKILL
            assert not stored & set(small_web.requests), "a stored page was asked for again"
            finished, _ = state_of(small_web, troubled)
        assert everything(small_web, troubled) == calm
        most = max(most, kills - before)

    assert most >= KILLS // 2, "the kills came too late to disturb a crawl"
