from __future__ import annotations

import pytest

from hypursuit.crawl.sniff import kind_of, may_be_page, mime_type

HTML = b"<!doctype html><title>x</title>"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00"


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/html", HTML, "html"),
        ("TEXT/HTML; charset=x", b"", "html"),
        ("text/html", b"just words", "html"),
        ("text/html", PNG, "binary"),
        ("text/html", b"%PDF-1.7 ...", "binary"),
        ("text/html", bytes(range(256)) * 4, "binary"),
        ("text/html", b"a stray \x00 in much text " * 5, "html"),
        ("text/html; charset=utf-16le", HTML.decode().encode("utf-16-le"), "html"),
        ("text/html", HTML.decode().encode("utf-16"), "html"),
        ("application/xhtml+xml", HTML, "html"),
        (None, b"\xef\xbb\xbf \n<HTML>", "html"),
        ("", HTML, "html"),
        (None, b"words only", "other"),
        (None, PNG, "other"),
        ("text/plain", HTML, "other"),
        ("application/json", HTML, "other"),
        ("image/png", HTML, "other"),
    ],
)
def test_what_counts_as_a_page(content_type: str | None, body: bytes, kind: str) -> None:
    assert kind_of(content_type, body) == kind


def test_only_bodies_that_can_be_pages_are_worth_reading() -> None:
    assert may_be_page("text/html;charset=utf-8")
    assert may_be_page(None)
    assert not may_be_page("text/plain")
    assert not may_be_page("application/zip")
    assert mime_type(" Text/HTML ; charset=x") == "text/html"
