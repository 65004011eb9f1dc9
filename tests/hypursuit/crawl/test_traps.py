from __future__ import annotations

import pytest

from hypursuit.crawl.traps import TrapGuard, TrapLimits, without_session

HOST = "http://docs.example"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "a" * 2000, "more than 2000 characters"),
        ("/x" * 3 + "/" + "/".join(f"d{number}" for number in range(40)), "more than 30 segments"),
        ("/a/a/a/a/", "repeats itself"),
        ("/guide/a/b/a/b/a/b/a/b", "repeats itself"),
        ("/x/a/b/c/a/b/c/a/b/c/a/b/c?q", "repeats itself"),
        ("/a//////", "repeats itself"),
        ("/search?" + "&".join(f"p{number}=1" for number in range(13)), "more than 12 parameters"),
    ],
)
def test_misshapen_urls_are_refused(path: str, reason: str) -> None:
    assert reason in (TrapGuard().admit(HOST + path, 1) or "")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/a/a/b",
        "/api/org/org/Org/Org.html",
        "/2026/01/05/",
        "/1/1/1/",
        "/aaaa/aaa/aa/a",
        "/a?b=c&d=e",
        "/ab/abab/ab",
    ],
)
def test_ordinary_urls_are_admitted(path: str) -> None:
    assert TrapGuard().admit(HOST + path, 1) is None


def admitted(guard: TrapGuard, urls: list[str], depth: int = 1) -> int:
    return sum(guard.admit(url, depth) is None for url in urls)


def test_query_strings_on_one_path_are_limited_and_other_paths_are_not() -> None:
    guard = TrapGuard(TrapLimits(queries=10))

    assert admitted(guard, [f"{HOST}/wiki?title=Word{chr(65 + number)}" for number in range(26)]) == 10
    assert admitted(guard, [f"{HOST}/page{chr(65 + number)}?x" for number in range(26)]) == 26


def test_combined_filters_are_limited_sooner() -> None:
    guard = TrapGuard(TrapLimits(combined_queries=5))
    filters = [f"{HOST}/shop?colour={c}&size={s}&sort={o}" for c in "rgb" for s in "sml" for o in "ud"]

    assert admitted(guard, filters) == 5
    assert admitted(guard, [f"{HOST}/shop?colour={c}" for c in "rgb"]) == 3


def test_random_values_are_limited_soonest() -> None:
    guard = TrapGuard(TrapLimits(tokens=3))

    assert admitted(guard, [f"{HOST}/a?visit={number:020x}f" for number in range(9)]) == 3
    assert admitted(guard, [f"{HOST}/a?name=a-long-name-without-digits-{c}" for c in "xyz"]) == 3


def test_a_calendar_is_ended_by_its_depth_and_a_numbered_archive_is_not() -> None:
    calendar, archive = TrapGuard(), TrapGuard()

    reached = [calendar.admit(f"{HOST}/calendar/{2026 + depth}/01", depth) for depth in range(200)]
    assert reached.index("numbered URLs on more than 60 levels") == 60
    assert reached[59] is None
    assert admitted(archive, [f"{HOST}/rfc/rfc{number}.html" for number in range(9000)], depth=2) == 9000


def test_counts_do_not_depend_on_order() -> None:
    """A guard restored by counting the admitted URLs in any order decides as the one that admitted them."""
    limits = TrapLimits(queries=20, numbered=30, numbered_levels=4, tokens=3)
    urls = [(f"{HOST}/a{number % 40}?x={number % 23}", number % 6) for number in range(400)]
    first = TrapGuard(limits)
    let_in = [(url, depth) for url, depth in urls if first.admit(url, depth) is None]
    second = TrapGuard(limits)
    for url, depth in reversed(let_in):
        second.count(url, depth)

    further = [(f"{HOST}/a{number}?x=y{number}", number % 9) for number in range(60)]

    assert [first.admit(*found) for found in further] == [second.admit(*found) for found in further]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a;jsessionid=0A1B2C", "/a"),
        ("/a;jsessionid=0A1B2C?x=1", "/a?x=1"),
        ("/a?PHPSESSID=0123456789abcdef", "/a"),
        ("/a?PHPSESSID=0123&x=1", "/a?x=1"),
        ("/a?x=1&sid=0123456789abcdef01", "/a?x=1"),
        ("/a?x=1&session_id=77&y=2", "/a?x=1&y=2"),
        ("/a?sid=12", "/a?sid=12"),  # too short for a session: the number of something else
        ("/a?side=left&inside=1", "/a?side=left&inside=1"),
        ("/session?id=7", "/session?id=7"),
        ("/a;b=1?c;d", "/a;b=1?c;d"),
        ("/a???", "/a???"),
        ("/a", "/a"),
    ],
)
def test_session_numbers_are_taken_out(url: str, expected: str) -> None:
    assert without_session(HOST + url) == HOST + expected
