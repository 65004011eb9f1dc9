"""The HTTP face: what is asked, what is answered, and who is shown the door."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
import pytest

from hypursuit.errors import MalformedRequest
from hypursuit.label.wire import decode
from hypursuit.query.answer import Answer, Carried, Problem, SearchRequest
from routers.connections import serving
from routers.http_api import make_app
from routers.wire import LABEL, MSGPACK, accepted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from routers.connections import Serving


@asynccontextmanager
async def served(grove: Any, patience: float = 10.0) -> AsyncIterator[tuple[Serving, aiohttp.ClientSession]]:
    """Two leaves and the router above them in one application, and a client that is nothing special."""
    one, two = grove.leaf("one.test"), grove.leaf("two.test")
    grove.interior("root", one, two)
    await grove.grow()
    routers = {"/": grove.routers["root"].router, "/one": grove.routers["one.test"].router}
    for router in routers.values():
        await router.close()
    async with serving(make_app(routers, patience)) as server, aiohttp.ClientSession() as session:
        yield server, session


async def get(session: aiohttp.ClientSession, url: str, **wishes: Any) -> tuple[int, Any, bytes]:
    async with session.get(url, **wishes) as response:
        return response.status, response.headers, await response.read()


async def test_a_search_is_answered_in_json(grove: Any) -> None:
    async with served(grove) as (server, session):
        status, headers, body = await get(session, f"{server.url}/search?q=word1+OR+word2&limit=5&explain=true")

    answer = msgspec.json.decode(body, type=Answer)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert len(answer.hits) == 5
    assert sorted(place for cluster in answer.clusters for place in cluster.hits) == [0, 1, 2, 3, 4]
    for hit in answer.hits:
        assert any(part.match and part.text.lower() in ("word1", "word2") for part in hit.snippet)
        assert sum((hit.parts or {}).values()) == pytest.approx(hit.score)
        assert hit.site == f"http://{hit.leaf}/"
    assert {child.router for child in answer.explain} == {"one.test", "two.test"}


async def test_routers_share_an_application_each_below_its_path(grove: Any) -> None:
    async with served(grove) as (server, session):
        _, _, of_root = await get(session, f"{server.url}/healthz")
        _, _, of_leaf = await get(session, f"{server.url}/one/healthz")
        _, _, found = await get(session, f"{server.url}/one/search?q=word1")

    assert msgspec.json.decode(of_root)["router"] == "root"
    assert msgspec.json.decode(of_leaf)["router"] == "one.test"
    assert {hit.leaf for hit in msgspec.json.decode(found, type=Answer).hits} == {"one.test"}


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "missing required field `q`"),
        ("q=", "length"),
        ("q=a&limit=0", "limit"),
        ("q=word1&limit=many", "limit"),
        ("q=word1&limit=600&offset=600", "1,000"),
        ("q=word1&deadline=0", "deadline"),
        ("q=" + "x" * 4_001, "length"),
    ],
)
async def test_what_makes_no_sense_is_a_problem_that_says_why(grove: Any, query: str, says: str) -> None:
    async with served(grove) as (server, session):
        status, headers, body = await get(session, f"{server.url}/search?{query}")

    assert (status, headers["Content-Type"]) == (400, "application/problem+json")
    assert says in msgspec.json.decode(body, type=Problem).detail


async def test_a_malformed_query_names_the_position(grove: Any) -> None:
    async with served(grove) as (server, session):
        status, _, body = await get(session, f"{server.url}/search", params={"q": "word1 (word2"})

    problem = msgspec.json.decode(body, type=Problem)
    assert (status, problem.position) == (400, 6)


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("DELETE", "/search", 405)])
async def test_unknown_paths_and_methods_are_problems_too(grove: Any, method: str, path: str, status: int) -> None:
    async with served(grove) as (server, session), session.request(method, server.url + path) as response:
        problem = msgspec.json.decode(await response.read(), type=Problem)

    assert (response.status, response.content_type, problem.status) == (status, "application/problem+json", status)
    assert status != 405 or set(response.headers["Allow"].split(",")) == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"\xc1rubbish", {"Content-Type": MSGPACK}, 400),
        (b"{}", {"Content-Type": "application/json"}, 400),
        (b"[" * 100_000, {"Content-Type": "application/json"}, 400),
        (b'{"q": "word1"}', {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 415),
        (b"x" * 1_100_000, {"Content-Type": MSGPACK}, 413),
    ],
)
async def test_bodies_that_are_no_search_are_refused(
    grove: Any, body: bytes, headers: dict[str, str], status: int
) -> None:
    async with (
        served(grove) as (server, session),
        session.post(f"{server.url}/search", data=BytesIO(body), headers=headers) as response,
    ):
        assert (response.status, response.content_type) == (status, "application/problem+json")


async def test_a_query_that_has_passed_too_many_routers_is_refused(grove: Any) -> None:
    async with served(grove):
        request = SearchRequest(q="word1", carried=Carried(query_id="x", idf={"word1": 1.0}, hops=9))
        with pytest.raises(MalformedRequest, match="circle"):
            await grove.client("root").search(request)


async def test_a_label_comes_in_three_forms(grove: Any) -> None:
    async with served(grove) as (server, session):
        _, binary, encoded = await get(session, f"{server.url}/label", headers={"Accept": LABEL})
        _, figure, text = await get(session, f"{server.url}/label", headers={"Accept": "text/plain"})
        _, plain, written = await get(session, f"{server.url}/label")
        again, _, _ = await get(
            session, f"{server.url}/label", headers={"Accept": LABEL, "If-None-Match": binary["ETag"]}
        )

    label = decode(encoded)
    assert (label.name, label.leaves, label.pages) == ("root", 2, 24)
    assert text.startswith(b"((version: ")
    assert figure["Content-Type"] == "text/plain; charset=utf-8"
    assert (plain["Content-Type"], msgspec.json.decode(written)["pages"]) == ("application/json", 24)
    assert again == 304


async def test_a_router_is_up_before_it_is_ready(grove: Any) -> None:
    grove.interior("root", grove.leaf("late.test"))
    await grove.start("root")
    async with aiohttp.ClientSession() as session:
        url = grove.routers["root"].url
        up, _, _ = await get(session, f"{url}/healthz")
        ready, _, body = await get(session, f"{url}/readyz")
        label, _, _ = await get(session, f"{url}/label")
        _, _, found = await get(session, f"{url}/search?q=word1")
        assert (up, ready, label) == (200, 503, 503)
        assert msgspec.json.decode(body)["waiting_for"] == ["late.test"]
        answer = msgspec.json.decode(found, type=Answer)
        assert (answer.exact, answer.complete_above) == (False, None)
        assert [failure.router for failure in answer.coverage.failed] == ["late.test"]

        await grove.start("late.test")
        await grove.until_ready("root")
        ready, _, _ = await get(session, f"{url}/readyz")
        assert ready == 200
        assert (await grove.search("root", "word1")).exact


async def talk(server: Serving, *pieces: bytes, pause: float = 0.0) -> tuple[bytes, asyncio.StreamWriter]:
    """Send pieces with pauses, then read whatever comes until the server hangs up."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(pause)
        return await reader.read(), writer
    except ConnectionError:
        return b"", writer
    finally:
        writer.close()


HEAD = b"POST /search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@pytest.mark.parametrize(
    "pieces", [(), (b"GET /sea",), (HEAD, b"{"), (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",)],
    ids=["silent", "half a request line", "half a body", "idle after an answer"],
)  # fmt: skip
async def test_connections_that_give_nothing_are_closed(grove: Any, pieces: tuple[bytes, ...]) -> None:
    async with served(grove, patience=0.3) as (server, _):
        async with asyncio.timeout(5):
            received, _ = await talk(server, *pieces)

    assert (b"200 OK" in received) == (pieces == (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",))
    assert (b"408" in received) == (len(pieces) == 2)


async def test_a_request_that_trickles_in_is_cut_off(grove: Any) -> None:
    async with served(grove, patience=0.3) as (server, _):
        async with asyncio.timeout(5):
            await talk(server, *(bytes([letter]) for letter in b"GET /healthz HTTP/1.1"), pause=0.05)


async def test_a_client_that_does_not_read_its_answer_is_cut_off(grove: Any) -> None:
    """Pipelined requests for more than kernel buffers hold; the server must not keep the rest in memory."""
    async with served(grove, patience=0.3) as (server, session):
        reader, writer = await asyncio.open_connection(server.host, server.port, limit=1024)
        reader._transport.pause_reading()
        request = b"GET /label HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n"

        async def ask_for_ever() -> None:
            while True:
                writer.write(request * 20)
                await writer.drain()
                await asyncio.sleep(0.01)

        async with asyncio.timeout(20):
            with pytest.raises(ConnectionError):
                await ask_for_ever()
        writer.close()
        status, _, _ = await get(session, f"{server.url}/healthz")

    assert status == 200


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", "a/b"),
        ("*/*", "a/b"),
        ("c/d", "c/d"),
        ("c/*;q=0.5, a/b;q=0.1", "c/d"),
        ("x/y", "a/b"),
        ("a/b;q=bad", "a/b"),
    ],
)
def test_the_form_that_is_accepted_best_is_chosen(accept: str, chosen: str) -> None:
    assert accepted(accept, ("a/b", "c/d")) == chosen
