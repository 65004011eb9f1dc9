from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from hypursuit.errors import DemoFailed
from hypursuit.query.answer import SearchRequest
from routers.store import Store
from topology.commands.search import ask
from topology.demo import CrawledSite, crawl_demo, demo_network, run_demo, serving_demo
from topology.launch import running_tree
from topology.static_sites import LOOPBACK, StaticSites

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = {
    "data": {"Data types": "heapq bisect enum", "Numbers": "numbers fractions"},
    "net": {"Messages": "json", "Addresses": "ipaddress"},
}


@pytest.fixture(autouse=True)
def small_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sites of a few modules, no packages: the demo's steps without its size."""
    monkeypatch.setattr("topology.pydoc_subjects.LIBRARY", LIBRARY)
    monkeypatch.setattr("topology.pydoc_subjects._packages_by_distribution", dict)


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def paths_on_disk(directory: Path, host: str) -> set[str]:
    """A site's pages as their links write them."""
    files = (directory / "sites" / host).rglob("*.html")
    return {str(file.relative_to(directory / "sites" / host)).removesuffix("index.html") for file in files}


async def test_every_page_of_every_site_is_stored_once_under_an_address_a_browser_opens(
    tmp_path: Path, free_port: int
) -> None:
    organised: list[CrawledSite] = []
    crawled = await run_demo(tmp_path, organised.append, port=free_port)

    assert organised == crawled
    assert [site.site.host for site in crawled] == ["data.library.python.localhost", "net.library.python.localhost"]
    for site in crawled:
        origin = f"http://{site.site.host}:{free_port}/"
        with Store(site.report.store) as store:
            urls = [record.url for record in store.records(aliases=True)]
        assert len(urls) == len(set(urls)) == site.site.pages
        assert set(urls) == {origin + path for path in paths_on_disk(tmp_path, site.site.host)}


async def test_a_second_run_keeps_pages_and_stores(tmp_path: Path, free_port: int) -> None:
    first = await run_demo(tmp_path, lambda _: None, port=free_port)
    made: list[str] = []
    second = await run_demo(tmp_path, lambda _: None, port=free_port, build_progress=lambda *told: made.append(told[2]))

    assert made == []
    assert [site.report.pages for site in first] == [site.report.pages for site in second]
    assert [site.report.crawl for site in second] == [2, 2]


async def test_a_tree_comes_up_over_the_crawled_sites(tmp_path: Path, free_port: int) -> None:
    """Nothing is crawled again, and every page can be found."""
    async with serving_demo(tmp_path / "sites", port=free_port) as demo:
        crawled = await crawl_demo(demo, tmp_path / "stores")
        async with running_tree(demo_network(demo, tmp_path / "stores", port=free_port)) as tree:
            answer = await ask(tree.url, SearchRequest(q="heap queue", deadline_ms=10_000))

    assert [found.report for found in tree.gathered] == [None, None]
    assert sum(tree.pages.values()) == sum(site.report.pages - site.report.aliases for site in crawled)
    assert answer.hits[0].url.endswith("heapq.html")
    assert answer.exact


async def test_where_the_port_is_taken_another_one_is_used(tmp_path: Path) -> None:
    (tmp_path / "other.example").mkdir()
    async with StaticSites(tmp_path) as other, serving_demo(tmp_path / "demo", port=other.port) as demo:
        assert demo.server.port != other.port
        assert demo.url(demo.sites[0]) == f"http://{demo.sites[0].host}:{demo.server.port}/"


async def test_a_demo_none_of_whose_sites_answers_fails_with_the_reason(tmp_path: Path) -> None:
    async with serving_demo(tmp_path / "sites", port=0) as demo:
        for site in demo.sites:
            (tmp_path / "sites" / site.host / "index.html").unlink()
        with pytest.raises(DemoFailed, match="404"):
            await crawl_demo(demo, tmp_path / "stores")
