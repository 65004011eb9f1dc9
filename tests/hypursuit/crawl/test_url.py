"""One address, one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.crawl import canonical_url
from hypursuit.crawl.url import MAX_URL_LENGTH, Joiner
from hypursuit.errors import MalformedUrl

BASE = "http://docs.example/library/os.html?x=1"


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("HTTP://Docs.EXAMPLE/Library", "http://docs.example/Library"),
        ("http://docs.example", "http://docs.example/"),
        ("http://docs.example:80/", "http://docs.example/"),
        ("https://docs.example:443/", "https://docs.example/"),
        ("http://docs.example:8080/", "http://docs.example:8080/"),
        ("http://docs.example./a", "http://docs.example/a"),
        ("http://docs.example.:81/a", "http://docs.example:81/a"),
        ("http://docs.example/a#b?c", "http://docs.example/a"),
        ("http://docs.example/a?", "http://docs.example/a"),
        ("http://docs.example/a?#b", "http://docs.example/a"),
        ("http://docs.example/a??", "http://docs.example/a??"),
        ("http://docs.example/a/../b/./c", "http://docs.example/b/c"),
        ("http://docs.example/a/%2E%2e/b", "http://docs.example/b"),
        ("http://docs.example/a%2fb%c3%bc", "http://docs.example/a%2Fb%C3%BC"),
        ("http://docs.example/%7Euser/%41?q=%5f", "http://docs.example/~user/A?q=_"),
        ("http://docs.example/a b", "http://docs.example/a%20b"),
        ("http://docs.example/ü", "http://docs.example/%C3%BC"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://docs.example/a//b/", "http://docs.example/a//b/"),
        ("http://docs.example/?b=1&a=2", "http://docs.example/?b=1&a=2"),
        ("http://docs.example/long\n\t/path", "http://docs.example/long/path"),
        ("  http://docs.example/a\n", "http://docs.example/a"),
        ("http:\\\\docs.example\\a", "http://docs.example/a"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::0:1]/", "http://[::1]/"),
        ("http://:@docs.example/@", "http://docs.example/@"),
    ],
)
def test_spellings_of_one_address_have_one_canonical_form(spelling: str, canonical: str) -> None:
    assert canonical_url(spelling) == canonical


@pytest.mark.parametrize(
    "url",
    [
        "",
        "docs.example/a",
        "//docs.example/a",
        "ftp://docs.example/",
        "javascript:alert(1)",
        "mailto:a@docs.example",
        "data:text/html,x",
        "file:///etc/passwd",
        "http://",
        "http://user@docs.example/",
        "http://user:secret@docs.example/",
        "http://docs.example:99999/",
        "http://a..b/",
        "http://a'b/",
        "http://docs.example/a\x00b",
        "http://docs.example/a\x7fb",
        "http://docs.example/\ud800",
        "http://docs.example/" + "a" * MAX_URL_LENGTH,
        "http://docs.example/" + "../" * 100_000,
    ],
)
def test_what_cannot_be_crawled_is_refused_with_the_reason(url: str) -> None:
    with pytest.raises(MalformedUrl, match="not a URL that can be crawled: "):
        canonical_url(url)


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("", "http://docs.example/library/os.html?x=1"),
        ("#fragment", "http://docs.example/library/os.html?x=1"),
        ("?y=2", "http://docs.example/library/os.html?y=2"),
        ("re.html#groups", "http://docs.example/library/re.html"),
        ("../c-api/", "http://docs.example/c-api/"),
        ("../../../a", "http://docs.example/a"),
        ("/a", "http://docs.example/a"),
        ("//other.example", "http://other.example/"),
        ("HTTPS://other.example/A", "https://other.example/A"),
        (" re.html ", "http://docs.example/library/re.html"),
    ],
)
def test_references_are_joined_as_browsers_do(href: str, target: str) -> None:
    assert canonical_url(href, BASE) == target
    assert Joiner(BASE)(href) == target


def test_an_escape_beside_a_stray_percent_sign_is_not_undone() -> None:
    """Undone, "%%341" would become "%41", another address."""
    assert canonical_url("http://docs.example/%%341%2f") == "http://docs.example/%%341%2F"


def test_the_length_limit_is_the_callers() -> None:
    assert canonical_url("http://docs.example/abc", limit=23) == "http://docs.example/abc"
    with pytest.raises(MalformedUrl, match="over 22 characters"):
        canonical_url("http://docs.example/abc", limit=22)


def test_a_joiner_answers_none_where_canonical_url_refuses() -> None:
    joined = Joiner(BASE)

    assert [joined(href) for href in ("javascript:x", "mailto:x", "http://u:p@h/", "a\x01b", "x" * 20_000)] == [
        None
    ] * 5


URLISH = st.builds(
    "{}{}{}".format,
    st.sampled_from(["http://", "https://", "HTTP:", "http:\\\\", "", "//", "ftp://"]),
    st.text(alphabet="aZ0.-_:@[]%é。", max_size=8),
    st.text(alphabet="aB09/.%?#&=;~é \t2eEfF41'\"\\", max_size=24),
)


@given(url=URLISH)
def test_the_canonical_form_is_its_own_canonical_form(url: str) -> None:
    try:
        canonical = canonical_url(url)
    except MalformedUrl:
        return
    assert canonical_url(canonical) == canonical
    assert canonical.startswith(("http://", "https://"))
    assert "#" not in canonical
    assert canonical.isascii()


HREFS = URLISH | st.lists(st.sampled_from(["..", ".", "", "a", "b.html", "-c", ".d", "e..", "%7e", "?", ":"])).map(
    "/".join
)
BASES = st.sampled_from(
    [
        BASE,
        "http://h",
        "http://h/",
        "HTTP://H:80/a/b/c?d/e",
        "http://h/a//b//",
        "http://h/a/../b/%7e/",
        "https://h:1/?/",
    ]
)


@given(href=HREFS, base=BASES)
def test_a_joined_reference_is_canonical_and_equals_the_slow_way(href: str, base: str) -> None:
    try:
        expected = canonical_url(href, base)
    except MalformedUrl:
        expected = None
    joined = Joiner(base)

    assert joined(href) == expected
    assert joined(href) == expected, "the second answer comes from memory"
    if expected is not None:
        assert canonical_url(expected) == expected


def test_joining_by_hand_keeps_to_the_limit() -> None:
    joined = Joiner("http://h/", limit=12)

    assert joined("abc") == "http://h/abc"
    assert joined("abcd") is None


def test_without_a_usable_base_only_absolute_references_lead_anywhere() -> None:
    for base in (None, "", "nowhere", "http://u:p@h/"):
        joined = Joiner(base)
        assert joined("a") is None
        assert joined("/a") is None
    assert Joiner(None)("http://h/a") == "http://h/a"
