"""Pages made to break a parser: each must be read to the end, in time linear in its size.

Time is not asserted; anything quadratic on these sizes runs into the suite's time-out.
"""

from __future__ import annotations

import pickle
import random

import pytest

from hypursuit.crawl import Page, content_key, content_sketch, parse_page
from hypursuit.crawl.markup import MAX_LINKS, MAX_META
from hypursuit.crawl.parse import MAX_ANCHOR, MAX_CHARACTERS

URL = "http://cats.example/"
MANY = 200_000


def parse(html: str | bytes) -> Page:
    page = parse_page(URL, html)
    content_key(page)
    content_sketch(page)
    return page


def test_a_million_nested_tags_hide_nothing() -> None:
    assert parse("<div>" * 1_000_000 + "deep <a href=/x>down</a>").text == "deep down"


def test_a_million_open_anchors_are_cut_at_the_limit() -> None:
    page = parse("<a href=/x>" * 700_000)

    assert len(page.links) == MAX_LINKS


def test_two_hundred_thousand_links_are_cut_at_the_limit_and_their_text_is_kept() -> None:
    page = parse("".join(f"<a href=/{number}>w{number}</a> " for number in range(MANY)))

    assert [link.target for link in page.links] == [f"{URL}{number}" for number in range(MAX_LINKS)]
    assert page.text.endswith(f"w{MANY - 1}")


def test_fifty_megabytes_of_one_line_are_read_up_to_the_limit() -> None:
    page = parse(b"word " * 10_000_000)

    assert MAX_CHARACTERS - 5 <= len(page.text) <= MAX_CHARACTERS


def test_fifty_megabytes_without_a_space_are_read_up_to_the_limit() -> None:
    assert parse("w" * 50_000_000).text == "w" * MAX_CHARACTERS


@pytest.mark.parametrize(
    "unit",
    [
        "<a ",
        "<a href='",
        "<",
        "&",
        "&#",
        "<!--",
        "</p>",
        "<![CDATA[",
        "<table><tr><td>",
        "<b><i><u><p></b>",
        "<select><option>",
        "<form><p>",
        "<title>",
        "<script><!--<script>",
        "<template><a href=/x>",
        "<svg><title>x</title>",
        "<h1>x",
        "<address>x ",
        "<br>",
        ".<br>",
        ". ' \" ",
        "<p><b> </b></p> ",
        "<iframe src=/x></iframe>",
        "<frameset><frame src=/x name=y>",
        "<meta name=keywords content='a,b'>",
        "<meta http-equiv=refresh content='0;url=/x'>",
        "<meta charset=",
        "<base href=/x>",
        "<a href=/x></a> ",
        "<a href=/x><p>word word\n",
        "<h2>x<a href='#x'>\u00b6</a></h2>",
        "&#x110000;&#1;&#xd800;&bogus;",
        "\x00\x01",
        "\ud800",
    ],
)
def test_endless_repetition_is_read_to_the_end(unit: str) -> None:
    page = parse(unit * MANY)

    assert len(page.links) <= MAX_LINKS
    assert all(len(link.anchor) <= MAX_ANCHOR for link in page.links)
    assert all(len(header) <= MAX_ANCHOR for header in page.headers)
    assert pickle.loads(pickle.dumps(page)) == page  # noqa: S301  # our own bytes


@pytest.mark.parametrize(
    "attribute",
    [
        "<p title='{}'>x",
        "<meta name=description content='{}'>x",
        "<meta name=keywords content='{}'>x",
        "<meta name=robots content='{}'>x",
        "<meta http-equiv=refresh content='{}'>x",
        "<html lang='{}'>x",
        "<base href='{}'>x",
        "<a href='{}'></a>x",
        "<link rel=canonical href='{}'>x",
        "<iframe src='{}'></iframe>x",
    ],
)
@pytest.mark.parametrize("filling", ["x", "../", "a, ", " ", "0;"])
def test_a_huge_attribute_is_cut_or_refused(attribute: str, filling: str) -> None:
    page = parse(attribute.format(filling * 1_000_000))

    assert page.text == "x"
    assert len(page.description) <= MAX_META
    assert sum(map(len, page.keywords)) <= MAX_META
    assert page.links == () or len(page.links[0].target) < 100


def test_a_hundred_thousand_attributes_are_read() -> None:
    attributes = " ".join(f"a{number}=1" for number in range(100_000))

    assert parse(f"<a {attributes} href=/x>y</a>").links[0].anchor == "y"


@pytest.mark.parametrize("opened", ["<!--", "<script>", "<style>", "<title>", "<template>", "<textarea>", "<a href='"])
def test_what_is_never_closed_swallows_only_what_follows(opened: str) -> None:
    page = parse(f"before {opened} after <a href=/x>link</a>")

    assert page.text.startswith("before")
    assert page.links == ()


@pytest.mark.parametrize(
    "html", ["", " ", "\n", "\ufeff", "<", "<!DOCTYPE html>", "<html>", "<!---->", b"", b"\xff\xfe", b"\x00"]
)
def test_next_to_nothing_is_an_empty_page(html: str | bytes) -> None:
    page = parse(html)

    assert page.text in {"", "<"}
    assert page.title == ""
    assert page.links == ()


def test_a_page_of_frames_only_has_links_and_no_text() -> None:
    page = parse("<html><title>F</title><frameset><frame src=a.html><frame src=b.html></frameset></html>")

    assert page.text == ""
    assert [link.target for link in page.links] == [f"{URL}a.html", f"{URL}b.html"]


def test_xhtml_is_read_as_html() -> None:
    page = parse(
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="sv"><head>'
        "<title>T</title><script src='x'/></head><body><p/>a<br/>b<a href='/c'/>d</body></html>"
    )

    assert (page.title, page.text, page.language) == ("T", "a bd", "sv")


def test_impossible_characters_do_not_pass() -> None:
    text = parse("a&#x110000;b&#xd800;c&#0;d\x00e\ud800f&#99999999999;g").text

    text.encode("utf-8")
    assert "\x00" not in text
    assert [letter for letter in text if letter.isalpha()] == list("abcdefg")


@pytest.mark.parametrize("seed", range(20))
def test_binary_junk_is_read(seed: int) -> None:
    rng = random.Random(seed)
    page = parse(rng.randbytes(20_000) + b"<a href=/x>y</a>" + rng.randbytes(20_000))

    page.text.encode("utf-8")


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-2022-jp", "big5", "klingon", "koi8-r"])
def test_a_wrong_charset_costs_letters_and_not_links(charset: str) -> None:
    page = parse_page(URL, "<p>naïve <a href=/x>link</a>".encode("cp1252"), f"text/html; charset={charset}")

    assert [link.target for link in page.links] == [f"{URL}x"]
