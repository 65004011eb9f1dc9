"""Whether a response is a page. Servers say what they send, and some are wrong."""

from __future__ import annotations

from typing import Literal

Kind = Literal["html", "other", "binary"]

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<title", b"<body", b"<meta", b"<h1", b"<div", b"<p>", b"<!--")
_MAGIC = (
    *(b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\x7fELF"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"),
)
_SAMPLE = 1024
# Control characters that no text has: all but tab, line feed, form feed, carriage return and escape.
_BINARY = bytes(set(range(0x20)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})


def mime_type(content_type: str | None) -> str:
    """The bare type of a Content-Type header, lower case; empty where it names none."""
    return (content_type or "").partition(";")[0].strip().lower()


def may_be_page(content_type: str | None) -> bool:
    """Whether the header leaves it possible that the body is a page, so that reading it is worth while."""
    mime = mime_type(content_type)
    return mime in _HTML_TYPES or mime in _UNKNOWN_TYPES


def kind_of(content_type: str | None, body: bytes) -> Kind:
    """Decide as browsers do (WHATWG MIME Sniffing, in short).

    Said to be HTML: a page, unless the body is plainly binary. Nothing said: a page if it begins like one. Anything
    else is believed, so HTML served as ``text/plain`` is text to be read, not a page.
    """
    mime = mime_type(content_type)
    if mime in _HTML_TYPES:
        return "binary" if _is_binary(content_type or "", body[:_SAMPLE]) else "html"
    if mime in _UNKNOWN_TYPES and body[:_SAMPLE].lstrip(b"\xef\xbb\xbf \t\r\n\f").lower().startswith(_HTML_STARTS):
        return "html"
    return "other"


def _is_binary(content_type: str, sample: bytes) -> bool:
    if sample.startswith(_MAGIC):
        return True
    wide = sample.startswith((b"\xff\xfe", b"\xfe\xff")) or "utf-16" in content_type.lower()
    # A stray control character is a typing error; one in twenty is not text.
    controls = len(sample) - len(sample.translate(None, _BINARY))
    return not wide and controls * 20 > len(sample)
