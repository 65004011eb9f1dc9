from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hypursuit.crawl.page import Page
from hypursuit.errors import NotAuthorised, NothingToCluster, StoreUnusable
from hypursuit.label.budget import LabelBudget
from hypursuit.label.wire import encode
from hypursuit.query.answer import Carried, SearchRequest
from routers.leaf_files import prepare_leaf
from routers.leaf_router import LeafRouter
from routers.router_settings import RouterSettings

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.query.answer import Answer

CATS = Page(url="http://site.test/cats", title="Cats", text="Cats purr. A cat is an animal that sleeps.")
DOGS = Page(url="http://site.test/dogs", title="Dogs", text="Dogs bark. A dog is an animal that runs.")
ROOT = Page(url="http://site.test/", title="Animals", text="Every animal is here, cats and dogs and others.")
COPY = Page(url="http://site.test/copy-of-cats", title="Cats", text=CATS.text)


@pytest.fixture
def animals(grove: Any) -> Any:
    """A leaf whose page on cats has another address."""
    return grove.leaf("site.test", [ROOT, CATS, DOGS, COPY], {COPY.url: CATS.url})


def urls(answer: Answer) -> list[str]:
    return [hit.url.removeprefix("http://site.test") for hit in answer.hits]


async def test_a_leaf_finds_its_pages_by_itself(grove: Any, animals: Any) -> None:
    await grove.grow()

    answer = await grove.search("site.test", "cats")

    assert urls(answer) == ["/cats", "/"]
    cats = answer.hits[0]
    assert (cats.title, cats.leaf, cats.site) == ("Cats", "site.test", "http://site.test/")
    assert [part.text for part in cats.snippet if part.match] == ["Cats", "cat"]
    assert (answer.exact, answer.total, answer.total_exact) == (True, 2, True)
    assert (answer.coverage.leaves, answer.coverage.asked, answer.coverage.answered) == (1, 1, 1)


async def test_a_page_is_shown_once_with_its_other_addresses(grove: Any, animals: Any) -> None:
    await grove.grow()

    [cats] = (await grove.search("site.test", "purr")).hits

    assert (cats.url, cats.aliases) == (CATS.url, (COPY.url,))


async def test_crawled_text_that_is_no_text_does_no_harm(grove: Any) -> None:
    """Half characters cannot be sent, and titles of a megabyte need not be."""
    odd = Page(url="http://odd.test/", title="word " + "x" * 1_000_000, text="word \udfff and \u202e words")
    grove.leaf("odd.test", [odd])
    await grove.grow()

    [hit] = (await grove.search("odd.test", "word")).hits

    assert hit.title.startswith("word x")
    assert len(hit.title) <= 300
    assert not set("".join(part.text for part in hit.snippet)) & set("\udfff\u202e")


async def test_results_come_clustered_by_sub_cluster(grove: Any, animals: Any) -> None:
    await grove.grow()
    label = await grove.client("site.test").label()

    answer = await grove.search("site.test", "animal")

    assert sorted(place for cluster in answer.clusters for place in cluster.hits) == [0, 1, 2]
    for cluster in answer.clusters:
        assert cluster.name == label.clusters[cluster.id].name
        assert {answer.hits[place].cluster.id for place in cluster.hits} == {cluster.id}


async def test_pages_of_the_list_join_without_gap_or_overlap(grove: Any) -> None:
    grove.leaf("many.test")
    await grove.grow()
    whole = [hit.url for hit in (await grove.search("many.test", "word1 OR word2 OR word3", limit=50)).hits]

    pages = [await grove.search("many.test", "word1 OR word2 OR word3", limit=3, offset=n) for n in range(0, 15, 3)]

    assert len(whole) > 6
    assert [hit.url for answer in pages for hit in answer.hits] == whole[:15]
    assert (await grove.search("many.test", "word1", offset=900)).hits == ()


async def test_a_carried_query_is_scored_by_the_idf_it_brings_and_cut_at_its_floor(grove: Any, animals: Any) -> None:
    await grove.grow()
    client = grove.client("site.test")

    def carried(query_id: str, floor: float = 0.0) -> SearchRequest:
        return SearchRequest(q="animal", carried=Carried(query_id=query_id, idf={"anim": 2.0}, floor=floor))

    once, twice = await client.search(carried("1")), await grove.search("site.test", "animal")
    ratio = {hit.url: hit.score for hit in once.hits}
    assert len({round(ratio[hit.url] / hit.score, 9) for hit in twice.hits}) == 1

    last = once.hits[-1].score
    assert len((await client.search(carried("2", last))).hits) == 3  # the floor is wanted too
    assert len((await client.search(carried("3", float(np.nextafter(last, 9))))).hits) == 1  # two are equal
    without = SearchRequest(q="animal", carried=Carried(query_id="4", idf={}))
    assert (await client.search(without)).hits == ()


async def test_a_second_asker_is_told_so_and_the_first_may_ask_again(grove: Any, animals: Any) -> None:
    await grove.grow()
    client = grove.client("site.test")
    first = SearchRequest(q="cats", carried=Carried(query_id="q", asker="one", idf={"cat": 1.0}))
    second = SearchRequest(q="cats", carried=Carried(query_id="q", asker="two", idf={"cat": 1.0}))

    answers = [await client.search(request) for request in (first, second, first)]

    assert [len(answer.hits) for answer in answers] == [2, 0, 2]
    assert [answer.repeated for answer in answers] == [False, True, False]
    assert (answers[1].coverage.repeated, answers[1].coverage.failed, answers[1].exact) == (1, (), True)


async def test_a_large_leaf_searches_in_a_thread_with_the_same_result(grove: Any, animals: Any) -> None:
    await grove.grow()
    inline = await grove.search("site.test", "cats animal")
    contents = prepare_leaf("site.test", "http://x/", animals.store)
    router = LeafRouter(contents, settings=RouterSettings(thread_pages=0))

    threaded = await router.search(SearchRequest(q="cats animal"))
    await router.close()

    assert threaded.hits == inline.hits


async def test_a_parent_with_a_smaller_budget_gets_a_smaller_label(grove: Any) -> None:
    grove.leaf("many.test")
    await grove.grow()
    router = grove.routers["many.test"].router
    full, small = await router.label(), await router.label(LabelBudget(bytes=1_500, clusters=3))

    assert len(encode(small)) <= 1_500 < len(encode(full))
    assert (small.pages, small.bytes, small.n_terms, small.leaves) == (full.pages, full.bytes, full.n_terms, 1)
    with pytest.raises(NotAuthorised):
        await router.accept_label("child", "token", b"")


def test_what_was_prepared_is_used_again_until_the_pages_change(grove: Any, animals: Any) -> None:
    first = prepare_leaf("site.test", "http://x/", animals.store)
    again = prepare_leaf("site.test", "http://x/", animals.store)
    assert encode(again.label) == encode(first.label)
    assert again.membership.tolist() == first.membership.tolist()

    moved = prepare_leaf("site.test", "http://y/", animals.store)
    assert (moved.label.url, moved.label.version > first.label.version) == ("http://y/", True)
    smaller = prepare_leaf("site.test", "http://y/", animals.store, LabelBudget(clusters=1))
    assert (len(smaller.label.clusters), smaller.label.version > moved.label.version) == (1, True)


@pytest.mark.parametrize("place", [10, -10])
def test_a_damaged_file_is_made_again(grove: Any, animals: Any, place: int) -> None:
    first = prepare_leaf("site.test", "http://x/", animals.store)
    for suffix in (".leaf", ".index"):
        path = animals.store.with_suffix(suffix)
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)

    again = prepare_leaf("site.test", "http://x/", animals.store)

    assert encode(replace(again.label, version=0)) == encode(replace(first.label, version=0))
    assert list(again.index.urls) == list(first.index.urls)


def test_a_store_without_pages_or_without_a_file_says_what_to_do(grove: Any, tmp_path: Path) -> None:
    empty = grove.leaf("empty.test", [replace(ROOT, url="http://empty.test/", index=False)])

    with pytest.raises(NothingToCluster, match="hypursuit crawl"):
        prepare_leaf("empty.test", "http://x/", empty.store)
    with pytest.raises(StoreUnusable, match="hypursuit crawl"):
        prepare_leaf("no.test", "http://x/", tmp_path / "no.sqlite")
