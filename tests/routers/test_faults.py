"""One router misbehaves: the answer comes in time, names it, and says down to which score nothing is missing."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from math import inf, nan
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hypursuit.errors import RouterUnavailable
from hypursuit.label.wire import encode
from hypursuit.query.answer import ANSWER_BYTES, Answer, Coverage, Hit, SearchRequest
from hypursuit.query.language import parse_query
from routers.child import Child, ChildSpec
from routers.gate import GateSettings
from routers.interior_router import InteriorRouter
from routers.label_store import StoredLabel
from routers.router_settings import RouterSettings
from routers.wire import MSGPACK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    Fault = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

DEADLINE = 1.5
Q = "word1 OR word2 OR word3"


async def plant(grove: Any) -> None:
    """Root over (org over a.org, b.org) and c.com; faults strike b.org, two levels down."""
    org = grove.interior("org", grove.leaf("a.org"), grove.leaf("b.org"))
    grove.interior("root", org, grove.leaf("c.com"))
    await grove.grow()


def http(body: bytes, kind: str = MSGPACK, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def claim(*hits: Hit, **more: Any) -> bytes:
    coverage = Coverage(leaves=1, asked=1, answered=1)
    return http(msgspec.msgpack.encode(Answer(hits=hits, coverage=coverage, exact=True, **more)))


def says(*pieces: bytes, pause: float = 0.0) -> Fault:
    """A server that reads a request and answers with these pieces, whatever it was."""

    async def fault(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return fault


async def stalls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


GOOD = claim(Hit(url="http://b.org/p1", score=0.01))
FAULTS: dict[str, tuple[Fault, str]] = {
    "stalls": (stalls, "did not answer within"),
    "trickles": (says(*(bytes([byte]) for byte in GOOD), pause=0.5), "did not answer within"),
    "late": (says(b"", GOOD, pause=2 * DEADLINE), "did not answer within"),
    "closes before the answer": (says(), "broke off"),
    "closes half-way": (says(GOOD[:-9]), "broke off"),
    "no HTTP": (says(b"\x00\x01\x02 rubbish\r\n\r\n"), "broke off"),
    "rubbish": (says(http(b"\xc1\xff\x00")), "answered with rubbish"),
    "another type": (says(http(msgspec.msgpack.encode({"hits": 3}))), "answered with rubbish"),
    "200 with an error page": (says(http(b"<h1>Oops</h1>", "text/html")), "answered with text/html"),
    "500": (says(http(b"no", "text/plain", "500 Internal Server Error")), "answered 500"),
    "redirect": (
        says(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
        "answered 302",
    ),
    "too long": (says(http(bytes(ANSWER_BYTES + 1))), "answered with more than"),
    "above its bound": (says(claim(Hit(url="http://b.org/p1", score=1e6))), "its label allows no more than"),
    "infinite score": (says(claim(Hit(url="http://b.org/p1", score=inf))), "it claims a score of inf"),
    "no number": (says(claim(Hit(url="http://b.org/p1", score=nan))), "it claims a score of nan"),
    "another site's page": (says(claim(Hit(url="http://bank.test/", score=0.1))), "on none of its hosts"),
    "a script for a page": (says(claim(Hit(url="javascript:alert(1)", score=0.1))), "on none of its hosts"),
    "too many hits": (says(claim(*(Hit(url=f"http://b.org/{n}", score=0.1) for n in range(11)))), "11 hits"),
    "leaves out what is wanted": (says(claim(remaining=0.5)), "it left out what it was asked for"),
}


@asynccontextmanager
async def struck(grove: Any, name: str, fault: Fault) -> AsyncIterator[None]:
    """A router replaced, at its own address, by something that misbehaves."""
    await grove.stop(name)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await fault(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, sock=grove.routers[name].bound.dup())
    try:
        yield
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await grove.stop(name)


async def search(grove: Any, q: str = Q, router: str = "root") -> Answer:
    """A search that has to be back in time."""
    async with asyncio.timeout(DEADLINE):
        answer: Answer = await grove.search(router, q, deadline_ms=int(1000 * DEADLINE))
    return answer


def assert_honest(grove: Any, answer: Answer, q: str = Q) -> None:
    """What is above ``complete_above`` is what one index over all pages would give."""
    central, root = grove.central(), grove.routers["root"].router
    matches, _ = central.search(parse_query(q), root._idf(parse_query(q)), 10)
    truth = [(central.urls[match.page], match.score) for match in matches]
    certain = inf if answer.complete_above is None else answer.complete_above
    assert [(hit.url, hit.score) for hit in answer.hits if hit.score > certain] == [
        (url, score) for url, score in truth if score > certain
    ]
    if answer.exact:
        assert [(hit.url, hit.score) for hit in answer.hits] == truth


async def until_exact(grove: Any) -> None:
    async with asyncio.timeout(5):
        while not (await search(grove)).exact:  # noqa: ASYNC110  others decide when
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", FAULTS)
async def test_an_answer_without_the_faulty_router_is_in_time_and_honest(grove: Any, kind: str) -> None:
    fault, reason = FAULTS[kind]
    await plant(grove)
    bound = (await grove.search("org", Q, explain=True)).explain
    async with struck(grove, "b.org", fault):
        answer = await search(grove)

        [failure] = answer.coverage.failed
        assert (failure.router, failure.leaves) == ("b.org", 1)
        assert reason in failure.reason
        assert not answer.exact
        assert {hit.leaf for hit in answer.hits} == {"a.org", "c.com"}
        assert answer.coverage.asked == answer.coverage.answered + 1 == 3
        assert_honest(grove, answer)
    await grove.start("b.org")
    await until_exact(grove)
    assert len(bound) == 2


async def test_a_router_that_refuses_connections_is_named_and_comes_back(grove: Any) -> None:
    await plant(grove)
    for name, lost in (("b.org", {"b.org"}), ("org", {"a.org", "b.org"})):
        await grove.stop(name)
        answer = await search(grove)
        assert [(failure.router, failure.leaves) for failure in answer.coverage.failed] == [(name, len(lost))]
        assert "cannot be reached" in answer.coverage.failed[0].reason
        assert not {hit.leaf for hit in answer.hits} & lost
        assert_honest(grove, answer)
        await grove.start(name)
        await until_exact(grove)


async def test_a_fault_that_cannot_matter_leaves_the_answer_exact(grove: Any) -> None:
    """Searches whose hits all lie elsewhere do not even notice."""
    await plant(grove)
    await grove.stop("b.org")

    answer = await search(grove, f"({Q}) site:c.com")

    assert answer.exact
    assert answer.hits
    assert answer.coverage.failed == ()


async def test_the_circuit_opens_and_the_rest_no_longer_waits(grove: Any) -> None:
    """A hung router costs the first searches their patience; then it is left alone until it works again."""
    await plant(grove)
    async with struck(grove, "b.org", stalls):
        for _ in range(3):
            await search(grove)
        answer = await search(grove, "word1 OR word2")

        assert "left alone" in answer.coverage.failed[0].reason
        assert (await grove.client("org").health()).open_circuits == ("b.org",)
    await grove.start("b.org")
    await until_exact(grove)
    assert (await grove.client("org").health()).open_circuits == ()


async def test_whatever_order_faults_come_in_all_is_well_within_two_seconds_of_the_last(grove: Any) -> None:
    await plant(grove)
    chance = random.Random(1996)
    for kind in chance.sample(sorted(FAULTS), 4):
        async with struck(grove, "b.org", FAULTS[kind][0]):
            for answer in await asyncio.gather(*(search(grove) for _ in range(chance.randrange(1, 6)))):
                assert_honest(grove, answer)
        await grove.start("b.org")
        async with asyncio.timeout(2):
            while not (await search(grove)).exact:  # noqa: ASYNC110  others decide when
                await asyncio.sleep(0.02)


async def test_a_leaf_under_two_parents_is_asked_once_and_missed_by_nobody(grove: Any) -> None:
    shared = grove.leaf("shared.org")
    one = grove.interior("one", shared, grove.leaf("a.org"))
    two = grove.interior("two", shared, grove.leaf("b.org"))
    grove.interior("root", one, two)
    await grove.grow()

    answer = await grove.search("root", Q, limit=40)

    coverage = answer.coverage
    assert (coverage.asked, coverage.answered, coverage.repeated) == (4, 3, 1)
    assert (answer.exact, coverage.failed) == (True, ())
    assert len({hit.url for hit in answer.hits}) == len(answer.hits) > 10
    assert "shared.org" in {hit.leaf for hit in answer.hits}


class Calls:
    """A way to a router of the same process."""

    def __init__(self) -> None:
        self.router: InteriorRouter | None = None
        self.requests: list[SearchRequest] = []

    async def search(self, request: SearchRequest, seconds: float | None = None) -> Answer:  # noqa: ARG002
        """Pass a search on."""
        self.requests.append(request)
        assert self.router is not None
        return await self.router.search(request)


async def test_a_circle_of_routers_is_walked_once(grove: Any, tmp_path: Path) -> None:
    await plant(grove)
    label = await grove.client("org").label()
    stored = StoredLabel(label, encode(label))
    ways = {name: Calls() for name in ("left", "right")}
    for name, other in (("left", "right"), ("right", "left")):
        child = Child(ChildSpec(other, "http://unused/", ""), ways[other])
        child.stored = stored
        ways[name].router = InteriorRouter(name, "http://unused/", [child], tmp_path / name)

    assert ways["left"].router is not None
    answer = await ways["left"].router.search(SearchRequest(q=Q))

    assert [len(way.requests) for way in ways.values()] == [1, 1]
    assert answer.coverage.repeated == label.leaves
    assert answer.hits == ()


async def test_beyond_its_queue_a_router_says_when_to_come_back(grove: Any) -> None:
    grove.settings = RouterSettings(quiet=0.02, entering=GateSettings(running=2, waiting=2))
    await plant(grove)
    async with struck(grove, "b.org", stalls):
        results = await asyncio.gather(*(search(grove, router="org") for _ in range(12)), return_exceptions=True)

    refused = [result for result in results if isinstance(result, RouterUnavailable)]
    assert {type(result) for result in results} == {Answer, RouterUnavailable}
    assert all(error.busy and "503" in error.reason for error in refused)
    assert len(refused) >= 8
    reply = await grove.client("org")._send("GET", "/search?q=word1", 5.0)
    assert reply.status == 200
