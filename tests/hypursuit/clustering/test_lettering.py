"""Strings of crawled pages as text of a drawing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from hypursuit.clustering.lettering import clean, escape, shorten, text_width, two_lines, web_address


def test_white_space_folds_and_invisible_characters_go() -> None:
    assert clean(" a\tb\n\x00c\u202ed\u2066e\ufeff \u200bf\x1b[31m ") == "a b cde f[31m"


def test_joiners_of_persian_and_hindi_stay() -> None:
    assert clean("\u0645\u06cc\u200c\u062e\u0648\u0627") == "\u0645\u06cc\u200c\u062e\u0648\u0627"


def test_stacks_of_marks_are_cut_to_two() -> None:
    assert clean("a" + "\u0301" * 50 + "b") == "a\u0301\u0301b"


def test_a_megabyte_is_cut_with_an_ellipsis() -> None:
    assert clean("x" * 1_000_000, 10) == "x" * 9 + "…"


@given(st.text())
def test_cleaned_and_escaped_text_survives_xml_unchanged(text: str) -> None:
    shown = clean(text)

    element = etree.fromstring(f'<a b="{escape(shown)}">{escape(shown)}</a>')

    assert (element.text or "", element.get("b")) == (shown, shown)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "vbscript:x",
        "//example.org/",
        "http://",
        "http:///path",
        "http://a b/",
        "http://example.org/\u202egpj.exe",
        'http://example.org/"onclick="x',
        "http://user@example.org/",
        "http://[::1/",
        "http://example.org/" + "x" * 3000,
        "",
    ],
)
def test_only_plain_web_addresses_become_links(url: str) -> None:
    assert web_address(url) is None


@pytest.mark.parametrize("url", ["http://example.org/", "https://é.example/a?b=c&d=%20#e", "HTTP://[::1]:8080/x"])
def test_web_addresses_stay_as_they_are(url: str) -> None:
    assert web_address(url) == url


@given(st.text(), st.floats(20, 400))
def test_shortened_text_fits(text: str, width: float) -> None:
    shown = shorten(text, 15, width)

    assert text_width(shown, 15) <= width
    assert shown == text or shown.endswith("…")


def test_wide_and_combining_characters_have_their_widths() -> None:
    assert text_width("漢字", 10) > text_width("ab", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_a_long_name_breaks_where_the_halves_are_most_equal() -> None:
    assert two_lines("Authentication, content types", 15, 100, 400) == ["Authentication,", "content types"]
    assert two_lines("Signals", 15, 100, 400) == ["Signals"]
    assert two_lines("Donaudampfschifffahrt", 15, 100, 120)[0].endswith("…")
