"""A crawl that is killed again and again ends like one that was left alone."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import signal
import sqlite3
import sys
from typing import TYPE_CHECKING, Any

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


def hundred_pages(small_web: Any, edition: str) -> None:
    """About a hundred pages, with all that a crawl has to remember: redirects, aliases, noindex, errors, hints.

    In another edition every seventh page has changed, its links too, and every eighth is gone.
    """
    small_web.answers.clear()
    chance = random.Random(1996)
    paths = [f"/p{number}" for number in range(100)]
    small_web.page("/", *chance.sample(paths, 5))
    for number, path in enumerate(paths):
        links, version = chance.sample(paths, 3), edition if number % 7 == 0 else ""
        if version == "second":
            links.reverse()
        if edition == "second" and number % 8 == 0:
            continue
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
            small_web.page(path, *links, text=f"Page {number} {version} " * 9, ETag=f'"{number} {version}"')
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


def state_of(path: Path, crawl: int) -> tuple[bool, set[str]]:
    """Whether a store's n-th crawl is finished, and the paths it has come by; it may have died before its start."""
    connection = sqlite3.connect(path)
    try:
        done = connection.execute("SELECT 1 FROM state WHERE crawl = ? AND finished", (crawl,)).fetchone()
        urls = connection.execute("SELECT url FROM pages WHERE crawl = ?", (crawl,)).fetchall()
    except sqlite3.OperationalError:
        return False, set()
    finally:
        connection.close()
    return done is not None, {url.removeprefix("http://site.test") for (url,) in urls}


async def run(small_web: Any, store: Path, chance: random.Random | None) -> int | None:
    """Crawl in a process of its own and, given chance, kill it a moment after a request. Returns its exit code."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["routers.crawler", "hypursuit.crawl.parse"])
    process = context.Process(target=exec, args=(CRAWL.format(port=small_web.port, store=str(store)), {}))
    patience, moment = (chance.randrange(1, 4), chance.random() * 0.004) if chance else (-1, 0.0)
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


async def test_a_full_disk_stops_the_crawl_with_a_clear_error_and_loses_nothing(small_web: Any, tmp_path: Path) -> None:
    hundred_pages(small_web, "first")
    await small_web.crawl()
    calm, store = everything(small_web, small_web.store_path), tmp_path / "full.sqlite"
    limited = f"""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
{CRAWL.format(port=small_web.port, store=str(store))}"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", limited, stderr=asyncio.subprocess.PIPE)
    _, errors = await process.communicate()

    assert b"StoreUnusable: the store" in errors.splitlines()[-1]
    assert b"check the disk" in errors
    finished, stored = state_of(store, 1)
    assert 0 < len(stored) < len(calm)
    assert not finished
    small_web.requests.clear()
    assert await run(small_web, store, None) == 0
    assert not stored & set(small_web.requests)
    assert everything(small_web, store) == calm


async def crawl_troubled(small_web: Any, store: Path, crawl: int, chance: random.Random, kills: int) -> int:
    """Crawl until finished, with at most so many kills on the way; returns how many these were."""
    killed, finished = 0, False
    while not finished:
        _, stored = state_of(store, crawl)
        small_web.requests.clear()
        killed += await run(small_web, store, chance if killed < kills else None) == -signal.SIGKILL
        assert not stored & set(small_web.requests), "a stored page was asked for again"
        finished, _ = state_of(store, crawl)
    return killed


async def test_fifty_kills_end_in_the_store_of_an_undisturbed_crawl(small_web: Any, tmp_path: Path) -> None:
    hundred_pages(small_web, "first")
    await small_web.crawl()
    calm = everything(small_web, small_web.store_path)
    chance, kills = random.Random(2002), []

    while sum(kills) < KILLS:
        troubled = tmp_path / f"troubled{len(kills)}.sqlite"
        kills.append(await crawl_troubled(small_web, troubled, 1, chance, KILLS))
        assert everything(small_web, troubled) == calm

    assert max(kills) >= KILLS // 2, "the kills came too late to disturb a crawl"


async def test_kills_during_a_second_crawl_end_like_an_undisturbed_one(small_web: Any, tmp_path: Path) -> None:
    calm, troubled = tmp_path / "calm.sqlite", tmp_path / "troubled.sqlite"
    hundred_pages(small_web, "first")
    for store in (calm, troubled):
        small_web.store_path = store
        await small_web.crawl()
    before = everything(small_web, calm)
    hundred_pages(small_web, "second")
    small_web.store_path = calm
    report = await small_web.crawl()

    kills = await crawl_troubled(small_web, troubled, 2, random.Random(1998), KILLS // 2)

    assert everything(small_web, troubled) == everything(small_web, calm) != before
    assert min(report.outcomes["unchanged"], report.outcomes["stored"], report.removed, kills) > 0
