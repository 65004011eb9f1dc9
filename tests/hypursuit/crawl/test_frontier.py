from __future__ import annotations

import random

from hypursuit.crawl.frontier import Entry, Gate, Refusal, Round, final_positions, outgoing
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.robots import read_robots
from hypursuit.crawl.scope import Site
from hypursuit.crawl.traps import TrapGuard, TrapLimits

SITE = Site.of("http://docs.example/")


def link(target: str, *, follow: bool = True) -> Link:
    return Link(target, "", 0, 0, follow)


def test_urls_are_claimed_in_order_and_a_redirect_comes_next() -> None:
    current = Round([Entry(2, 0, "c"), Entry(0, 0, "a"), Entry(1, 0, "b")])
    first = current.claim()
    assert first == Entry(0, 0, "a")
    current.settle(first)
    current.redirect(first, "z", Entry(0, 1, "z"))

    assert [current.claim().url for _ in range(3)] == ["z", "b", "c"]  # type: ignore[union-attr]
    assert current.claim() is None
    assert (current.under_way, current.waiting) == (3, 0)


def test_a_page_stands_where_the_first_redirect_to_it_stood() -> None:
    # a -> c -> d and b -> d; whichever came first, d stands at a's place.
    redirects = {"a": "c", "c": "d", "b": "d"}

    assert final_positions([("a", 0), ("b", 1), ("c", 0), ("d", 0)], redirects)["d"] == 0
    assert final_positions([("d", 1), ("c", 7), ("b", 1), ("a", 0)], redirects)["d"] == 0
    assert final_positions([("x", 4), ("y", 5)], {"x": "y", "y": "x"}) == {"x": 4, "y": 4}


def test_final_positions_equal_a_search_over_all_sources() -> None:
    """Oracle: the smallest position over every URL from which a chain of redirects reaches the page."""
    for seed in range(200):
        chance = random.Random(seed)
        urls = [f"u{number}" for number in range(12)]
        positions = [(url, chance.randrange(20)) for url in urls]
        redirects = {url: chance.choice(urls) for url in urls if chance.random() < 0.5}

        def reaches(source: str, target: str, redirects: dict[str, str] = redirects) -> bool:
            for _ in range(13):
                if source == target:
                    return True
                source = redirects.get(source, "")
            return False

        expected = {url: min(place for source, place in positions if reaches(source, url)) for url in urls}
        assert final_positions(positions, redirects) == expected, seed


def test_discoveries_follow_the_order_of_pages_not_of_arrival() -> None:
    current = Round([Entry(0, 0, "a"), Entry(1, 0, "b"), Entry(2, 0, "r")])
    entries = [current.claim() for _ in range(3)]
    for url, leads in (("b", ("3", "4")), ("a", ("1", "2"))):
        current.page(url, leads)
    for entry in reversed(entries):
        assert entry is not None
        current.settle(entry)

    assert list(current.discoveries()) == ["1", "2", "3", "4"]
    assert current.moved() == []

    # A redirect from a place before b brings b forward.
    late = Round([])
    for url, position in (("r", 0), ("a", 1), ("b", 2)):
        late.settle(Entry(position, 0, url))
    late.redirect(Entry(0, 0, "r"), "b", None)
    late.page("a", ("1",))
    late.page("b", ("2",))
    assert list(late.discoveries()) == ["2", "1"]
    assert late.moved() == [("b", 0)]


def test_outgoing_links_are_the_sites_own_once_and_followed() -> None:
    page = Page(
        "http://docs.example/a",
        links=(
            link("http://docs.example/b"),
            link("http://other.example/"),
            link("http://docs.example/c", follow=False),
            link("http://docs.example/d"),
            link("http://docs.example/b"),
        ),
        canonical="http://docs.example/e",
    )
    silent = Page("http://docs.example/a", links=page.links, canonical="http://other.example/", follow=False)

    assert outgoing(page, SITE) == ("http://docs.example/e", "http://docs.example/b", "http://docs.example/d")
    assert outgoing(silent, SITE) == ()


def gate() -> Gate:
    return Gate(SITE, read_robots(200, b"User-agent: *\nDisallow: /no"), TrapGuard(TrapLimits(queries=1)))


def test_the_gate_lets_every_url_in_once_or_refuses_it_once() -> None:
    found = ["/a", "/no", "/a", "/q?1", "/q?2", "/no", "/b"]

    decided = list(gate().draw_up([SITE.root.rstrip("/") + path for path in found] + ["http://other.example/"], 1))

    assert decided == [
        "http://docs.example/a",
        Refusal("http://docs.example/no", Outcome.ROBOTS),
        "http://docs.example/q?1",
        Refusal("http://docs.example/q?2", Outcome.TRAP, "more than 1 query strings on one path"),
        "http://docs.example/b",
    ]


def test_redirects_pass_the_same_gate() -> None:
    opened = gate()

    assert opened.redirect("http://other.example/") == Refusal(
        "http://other.example/", Outcome.OFF_SITE, "http://other.example/"
    )
    assert opened.redirect("http://docs.example/no/1") == Refusal(
        "http://docs.example/no/1", Outcome.ROBOTS, "http://docs.example/no/1"
    )
    assert opened.redirect("http://docs.example/a/a/a/a/a/") is not None
    assert opened.redirect("http://docs.example/fine") is None
    assert opened.join("http://docs.example/fine")
    assert not opened.join("http://docs.example/fine")


def test_a_restored_gate_decides_like_the_one_before() -> None:
    first = gate()
    drawn = list(first.draw_up(["http://docs.example/q?1", "http://docs.example/no"], 1))
    second = gate()
    second.restore([("http://docs.example/q?1", 1, True), ("http://docs.example/no", 1, False)])

    more = ["http://docs.example/q?1", "http://docs.example/q?2", "http://docs.example/no", "http://docs.example/x"]
    assert len(drawn) == 2
    assert list(first.draw_up(more, 2)) == list(second.draw_up(more, 2))
