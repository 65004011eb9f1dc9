"""Bytes to text, told the truth, lies or nothing."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.crawl import decode
from hypursuit.crawl.charset import _LABELS, codec_of

RUSSIAN = "Съешь же ещё этих мягких французских булок"
JAPANESE = "いろはにほへと ちりぬるを"


def test_every_label_names_a_codec_that_exists() -> None:
    for codec, labels in _LABELS.items():
        assert codecs.lookup(codec)
        assert all(label == label.lower() for label in labels.split())


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("ISO-8859-1", "cp1252"),
        (" us-ascii ", "cp1252"),
        ("Shift_JIS", "cp932"),
        ("gb2312", "gb18030"),
        ("UTF8", "utf-8"),
        ("iso-8859-9", "cp1254"),
        ("utf-7", None),
        ("rot13", None),
        ("", None),
    ],
)
def test_labels_mean_what_they_mean_to_browsers(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec


def test_the_header_is_believed_before_the_page() -> None:
    body = b'<meta charset="windows-1252">' + RUSSIAN.encode("koi8-r")

    assert RUSSIAN in decode(body, "text/html; charset=KOI8-R")


@pytest.mark.parametrize(
    "statement",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
        '<meta content="text/html;charset=CP1251" http-equiv=content-type />',
        '<?xml version="1.0" encoding="windows-1251"?><html>',
        "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
    ],
)
def test_the_page_itself_may_say_its_charset(statement: str) -> None:
    body = f"{statement}<p>{RUSSIAN}".encode("cp1251")

    assert decode(body).endswith(RUSSIAN)
    assert decode(body, "text/html").endswith(RUSSIAN)


def test_a_statement_far_into_the_page_is_not_looked_for() -> None:
    """Browsers stop as well; a page about charsets would otherwise be read as its own example."""
    body = b" " * 4_096 + b"<meta charset=koi8-r>" + "é".encode("cp1252")

    assert decode(body).endswith("é")


def test_a_byte_order_mark_outweighs_every_statement() -> None:
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        assert decode(mark + RUSSIAN.encode(codec), "text/html; charset=koi8-r") == RUSSIAN


def test_sixteen_bits_without_a_mark_are_seen_by_the_first_bracket() -> None:
    for codec in ("utf-16-le", "utf-16-be"):
        assert decode(f"<p>{RUSSIAN}".encode(codec)) == f"<p>{RUSSIAN}"


def test_a_meta_element_that_claims_sixteen_bits_refutes_itself() -> None:
    body = f"<meta charset=utf-16><p>{RUSSIAN}".encode()

    assert decode(body).endswith(RUSSIAN)


@pytest.mark.parametrize("codec", ["euc-jp", "shift_jis", "iso-2022-jp"])
def test_east_asian_charsets_are_read_as_declared(codec: str) -> None:
    assert decode(JAPANESE.encode(codec), f"text/html; charset={codec}") == JAPANESE


def test_utf8_declared_as_latin1_is_read_as_utf8() -> None:
    """The commonest lie: a server-wide default charset from the last century."""
    body = "<p>déjà vu “naïve".encode()

    assert decode(body, "text/html; charset=ISO-8859-1") == "<p>déjà vu “naïve"


def test_latin1_declared_as_utf8_is_read_as_latin1() -> None:
    body = "<p>déjà vu, naïve".encode("latin-1")

    assert decode(body, "text/html; charset=utf-8") == "<p>déjà vu, naïve"


def test_one_broken_character_does_not_turn_utf8_into_something_else() -> None:
    body = RUSSIAN.encode() + b"\x92" + RUSSIAN.encode()

    assert decode(body, "text/html; charset=utf-8") == f"{RUSSIAN}\ufffd{RUSSIAN}"


def test_a_body_cut_inside_a_character_stays_utf8() -> None:
    assert decode(RUSSIAN.encode()[:-1]) == RUSSIAN[:-1] + "\ufffd"


@pytest.mark.parametrize(
    "content_type", [None, "", "text/html; charset=", "text/html; charset=klingon", "charset=utf-7", "\ud800"]
)
def test_unknown_or_absent_statements_leave_utf8_then_windows_1252(content_type: str | None) -> None:
    assert decode("naïve “quote”".encode(), content_type) == "naïve “quote”"
    assert decode("naïve “quote”".encode("cp1252"), content_type) == "naïve “quote”"


def test_an_empty_body_is_an_empty_text() -> None:
    assert decode(b"") == ""


@given(
    body=st.binary(max_size=200), content_type=st.none() | st.sampled_from([f"x; charset={label}" for label in _LABELS])
)
def test_no_bytes_and_no_charset_raise(body: bytes, content_type: str | None) -> None:
    assert isinstance(decode(body, content_type), str)
    assert isinstance(decode(b"<meta charset=" + body, content_type), str)


@given(
    text=st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00\ufeff"), max_size=200)
)
def test_utf8_survives_whatever_the_header_says_of_it(text: str) -> None:
    assert decode(text.encode()) == text
    assert decode(text.encode(), "text/html; charset=windows-1252") == text
