"""Routers as processes of their own at addresses of their own, only HTTP between them; any of them may be killed."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from hypursuit.errors import RouterUnavailable
from hypursuit.query.answer import Answer, SearchRequest
from hypursuit.query.index import PageIndex
from hypursuit.query.language import parse_query
from hypursuit.text.scoring import Scoring
from routers.client import RouterClient, make_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

    from hypursuit.crawl.page import Page

DEADLINE = 4.0
SEARCHES = 100
QUERIES = ["word1", "word2 OR word3", "word4 OR word5 OR word6", "word7 word8", "title:word1 OR word9"]

# One router until it is killed. What it needs is imported once, in the server that the processes are forked from.
ROUTER = """
import asyncio
from pathlib import Path
from routers.child import Child, ChildSpec
from routers.client import RouterClient, make_session
from routers.connections import serving
from routers.http_api import make_app
from routers.interior_router import InteriorRouter
from routers.label_push import LabelPush
from routers.leaf_files import prepare_leaf
from routers.leaf_router import LeafRouter
from routers.router_settings import RouterSettings

async def main():
    async with make_session() as session:
        pushes = [LabelPush(RouterClient(url, session), "token of {name}", first_pause=0.02) for url in {parents!r}]
        if {store!r}:
            router = LeafRouter(prepare_leaf("{name}", "{url}", Path({store!r})), pushes=pushes)
        else:
            children = [
                Child(ChildSpec(name, url, "token of " + name), RouterClient(url, session, name))
                for name, url in {children!r}
            ]
            settings = RouterSettings(quiet=0.05)
            router = InteriorRouter("{name}", "{url}", children, Path({folder!r}), pushes=pushes, settings=settings)
        async with serving(make_app({{"/": router}}), "{host}", {port}):
            await asyncio.Event().wait()

asyncio.run(main())
"""


@dataclass
class Machine:
    """A router's process and its loopback address."""

    name: str
    host: str
    folder: Path
    store: str = ""
    children: list[Machine] = field(default_factory=list)
    parents: list[Machine] = field(default_factory=list)
    process: ForkServerProcess | None = None
    port: int = 0

    def __post_init__(self) -> None:
        with socket.socket() as probe:
            probe.bind((self.host, 0))
            self.port = probe.getsockname()[1]

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{self.host}:{self.port}"

    def boot(self) -> None:
        """Start the router."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["routers.http_api", "routers.leaf_router", "hypursuit.clustering.organise"])
        code = ROUTER.format(
            name=self.name,
            host=self.host,
            port=self.port,
            url=self.url,
            store=self.store,
            folder=str(self.folder),
            parents=[parent.url for parent in self.parents],
            children=[(child.name, child.url) for child in self.children],
        )
        self.process = context.Process(target=exec, args=(code, {}), daemon=True)
        self.process.start()

    def kill(self) -> None:
        """SIGKILL."""
        assert self.process is not None
        self.process.kill()
        self.process.join()
        assert self.process.exitcode == -signal.SIGKILL


@dataclass
class Hosts:
    """root over (org over a.org, b.org) and (com over c.com, d.com): seven machines."""

    machines: dict[str, Machine]
    central: PageIndex
    client: RouterClient

    async def search(self, q: str) -> Answer:
        """A search at the root, which has to be back within its deadline."""
        async with asyncio.timeout(DEADLINE):
            return await self.client.search(SearchRequest(q=q, deadline_ms=int(1000 * DEADLINE)), seconds=DEADLINE)

    def truth(self, q: str) -> list[tuple[str, float]]:
        """What one index over all pages finds."""
        query, pages = parse_query(q), len(self.central.urls)
        idf = {stem: Scoring.idf(self.central.page_frequency(stem), pages) for stem in query.stems()}
        matches, _ = self.central.search(query, idf, 10)
        return [(self.central.urls[match.page], match.score) for match in matches]

    async def until_exact(self) -> None:
        """Wait until every query is answered as if nothing had been."""
        async with asyncio.timeout(30):
            for q in QUERIES:
                while not await self._exact(q):  # noqa: ASYNC110  others decide when
                    await asyncio.sleep(0.05)

    async def _exact(self, q: str) -> bool:
        try:
            answer = await self.search(q)
        except RouterUnavailable:
            return False
        return answer.exact and answer.coverage.leaves == 4 and found(answer) == self.truth(q)


def found(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in answer.hits]


@asynccontextmanager
async def hosts(grove: Any, folder: Path) -> AsyncIterator[Hosts]:
    """Seven processes at 127.0.0.2 to 127.0.0.8, up and exact."""
    names = ["root", "org", "com", "a.org", "b.org", "c.com", "d.com"]
    machines = {name: Machine(name, f"127.0.0.{n}", folder / name) for n, name in enumerate(names, 2)}
    pages: list[Page] = []
    for name in names[3:]:
        planted = grove.leaf(name)
        machines[name].store = str(planted.store)
        pages += planted.pages
    for parent, below in {"root": ["org", "com"], "org": ["a.org", "b.org"], "com": ["c.com", "d.com"]}.items():
        machines[parent].children = [machines[name] for name in below]
        for name in below:
            machines[name].parents.append(machines[parent])
    async with make_session() as session:
        made = Hosts(machines, PageIndex.build(pages), RouterClient(machines["root"].url, session))
        try:
            for machine in machines.values():
                machine.boot()
            await made.until_exact()
            yield made
        finally:
            for machine in machines.values():
                if machine.process is not None:
                    machine.process.kill()
                    machine.process.join()


def assert_honest(answer: Answer, truth: list[tuple[str, float]], victim: str) -> None:
    assert {failure.router for failure in answer.coverage.failed} <= {victim}
    certain = answer.complete_above
    assert certain is not None
    assert [hit for hit in found(answer) if hit[1] > certain] == [hit for hit in truth if hit[1] > certain]
    if answer.exact:
        assert found(answer) == truth


@pytest.mark.parametrize("victim", ["b.org", "com"])
async def test_a_router_killed_during_a_hundred_searches_is_named_and_all_answers_are_in_time(
    grove: Any, tmp_path: Path, victim: str
) -> None:
    """After a restart answers are exact again, from the store: the sites themselves do not even exist."""
    async with hosts(grove, tmp_path) as made:
        answered = asyncio.Semaphore(0)

        async def one(number: int) -> Answer:
            await asyncio.sleep(number * 0.004)
            answer = await made.search(QUERIES[number % len(QUERIES)])
            answered.release()
            return answer

        running = [asyncio.create_task(one(number)) for number in range(SEARCHES)]
        for _ in range(SEARCHES // 5):
            await answered.acquire()
        made.machines[victim].kill()
        answers = await asyncio.gather(*running)

        for number, answer in enumerate(answers):
            assert_honest(answer, made.truth(QUERIES[number % len(QUERIES)]), victim)
        assert sum(bool(answer.coverage.failed) for answer in answers) > SEARCHES // 4
        assert any(not answer.exact for answer in answers)

        made.machines[victim].boot()
        await made.until_exact()


async def test_a_killed_root_serves_again_from_what_it_stored(grove: Any, tmp_path: Path) -> None:
    """Whoever asks while it is gone is told so at once, not left waiting."""
    async with hosts(grove, tmp_path) as made:
        running = [asyncio.create_task(made.search(QUERIES[n % len(QUERIES)])) for n in range(SEARCHES)]
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        made.machines["root"].kill()
        results = await asyncio.gather(*running, return_exceptions=True)

        assert {type(result) for result in results} <= {Answer, RouterUnavailable}
        with pytest.raises(RouterUnavailable, match="cannot be reached"):
            await made.search(QUERIES[0])
        for child in made.machines["root"].children:
            child.kill()  # nobody is there to send a label again

        made.machines["root"].boot()
        answer = await _first_answer(made)
        assert answer.coverage.leaves == 4
        assert {failure.router for failure in answer.coverage.failed} == {"org", "com"}
        for child in made.machines["root"].children:
            child.boot()
        await made.until_exact()


async def _first_answer(made: Hosts) -> Answer:
    async with asyncio.timeout(20):
        while True:
            try:
                return await made.search(QUERIES[0])
            except RouterUnavailable:
                await asyncio.sleep(0.02)


async def test_a_hung_router_costs_its_share_of_the_time_and_comes_back(grove: Any, tmp_path: Path) -> None:
    """Stopped, a process still accepts connections; only time tells that nobody is there."""
    async with hosts(grove, tmp_path) as made:
        victim = made.machines["b.org"].process
        assert victim is not None
        assert victim.pid is not None
        os.kill(victim.pid, signal.SIGSTOP)
        try:
            answers = await asyncio.gather(*(made.search(QUERIES[n % len(QUERIES)]) for n in range(SEARCHES)))
            later = await made.search(QUERIES[0])
        finally:
            os.kill(victim.pid, signal.SIGCONT)

        for number, answer in enumerate(answers):
            assert_honest(answer, made.truth(QUERIES[number % len(QUERIES)]), "b.org")
        assert any("did not answer within" in answer.coverage.failed[0].reason for answer in answers)
        assert "left alone" in later.coverage.failed[0].reason
        await made.until_exact()
