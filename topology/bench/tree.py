"""The tree on real sites: is it exact, how few leaves does it ask, how fast is it?

    hypursuit bench tree --web FOLDER

Everything in one run, against one index over all pages with the same scoring.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from statistics import mean, quantiles
from typing import TYPE_CHECKING

import msgspec
import networkx as nx
from aiohttp import web as http

from hypursuit.evaluation.routing import leaves_needed, rankings
from hypursuit.query import parse_query
from hypursuit.query.answer import Answer, Coverage, Hit, SearchRequest, SnippetPart
from hypursuit.query.snippets import snippet
from hypursuit.text.scoring import Scoring
from hypursuit.text.stemming import Stems
from routers.client import RouterClient, make_session
from routers.crawler import store_path
from topology.bench.tree_corpus import AskedQuery, Central, network_over
from topology.launch import running_tree
from topology.network import Listen
from topology.static_sites import StaticSites

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    import aiohttp

    from hypursuit.query.query import Idf, Query
    from topology.launch import RunningTree
    from topology.network import Network

SHARES = (1.0, 0.5, 0.25, 1 / 16, 1 / 64)
_AT_ONCE = 16
_DEADLINE_MS = 30_000
_TIMED = 300
_SATURATION_SECONDS = 8.0


@dataclass
class Economy:
    """How many leaves were asked for the exact top 10, at one budget."""

    share: float
    leaves: int = 0
    asked: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Kind of query → leaves asked, one entry a query."""
    label_bytes: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Level above the leaves → sizes of labels."""
    wrong: list[str] = field(default_factory=list)
    """Queries whose answer was not the central index's."""

    @property
    def mean_asked(self) -> float:
        """Over all queries."""
        return mean(number for numbers in self.asked.values() for number in numbers)


@dataclass
class TreeResults:
    """Everything that was measured."""

    leaves: int = 0
    routers: int = 0
    pages: int = 0
    queries: int = 0
    same_idf: int = 0
    """Queries whose idf from labels is that of all pages."""
    compared: int = 0
    economies: list[Economy] = field(default_factory=list)
    needed: dict[str, float] = field(default_factory=dict)
    """Ranking → leaves it needs on average for the same top 10."""
    holders: float = 0.0
    """Leaves that hold one of the ten best, on average."""
    tree_ms: tuple[float, float] = (0.0, 0.0)
    """Median and 99th percentile at the root."""
    central_ms: tuple[float, float] = (0.0, 0.0)
    tree_rate: float = 0.0
    central_rate: float = 0.0
    start_seconds: float = 0.0
    memory_mb: float = 0.0


async def measure_tree(
    web: Path, store: Path, told: Callable[[str], None], *, sites: int = 112, pages: int = 200, queries: int = 1_020
) -> TreeResults:
    """Crawl what is not there yet, bring up the tree, ask, compare."""
    results = TreeResults()
    async with StaticSites(web) as served:
        network = network_over(web, store, sites=sites, pages=pages, resolves=served.resolve_entries())
        told("crawling, indexing, labelling")
        async with running_tree(network) as tree:
            port = tree.network.listen.port
    # The same port again: labels name their routers' addresses, and new addresses would be news to every parent.
    network = replace(network_over(web, store, sites=sites, pages=pages), listen=Listen(port=port))
    told("starting from stores")
    started = await _start_apart(web, store, sites, pages, port)
    results.start_seconds, results.memory_mb = started["seconds"], started["mb"]
    async with running_tree(network) as tree:
        results.leaves, results.routers = len(tree.topology.leaves), len(tree.urls)
        told("building the central index")
        stores = [store_path(store, leaf.site) for leaf in tree.topology.leaves if leaf.site]
        central = await asyncio.to_thread(Central, stores)
        asked = central.queries(queries)
        results.pages, results.queries = len(central.index.urls), len(asked)
        told("comparing answers")
        results.economies.append(await _economy(tree, central, asked, 1.0, results))
        _compare_rankings(central, asked, results)
        told("timing")
        await _speed(tree, central, asked, results)
    for share in SHARES[1:]:
        told(f"budgets at {share:.3g} of the default")
        async with running_tree(_with_budgets(network, store, share)) as tree:
            results.economies.append(await _economy(tree, central, asked, share, None))
    return results


async def _start_apart(web: Path, store: Path, *numbers: int) -> dict[str, float]:
    command = [sys.executable, "-m", "topology.bench.tree_start", str(web), str(store), *map(str, numbers)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    figures: dict[str, float] = json.loads(printed)
    return figures


def _with_budgets(network: Network, store: Path, share: float) -> Network:
    budgets = network.budgets
    smaller = msgspec.structs.replace(
        budgets, leaf_bytes=int(budgets.leaf_bytes * share), interior_bytes=int(budgets.interior_bytes * share)
    )
    return replace(network, budgets=smaller, store=store)


async def _economy(
    tree: RunningTree, central: Central, asked: list[AskedQuery], share: float, results: TreeResults | None
) -> Economy:
    """Ask everything of the root and hold the answers against the central index."""
    economy = Economy(share, len(tree.topology.leaves))
    async with make_session() as session:
        await _weigh_labels(tree, session, economy)
        root = RouterClient(tree.url, session)
        children = [
            RouterClient(tree.urls[c], session) for c in tree.topology.graph.successors(tree.topology.root.name)
        ]
        labels = [await child.label() for child in children]
        pages = sum(label.pages for label in labels)

        def idf_at_root(query: Query) -> Idf:
            return {stem: Scoring.idf(sum(la.page_frequency(stem) for la in labels), pages) for stem in query.stems()}

        for entry in asked:
            idf = idf_at_root(entry.query)
            if results is not None:
                results.same_idf += idf == central.idf(entry.query)
            expected = await asyncio.to_thread(central.best, entry.query, idf, 50)
            windows = ((10, 0), (50, 0), (10, 10)) if results is not None else ((10, 0),)
            for limit, offset in windows:
                answer = await root.search(_request(entry.text, limit, offset))
                if _shown(answer) != expected[offset : offset + limit] or not answer.exact:
                    economy.wrong.append(f"{entry.text} ({limit} from {offset})")
                if results is not None:
                    results.compared += 1
                if (limit, offset) == (10, 0):
                    economy.asked[entry.kind].append(answer.coverage.asked)
    return economy


async def _weigh_labels(tree: RunningTree, session: aiohttp.ClientSession, economy: Economy) -> None:
    """Sizes of the labels as they travel, by level: 0 for leaves."""
    graph = tree.topology.graph
    for name, url in tree.urls.items():
        height = nx.dag_longest_path_length(graph.subgraph({name} | nx.descendants(graph, name)))
        async with session.get(
            f"{url.rstrip('/')}/label", headers={"Accept": "application/vnd.hypursuit.label"}
        ) as got:
            economy.label_bytes[height].append(len(await got.read()))


def _request(text: str, limit: int, offset: int) -> SearchRequest:
    return SearchRequest(q=text, limit=limit, offset=offset, deadline_ms=_DEADLINE_MS)


def _shown(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in answer.hits]


def _compare_rankings(central: Central, asked: list[AskedQuery], results: TreeResults) -> None:
    needed: dict[str, list[int]] = defaultdict(list)
    holding = []
    for number, entry in enumerate(asked):
        idf = central.idf(entry.query)
        holders = {central.leaf_of_url[url] for url, _ in central.best(entry.query, idf, 10)}
        holding.append(len(holders))
        for name, order in rankings(central.statistics(entry.query, idf), seed=number).items():
            needed[name].append(leaves_needed(order, holders))
    results.needed = {name: mean(numbers) for name, numbers in needed.items()}
    results.holders = mean(holding)


async def _speed(tree: RunningTree, central: Central, asked: list[AskedQuery], results: TreeResults) -> None:
    """The same queries of the root and of the central index, each over one HTTP hop, in turns."""
    texts = [entry.text for entry in asked[:_TIMED]]
    async with make_session() as session, _served(central) as url:
        root, peer = RouterClient(tree.url, session), RouterClient(url, session)
        times: dict[RouterClient, list[float]] = {root: [], peer: []}
        for text in texts:
            for client in (root, peer):
                begin = time.perf_counter()
                await client.search(_request(text, 10, 0))
                times[client].append((time.perf_counter() - begin) * 1000)
        results.tree_ms, results.central_ms = _middle_and_tail(times[root]), _middle_and_tail(times[peer])
        results.tree_rate = await _saturated(root, texts)
        results.central_rate = await _saturated(peer, texts)


def _middle_and_tail(times: list[float]) -> tuple[float, float]:
    cuts = quantiles(times, n=100)
    return cuts[49], cuts[98]


async def _saturated(client: RouterClient, texts: list[str]) -> float:
    """Answers a second when there is always a queue."""
    done = 0
    until = time.perf_counter() + _SATURATION_SECONDS

    async def ask(number: int) -> None:
        nonlocal done
        while time.perf_counter() < until:
            await client.search(_request(texts[number % len(texts)], 10, 0))
            number += _AT_ONCE
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*(ask(number) for number in range(_AT_ONCE)))
    return done / (time.perf_counter() - begin)


@asynccontextmanager
async def _served(central: Central) -> AsyncIterator[str]:
    """The central index behind the same request and answer, snippets included."""
    stems = Stems()

    async def search(request: http.Request) -> http.Response:
        asked = msgspec.msgpack.decode(await request.read(), type=SearchRequest)
        query = parse_query(asked.q, stems)
        matches, total = central.index.search(query, central.idf(query), asked.limit)
        hits = []
        for match in matches:
            url = central.index.urls[match.page]
            parts = tuple(SnippetPart(*part) for part in snippet(central.texts[url], query, stems=stems).parts)
            hits.append(Hit(url=url, score=match.score, title=central.index.titles[match.page], snippet=parts))
        answer = Answer(hits=tuple(hits), coverage=Coverage(leaves=1, asked=1, answered=1), exact=True, total=total)
        return http.Response(body=msgspec.msgpack.encode(answer), content_type="application/msgpack")

    app = http.Application()
    app.router.add_post("/search", search)
    runner = http.AppRunner(app)
    await runner.setup()
    site = http.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
