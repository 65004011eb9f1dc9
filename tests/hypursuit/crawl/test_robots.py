from __future__ import annotations

import pytest

from hypursuit.crawl.robots import ROBOTS_BYTES, RobotsTag, read_robots, read_robots_tag

SITE = "http://docs.example"


def allowed(text: str | bytes, path: str) -> bool:
    body = text.encode() if isinstance(text, str) else text
    return read_robots(200, body).allows(SITE + path)


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),  # the longest match decides
        ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", True),  # in a tie, allow
        ("User-agent: *\nDisallow: /*.php$", "/x.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x.php5", True),
        ("User-agent: *\nDisallow: /a%3Cd", "/a%3cd", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: hypursuit\nDisallow: /x", "/a", True),  # the own group replaces *
        ("User-agent: HyPursuit\nDisallow: /x\n\nUser-agent: hypursuit\nDisallow: /y", "/y", False),  # groups merge
        ("User-agent: hypursuit/1.0\nDisallow: /", "/a", False),
        ("User-agent: other\nUser-agent: hypursuit\nDisallow: /", "/a", False),
        ("User-agent: hyp\nDisallow: /", "/a", True),  # a prefix of our name is somebody else
        ("User-agent: hyp*\nDisallow: /", "/a", True),
        ("User-agent: pursuit\nDisallow: /", "/a", True),
        ("User-agent: hypursuit-news\nDisallow: /", "/a", True),
        ("User-agent: hyp\nDisallow: /\nUser-agent: *\nDisallow: /b", "/b", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("user-agent : * # all\ndisallow:/a # this", "/a", False),
        ("User-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("<html>not found</html>", "/a", True),
    ],
)
def test_rules_are_read_as_the_standard_says(text: str, path: str, expected: bool) -> None:
    assert allowed(text, path) == expected


def test_what_lies_beyond_the_cap_is_not_read_nor_half_a_line() -> None:
    filler = b"# " + b"x" * 98 + b"\n"
    start = b"User-agent: *\nDisallow: /first\n"
    lines = (ROBOTS_BYTES - len(start)) // len(filler)
    body = start + filler * lines
    cut = body + b"Disallow: /" + b"a" * 200 + b"\nDisallow: /late\n"

    assert not allowed(cut, "/first")
    assert allowed(cut, "/late")
    assert allowed(cut, "/" + "a" * 300)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, False),
        (204, True),
        (401, True),
        (403, True),
        (404, True),
        (410, True),
        (429, False),
        (500, False),
        (503, False),
    ],
)
def test_the_status_decides_where_there_are_no_rules(status: int, expected: bool) -> None:
    rules = read_robots(status, b"User-agent: *\nDisallow: /" if status == 200 else b"")

    assert rules.allows(SITE + "/a") == expected


def test_a_site_that_does_not_answer_is_not_crawled() -> None:
    rules = read_robots(None)

    assert not rules.allows(SITE + "/")
    assert "did not answer" in rules.refused


def test_delay_and_sitemaps_are_found() -> None:
    rules = read_robots(200, b"Sitemap: http://docs.example/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /b.xml\n")

    assert rules.crawl_delay == 2.5
    assert rules.sitemaps == ("http://docs.example/a.xml", "/b.xml")
    assert read_robots(200, b"User-agent: *\nCrawl-delay: soon").crawl_delay is None


@pytest.mark.parametrize("body", [b"\x00\xff" * 5000, b"User-agent: *\nDisallow: /" + b"*a" * 200_000, b"\n" * 400_000])
def test_rubbish_is_survived(body: bytes) -> None:
    assert read_robots(200, body).allows(SITE + "/" + "a" * 500)


@pytest.mark.parametrize(
    ("values", "index", "follow"),
    [
        ([], True, True),
        (["noindex"], False, True),
        (["NOINDEX, NoFollow"], False, False),
        (["none"], False, False),
        (["all"], True, True),
        (["googlebot: noindex"], True, True),
        (["hypursuit: noindex"], False, True),
        (["*: nofollow"], True, False),
        (["googlebot: noindex, nofollow, hypursuit: noindex"], False, True),
        (["googlebot: nofollow", "noindex"], False, True),
        (["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex"], False, True),
        (["max-snippet:20, nofollow"], True, False),
    ],
)
def test_robots_tags_bind_the_agents_they_name(values: list[str], index: bool, follow: bool) -> None:
    assert read_robots_tag(values) == RobotsTag(index, follow)
