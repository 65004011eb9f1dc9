from __future__ import annotations

import random
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from hypursuit.crawl.frontier import Entry, Refusal
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.scope import Site
from hypursuit.errors import StoreUnusable
from routers.store import Store, pack_links, pack_text
from routers.store_writer import Attempt, Content, CrawlState, StoreWriter, Visit

if TYPE_CHECKING:
    from pathlib import Path

SITE = Site.of("http://site.test/")
RICH = Page(
    "http://site.test/rich",
    title="Schöne Grüße \U0001f600",
    headers=("One", "Two"),
    keywords=("a", "b"),
    addresses=("Here 1",),
    text="First block.\n\nSecond, with a link and a stray \udc80 half.\n",
    links=(Link("http://site.test/a", "a link", 22, 28), Link("http://other.test/", "", 0, 0, follow=False)),
    description="What it is about",
    language="de",
    canonical="http://site.test/rich",
    follow=False,
)


def visit(page: Page, position: int, **changes: Any) -> Visit:
    content = Content(page, 1234, b"key", b"sketch", '"etag"', "Mon, 05 Jan 2026 10:00:00 GMT")
    return Visit(Entry(position, 0, page.url), Outcome.STORED, Attempt(1000.5, 200), 1234, content, **changes)


def failed(url: str, outcome: Outcome, position: int = 0) -> Visit:
    return Visit(Entry(position, 0, url), outcome, Attempt(1001.0, 404, "status 404"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "er" / "leaf.sqlite"


def test_a_page_comes_out_as_it_went_in(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.commit(visit(RICH, 0))

    with Store.open(path) as store:
        assert store.page(RICH.url) == RICH
        assert list(store.pages()) == [RICH]
        assert list(store.links()) == [(RICH.url, RICH.links)]
        [record] = store.records()
    assert (record.order, record.depth, record.fetched, record.size) == (0, 0, 1000.5, 1234)
    assert (record.etag, record.last_modified) == ('"etag"', "Mon, 05 Jan 2026 10:00:00 GMT")


def test_pages_are_read_in_crawl_order_whatever_the_order_of_arrival(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.commit(visit(Page("http://site.test/"), 0))
        writer.turn(CrawlState(1, finished=False, round=1, depth=1), [], 0.0, [], [])
        for position in (2, 0, 3, 1):
            writer.commit(visit(Page(f"http://site.test/{position}"), position))
        writer.turn(CrawlState(1, finished=False, round=2, depth=2), [], 0.0, [], [("http://site.test/3", -5)])

    with Store.open(path) as store:
        assert [page.url[-1] for page in store.pages()] == ["/", "3", "0", "1", "2"]
        assert [record.depth for record in store.records()] == [0, 1, 1, 1, 1]


def test_what_was_visited_is_not_waiting_after_a_restart(path: Path) -> None:
    entries = [Entry(number, 0, f"http://site.test/{number}") for number in range(4)]
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.turn(CrawlState(1, finished=False, round=1, depth=1), entries, 0.0, [], [])
        writer.commit(visit(Page(entries[1].url), 1))
        joined = Entry(2, 1, "http://site.test/target")
        redirect = Visit(entries[2], Outcome.REDIRECT, Attempt(0.0, 302), leads_to=joined.url, joined=joined)
        writer.commit(redirect, failed(entries[3].url, Outcome.GONE, 3))

    with StoreWriter(path, SITE) as writer:
        assert sorted(writer.waiting()) == [entries[0], joined]
        assert writer.state == CrawlState(1, finished=False, round=1, depth=1)
        assert sorted(writer.visited()) == [
            ("http://site.test/1", 1, None),
            ("http://site.test/2", 2, "http://site.test/target"),
            ("http://site.test/3", 3, None),
        ]
        assert [page.url for page in writer.round_pages()] == ["http://site.test/1"]


def test_log_and_summary_tell_what_happened(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.note(1.0, SITE.robots_url, 404, 0, Outcome.RULES)
        writer.commit(visit(Page(SITE.root), 0, failures=(Attempt(2.0, 503, "status 503"),)))
        refusals = [
            Refusal("http://site.test/private", Outcome.ROBOTS),
            Refusal("http://site.test/t", Outcome.TRAP, "why"),
        ]
        writer.turn(CrawlState(1, finished=False, round=1, depth=1), [], 3.0, refusals, [])

    with Store.open(path) as store:
        log = [(entry.url.removeprefix("http://site.test"), entry.outcome, entry.detail) for entry in store.log()]
        summary = store.summary()
    assert log == [
        ("/robots.txt", Outcome.RULES, ""),
        ("/", Outcome.RETRIED, "status 503"),
        ("/", Outcome.STORED, ""),
        ("/private", Outcome.ROBOTS, ""),
        ("/t", Outcome.TRAP, "why"),
    ]
    assert (summary.pages, summary.size, summary.crawl, summary.finished) == (1, 1234, 1, False)
    assert summary.outcomes[Outcome.ROBOTS] == 1


def test_aliases_are_left_out_unless_asked_for(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        for position, name in enumerate("abc"):
            writer.commit(visit(Page(f"http://site.test/{name}"), position))
        writer.fold({"http://site.test/c": "http://site.test/a"})

    with Store.open(path) as store:
        assert [page.url[-1] for page in store.pages()] == ["a", "b"]
        assert [record.order for record in store.records()] == [0, 1]
        assert [record.alias_of for record in store.records(aliases=True)] == [None, None, "http://site.test/a"]
        assert store.summary().aliases == 1


def test_what_is_kept_lasts_until_the_pages_change(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.commit(visit(Page(SITE.root), 0))
    with Store.open(path) as store:
        store.keep("tree", b"made of one page")
        assert store.kept("tree") == b"made of one page"
        assert store.kept("other") is None

    with StoreWriter(path, SITE) as writer:
        writer.commit(failed("http://site.test/x", Outcome.GONE))
    with Store.open(path) as store:
        assert store.kept("tree") == b"made of one page"

    with Store.open(path) as before:
        with StoreWriter(path, SITE) as writer:
            writer.commit(visit(Page("http://site.test/y"), 1))
        assert before.kept("tree") is None
        before.keep("late", b"made of pages that are no more current")
        assert before.kept("late") is None


def test_a_transaction_that_fails_leaves_nothing_behind(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        broken = visit(Page("http://site.test/broken", title=None), 1)  # type: ignore[arg-type]

        with pytest.raises(StoreUnusable):
            writer.commit(visit(Page(SITE.root), 0), broken)

        assert writer.stored() == 0
        writer.commit(visit(Page(SITE.root), 0))
        assert writer.stored() == 1


def test_readers_go_on_while_a_crawl_writes(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.commit(visit(Page(SITE.root), 0))
        with Store.open(path) as store:
            pages = store.pages()
            assert next(pages).url == SITE.root
            writer.commit(visit(Page("http://site.test/more"), 1))
            assert list(pages) == []
            assert len(list(store.pages())) == 2


def test_a_second_writer_is_refused_until_the_first_is_done(path: Path) -> None:
    with StoreWriter(path, SITE), pytest.raises(StoreUnusable, match="another crawl is writing"):
        StoreWriter(path, SITE)
    StoreWriter(path, SITE).close()


def test_a_store_of_another_site_is_refused(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)

    with pytest.raises(StoreUnusable, match=r"holds http://site\.test/; give http://other\.test/ a store of its own"):
        StoreWriter(path, Site.of("http://other.test/"))
    StoreWriter(path, SITE).close()


def test_a_missing_or_empty_store_says_how_to_make_one(path: Path) -> None:
    with pytest.raises(StoreUnusable, match="hypursuit crawl URL --store"):
        Store.open(path)
    StoreWriter(path, SITE).close()
    with pytest.raises(StoreUnusable, match="holds no crawl yet"):
        Store.open(path)


def test_a_store_of_another_version_is_refused_and_not_touched(path: Path) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreUnusable, match="format 99; this version reads format 1"):
        Store.open(path)
    with pytest.raises(StoreUnusable, match="crawl the site again"):
        StoreWriter(path, SITE)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is no database at all, only text. " * 50, b""])
def test_other_files_are_refused_and_not_touched(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)

    with pytest.raises(StoreUnusable):
        Store.open(path)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused(path: Path) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()

    with pytest.raises(StoreUnusable, match="not a store of HyPursuit"):
        StoreWriter(path, SITE)


@pytest.mark.parametrize("part", ["text", "links"])
def test_a_flipped_bit_in_a_page_is_noticed(path: Path, part: str) -> None:
    chance = random.Random(part)
    text = " ".join(f"{chance.getrandbits(64):x}" for _ in range(500))
    links = tuple(Link(f"http://site.test/{chance.getrandbits(64)}", "x", 0, 0) for _ in range(100))
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        writer.commit(visit(Page(SITE.root, text=text, links=links), 0))
    sound = path.read_bytes()
    packed = pack_text(text) if part == "text" else pack_links(links)
    place = sound.index(packed[100:200])

    for _ in range(40):
        damaged = bytearray(sound)
        damaged[place + chance.randrange(100)] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with Store.open(path) as store, pytest.raises(StoreUnusable, match="is damaged"):
            list(store.pages())


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_store_is_refused(path: Path, share: float) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        for position in range(50):
            writer.commit(
                visit(
                    Page(f"http://site.test/{position}", text=f"{position} {random.Random(position).random()}"),
                    position,
                )
            )
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    with pytest.raises(StoreUnusable, match="is damaged"), Store.open(path) as store:
        list(store.pages())


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StoreUnusable, match="cannot be used"):
        StoreWriter(tmp_path / "file" / "leaf.sqlite", SITE)
