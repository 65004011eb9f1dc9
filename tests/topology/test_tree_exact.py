"""The tree returns exactly what one index over all pages would, whatever its labels may cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import networkx as nx
import pytest

from hypursuit.query.answer import SearchRequest
from hypursuit.text.scoring import Scoring
from routers.client import RouterClient, make_session
from routers.crawler import store_path
from topology.bench.tree_corpus import Central
from topology.launch import running_tree
from topology.network import Listen, Network, network_of

if TYPE_CHECKING:
    from conftest import Web

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.query import Idf, Query

QUERIES = 120


@pytest.fixture(scope="module")
def network(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Network:
    made = network_of(web.urls, tmp_path_factory.mktemp("stores"), resolves=web.resolves[1::2])
    return replace(made, listen=Listen(port=0))


def idf_from(labels: list[ContentLabel], query: Query) -> Idf:
    """As the root makes it, of the labels of its children."""
    pages = sum(label.pages for label in labels)
    return {stem: Scoring.idf(sum(label.page_frequency(stem) for label in labels), pages) for stem in query.stems()}


@pytest.mark.parametrize(("leaf_bytes", "interior_bytes"), [(410_000, 678_000), (3_000, 4_000), (900, 1_200)])
async def test_answers_equal_those_of_a_central_index(network: Network, leaf_bytes: int, interior_bytes: int) -> None:
    """All kinds of queries: top 10, top 50 and page 2, URLs, order and scores."""
    budgets = msgspec.structs.replace(network.budgets, leaf_bytes=leaf_bytes, interior_bytes=interior_bytes)
    async with running_tree(replace(network, budgets=budgets)) as tree, make_session() as session:
        central = Central(store_path(network.store, leaf.site) for leaf in tree.topology.leaves if leaf.site)
        root = RouterClient(tree.url, session)
        labels = [
            await RouterClient(tree.urls[child.name], session).label()
            for child in tree.topology.below(tree.topology.root.name)
        ]
        compared = 0
        for asked in central.queries(QUERIES, most=60):
            best = central.best(asked.query, idf_from(labels, asked.query), 50)
            for limit, offset in ((10, 0), (50, 0), (10, 10)):
                request = SearchRequest(q=asked.text, limit=limit, offset=offset, deadline_ms=30_000)
                answer = await root.search(request)
                assert [(hit.url, hit.score) for hit in answer.hits] == best[offset : offset + limit], asked.text
                assert answer.exact
                assert answer.coverage.leaves == answer.coverage.asked + answer.coverage.pruned
                compared += len(answer.hits)

    assert compared > QUERIES, "most queries find something"


async def test_with_whole_labels_some_leaves_are_not_asked(network: Network) -> None:
    async with running_tree(network) as tree, make_session() as session:
        answer = await RouterClient(tree.url, session).search(SearchRequest(q="stonebird", limit=3, deadline_ms=30_000))

    assert answer.coverage.pruned > 0
    assert answer.coverage.asked < len(tree.topology.leaves)


async def test_every_router_answers_for_what_is_below_it(network: Network) -> None:
    """A query may enter anywhere: the same API, a smaller scope."""
    async with running_tree(network) as tree, make_session() as session:
        for router in tree.topology.routers:
            request = SearchRequest(q="stonebird OR riverwork OR cloudland", limit=50, deadline_ms=30_000)
            answer = await RouterClient(tree.urls[router.name], session).search(request)
            reach = {router.name} | nx.descendants(tree.topology.graph, router.name)
            below = reach & {leaf.name for leaf in tree.topology.leaves}
            assert answer.exact
            assert {hit.leaf for hit in answer.hits} <= below
            assert answer.coverage.leaves == len(below)
