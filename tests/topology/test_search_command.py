"""``hypursuit search`` as a stranger runs it, against a server that answers as routers do."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from hypursuit.query.answer import Answer, Coverage, Failure, Hit, Problem, SearchRequest, SnippetPart
from routers.wire import MSGPACK, PROBLEM, pack, unpack

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HITS = tuple(
    Hit(url=f"http://x.org/{i}", score=9.0 - i, title=f"[b]Page {i}[/b]", snippet=(SnippetPart("rose", True),))
    for i in range(3)
)
EXACT = Answer(hits=HITS, coverage=Coverage(leaves=8, asked=2, answered=2, pruned=6), exact=True, total=3, took_ms=5.0)
FAILED = Coverage(leaves=8, asked=8, failed=(Failure(router=".", reason="stalled", leaves=8),))


@dataclass
class CannedRouter:
    """Answers every search alike, and remembers what was asked."""

    answer: Answer | Problem = EXACT
    url: str = ""
    requests: list[SearchRequest] = field(default_factory=list)

    async def search(self, request: web.Request) -> web.Response:
        """POST /search."""
        self.requests.append(unpack(await request.read(), SearchRequest, MSGPACK))
        if isinstance(self.answer, Problem):
            return web.Response(body=pack(self.answer), status=self.answer.status, content_type=PROBLEM)
        return web.Response(body=pack(self.answer, MSGPACK), content_type=MSGPACK)


@pytest.fixture
async def router() -> AsyncIterator[CannedRouter]:
    canned = CannedRouter()
    app = web.Application()
    app.router.add_post("/search", canned.search)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    canned.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield canned
    await runner.cleanup()


async def search(*words: object) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "topology", "search", *map(str, words),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_a_search_shows_the_ranked_pages_and_the_coverage(router: CannedRouter) -> None:
    code, out, err = await search("rose", "--router", router.url)

    assert (code, err) == (0, "")
    assert [line.strip() for line in out.splitlines()][:3] == ["1. [b]Page 0[/b]  9.000", "http://x.org/0", "rose"]
    assert "3 pages match; 2 of 8 sites asked; certainly complete; 5 ms" in out


async def test_words_and_options_arrive_at_the_router(router: CannedRouter) -> None:
    await search(
        "title:rose", "-thorn", '"red petal"', "--limit", 5, "--offset", 10, "--deadline", 0.5, "--explain",
        "--router", router.url.removeprefix("http://"),
    )  # fmt: skip

    [request] = router.requests
    assert request.q == 'title:rose -thorn "red petal"'
    assert (request.limit, request.offset, request.deadline_ms, request.explain) == (5, 10, 500, True)


async def test_json_is_the_answer_and_nothing_else(router: CannedRouter) -> None:
    code, out, _ = await search("rose", "--json", "--router", router.url)
    answer = json.loads(out)

    assert code == 0
    assert [hit["url"] for hit in answer["hits"]] == [hit.url for hit in HITS]
    assert answer["exact"] is True
    assert answer["coverage"]["asked"] == 2


async def test_a_query_that_cannot_be_read_is_told_as_the_router_says(router: CannedRouter) -> None:
    router.answer = Problem(title="malformed", status=400, detail="the query cannot be read from character 1 on")
    code, out, err = await search("(rose", "--router", router.url)

    assert (code, out) == (1, "")
    assert "cannot be read from character 1" in err


async def test_finding_nothing_is_fine_but_being_unable_to_look_is_not(router: CannedRouter) -> None:
    router.answer = Answer(coverage=Coverage(leaves=8, pruned=8), exact=True)
    assert (await search("rose", "--router", router.url))[0] == 0

    router.answer = Answer(coverage=FAILED, exact=False, complete_above=None)
    code, out, _ = await search("rose", "--router", router.url)
    assert code == 1
    assert "no answer from . (8 sites): stalled" in out


async def test_without_a_router_it_says_what_to_do() -> None:
    code, _, err = await search("rose", "--router", "http://127.0.0.1:9/")

    assert code == 1
    assert "http://127.0.0.1:9/ cannot be reached" in err
    assert "hypursuit up" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["rose", "--limt", "5"], 2, "Did you mean '--limit'?"),
        (["rose", "--limit", "0"], 2, "0 is not in the range"),
        (["rose", "--router", "ftp://x"], 1, "is not the URL of a router: only http and https"),
        (["x" * 5000], 1, "the query has 5000 characters"),
        ([], 2, "Missing argument"),
    ],
)
async def test_mistakes_are_told(words: list[str], code: int, message: str) -> None:
    found, _, err = await search(*words)

    assert found == code
    assert message in err
