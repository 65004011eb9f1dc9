from __future__ import annotations

import gzip

import pytest

from hypursuit.crawl.sitemap import SITEMAP_URLS, Sitemap, read_sitemap

URLSET = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc> http://docs.example/a?x=1&amp;y=2 </loc><lastmod>2026-01-05</lastmod></url>"
    b"<url><loc><![CDATA[http://docs.example/b]]></loc><image:image><image:loc>http://i/x.png</image:loc></image:image></url>"
    b"</urlset>"
)


def test_locations_are_found_and_those_of_pictures_are_not() -> None:
    assert read_sitemap(URLSET) == Sitemap(("http://docs.example/a?x=1&y=2", "http://docs.example/b"))


def test_a_compressed_sitemap_is_the_same() -> None:
    assert read_sitemap(gzip.compress(URLSET)) == read_sitemap(URLSET)


def test_an_index_is_told_from_a_list_of_pages() -> None:
    index = b"<sitemapindex><sitemap><loc>http://docs.example/1.xml</loc></sitemap></sitemapindex>"

    assert read_sitemap(index) == Sitemap(("http://docs.example/1.xml",), is_index=True)


def test_plain_text_lists_a_url_a_line() -> None:
    assert read_sitemap(b"\xef\xbb\xbfhttp://docs.example/a\r\n\r\nhttp://docs.example/b\n").urls == (
        "http://docs.example/a",
        "http://docs.example/b",
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<urlset>",
        b"\x1f\x8brubbish",
        gzip.compress(b"<urlset>" + b" " * 50_000_000, mtime=0),
        b"<loc>" * 1_000_000,
        b"<loc" + b" " * 2_000_000,
        b"<loc>" + b"a" * 5000 + b"</loc>",
    ],
    ids=["empty", "no urls", "bad gzip", "bomb", "open tags", "spaces", "endless url"],
)
def test_hostile_files_give_nothing_and_end(body: bytes) -> None:
    assert read_sitemap(body).urls == ()


def test_entities_are_not_expanded() -> None:
    laughs = (
        b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b SYSTEM "file:///etc/passwd">]><urlset><loc>/&a;&b;</loc></urlset>'
    )

    assert read_sitemap(laughs).urls == ("/&a;&b;",)


def test_no_more_urls_than_the_protocol_allows() -> None:
    assert len(read_sitemap(b"<urlset>" + b"<loc>/a</loc>" * (SITEMAP_URLS + 5)).urls) == SITEMAP_URLS
