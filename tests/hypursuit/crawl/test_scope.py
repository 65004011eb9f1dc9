from __future__ import annotations

import re

import pytest

from hypursuit.crawl.scope import Site
from hypursuit.errors import BadSetting, MalformedUrl


@pytest.mark.parametrize(
    ("root", "inside", "outside"),
    [
        (
            "http://docs.example/",
            ["http://docs.example/", "https://docs.example/x?y", "http://docs.example/a/b"],
            [
                "http://docs.example:8080/",
                "http://www.docs.example/",
                "http://docs.example.evil.test/",
                "ftp://docs.example/",
            ],
        ),
        (
            "http://docs.example/guide/",
            [
                "http://docs.example/guide/",
                "http://docs.example/guide",
                "http://docs.example/guide?x",
                "https://docs.example/guide/a",
            ],
            ["http://docs.example/", "http://docs.example/guidelines", "http://docs.example/Guide/"],
        ),
        (
            "http://docs.example/guide/index.html",
            ["http://docs.example/guide/index.html", "http://docs.example/guide/b.html"],
            ["http://docs.example/index.html"],
        ),
        (
            "http://docs.example/guide",
            ["http://docs.example/guide", "http://docs.example/guide/a"],
            ["http://docs.example/g"],
        ),
        (
            "http://h.test:8080/",
            ["http://h.test:8080/", "https://h.test:8080/"],
            ["http://h.test/", "http://h.test:80801/"],
        ),
        ("http://[::1]:8080/", ["http://[::1]:8080/a"], ["http://[::2]:8080/a"]),
    ],
)
def test_a_site_is_a_host_a_port_and_a_path(root: str, inside: list[str], outside: list[str]) -> None:
    site = Site.of(root)

    assert [url for url in inside if not site.covers(url)] == []
    assert [url for url in outside if site.covers(url)] == []
    assert site.covers(site.root)


def test_a_site_is_typed_as_people_type_it() -> None:
    assert Site.of(" Docs.Example/guide ").root == "http://docs.example/guide"
    assert Site.of("HTTPS://Docs.Example:443") == Site.of("https://docs.example/")
    assert Site.of("localhost:8000").port == 8000


@pytest.mark.parametrize(
    "typed", ["", "http://", "ftp://docs.example/", "http://user:word@docs.example/", "http://a b/"]
)
def test_what_cannot_be_crawled_is_refused(typed: str) -> None:
    with pytest.raises(MalformedUrl):
        Site.of(typed)


def test_the_path_can_be_given_where_the_root_page_says_too_much() -> None:
    site = Site.of("http://docs.example/web/index.html", below="/")

    assert site.root == "http://docs.example/web/index.html"
    assert site.covers("http://docs.example/notation/a.html")
    assert site.name == "docs.example"
    assert Site.of("http://docs.example/a/b/c", below="a/b/").prefix == "/a/b"
    with pytest.raises(BadSetting, match="is not below /b"):
        Site.of("http://docs.example/a/", below="/b")


def test_robots_and_sitemap_are_at_the_top_of_the_host() -> None:
    site = Site.of("https://docs.example:8443/guide/")

    assert site.robots_url == "https://docs.example:8443/robots.txt"
    assert site.sitemap_url == "https://docs.example:8443/sitemap.xml"


def test_connections_go_to_the_port_of_the_scheme_unless_there_is_one() -> None:
    site = Site.of("http://docs.example/")

    assert (site.connect_port("http://docs.example/"), site.connect_port("https://docs.example/")) == (80, 443)
    assert Site.of("http://docs.example:81/").connect_port("https://docs.example:81/") == 81


def test_names_are_safe_for_files_and_differ_from_site_to_site() -> None:
    roots = [
        "http://docs.example/",
        "http://docs.example/index.html",
        "http://docs.example:8080/",
        "http://docs.example/a/b/",
        "http://docs.example/a_b/",
        "http://docs.example_a/b/",
        "http://docs.example/a/b/%20c/",
        "http://docs.example/" + "long/" * 90,
        "http://[::1]:80/",
        "http://docs-example/",
    ]
    names = [Site.of(root).name for root in roots]

    assert names[0] == names[1] == "docs.example"  # the same host, the same scope
    assert len(set(names)) == len(roots) - 1
    assert all(re.fullmatch(r"[a-z0-9][A-Za-z0-9._-]{0,150}", name) for name in names), names
    assert Site.of("https://docs.example/").name == "docs.example"
