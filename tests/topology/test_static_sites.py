from __future__ import annotations

import asyncio
import http.client
from typing import TYPE_CHECKING

import aiohttp
import pytest

from hypursuit.crawl.addresses import Resolve
from hypursuit.errors import BadSetting
from topology.static_sites import StaticSites, locate, serving_process

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

Answer = tuple[int, dict[str, str], str]
"""Status, headers by lower-case name, body."""

# one.example/             two.example/
# ├── index.html           └── index.html
# ├── guide/index.html
# ├── empty/
# ├── Bongo_%28antelope%29.htm      a name with percent signs in it
# ├── naïve file.html
# └── escape -> ../secret.txt
FILES = {
    "one.example/index.html": "<title>One</title>",
    "one.example/guide/index.html": "<title>Guide</title>",
    "one.example/Bongo_%28antelope%29.htm": "<title>Bongo</title>",
    "one.example/naïve file.html": "<title>Naive</title>",
    "two.example/index.html": "<title>Two</title>",
    "secret.txt": "not a page",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "one.example/empty").mkdir()
    (tmp_path / "one.example/escape").symlink_to(tmp_path / "secret.txt")
    return tmp_path


@pytest.fixture
async def sites(root: Path) -> AsyncIterator[StaticSites]:
    async with StaticSites(root) as running:
        yield running


def fetch_now(port: int, target: str, host: str, headers: dict[str, str]) -> Answer:
    """One request whose target goes over the wire exactly as given: aiohttp's client would tidy it up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", target, headers={"Host": host, **headers})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


async def fetch(sites: StaticSites, target: str, host: str = "one.example", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await asyncio.to_thread(fetch_now, sites.port, target, host, named)


@pytest.mark.parametrize("host", ["one.example", "ONE.example", "one.example:8080"])
async def test_the_host_header_selects_the_folder(sites: StaticSites, host: str) -> None:
    assert (await fetch(sites, "/", host))[2] == "<title>One</title>"
    assert (await fetch(sites, "/", "two.example"))[2] == "<title>Two</title>"


async def test_an_unknown_host_has_no_pages(sites: StaticSites) -> None:
    assert (await fetch(sites, "/", "three.example"))[0] == 404
    assert (await fetch(sites, "/", f"127.0.0.1:{sites.port}"))[0] == 404


async def test_pages_are_html_and_carry_both_validators(sites: StaticSites) -> None:
    status, headers, _ = await fetch(sites, "/index.html")

    assert status == 200
    assert headers["content-type"] == "text/html"
    assert headers["etag"]
    assert headers["last-modified"].endswith("GMT")


async def test_an_unchanged_page_is_304_by_either_validator_and_200_once_changed(
    sites: StaticSites, root: Path
) -> None:
    _, first, _ = await fetch(sites, "/")
    by_tag = await fetch(sites, "/", If_None_Match=first["etag"])
    by_date = await fetch(sites, "/", If_Modified_Since=first["last-modified"])
    (root / "one.example/index.html").write_text("<title>One, changed</title>")
    changed = await fetch(sites, "/", If_None_Match=first["etag"])

    assert (by_tag[0], by_tag[2]) == (304, "")
    assert (by_date[0], by_date[2]) == (304, "")
    assert (changed[0], changed[2]) == (200, "<title>One, changed</title>")


async def test_a_folder_without_its_slash_redirects_to_itself_with_the_slash(sites: StaticSites) -> None:
    async with aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{sites.port}/guide?page=2"
        async with client.get(url, headers={"Host": "one.example"}) as answer:
            assert [step.status for step in answer.history] == [301]
            assert answer.url.path == "/guide/"
            assert await answer.text() == "<title>Guide</title>"


async def test_a_redirect_never_leaves_the_host(sites: StaticSites) -> None:
    _, headers, _ = await fetch(sites, "//guide")

    assert headers["location"] == "./guide/"


@pytest.mark.parametrize("target", ["/empty", "/empty/", "/index.html/", "/guide/missing.html", "/" + "long" * 2000])
async def test_what_is_not_there_is_404(sites: StaticSites, target: str) -> None:
    assert (await fetch(sites, target))[0] == 404


async def test_a_name_with_percent_signs_is_reached_by_encoding_it_once_more(sites: StaticSites) -> None:
    assert (await fetch(sites, "/Bongo_%2528antelope%2529.htm"))[2] == "<title>Bongo</title>"
    assert (await fetch(sites, "/Bongo_%28antelope%29.htm"))[0] == 404
    assert (await fetch(sites, "/na%C3%AFve%20file.html"))[2] == "<title>Naive</title>"


async def test_the_url_of_a_file_name_leads_to_that_file(sites: StaticSites) -> None:
    for name in ("Bongo_%28antelope%29.htm", "naïve file.html"):
        url = sites.url("one.example", name)
        target = url.removeprefix(f"http://one.example:{sites.port}")
        assert (await fetch(sites, target))[0] == 200


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt",
        "/guide/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/escape",
        "/%00",
        "/guide%00.html",
    ],
)
async def test_nothing_outside_the_folder_is_served(sites: StaticSites, target: str) -> None:
    assert (await fetch(sites, target))[0] == 404


def test_absolute_paths_stay_below_the_folder(root: Path) -> None:
    assert locate(root / "one.example", f"{root}/secret.txt") is None
    assert locate(root / "one.example", f"/{root}/secret.txt") is None


async def test_resolve_entries_find_every_host_at_its_public_port_and_at_the_one_served(sites: StaticSites) -> None:
    assert sites.hosts == ("one.example", "two.example")
    assert sites.resolve_entries() == [
        f"one.example:80:127.0.0.1:{sites.port}",
        f"one.example:{sites.port}:127.0.0.1",
        f"two.example:80:127.0.0.1:{sites.port}",
        f"two.example:{sites.port}:127.0.0.1",
    ]
    ends = {(found.host, found.to_port) for found in map(Resolve.parse, sites.resolve_entries())}
    assert ends == {("one.example", sites.port), ("two.example", sites.port)}


async def test_folders_can_be_given_by_host_name(root: Path) -> None:
    async with StaticSites({"Other.example": root / "two.example"}) as sites:
        assert (await fetch(sites, "/", "other.example"))[2] == "<title>Two</title>"
        assert (await fetch(sites, "/", "two.example"))[0] == 404


def test_a_missing_root_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="nowhere"):
        StaticSites(tmp_path / "nowhere")


def test_a_process_of_its_own_serves_the_same_and_stops_afterwards(root: Path) -> None:
    with serving_process(root) as port:
        assert fetch_now(port, "/guide/", "one.example", {})[2] == "<title>Guide</title>"

    with pytest.raises(ConnectionRefusedError):
        fetch_now(port, "/guide/", "one.example", {})
