"""What a page says, where it leads, and where its regions end."""

from __future__ import annotations

import pickle
import random
import re
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.crawl import Link, Page, parse_page
from hypursuit.crawl.parse import MAX_ANCHOR

URL = "http://cats.example/guide/index.html"

GUIDE = """<!DOCTYPE html>
<html lang="en-GB"><head>
  <title>All about
     cats</title>
  <meta name="keywords" content="cats, house cats,,felines , cats">
  <meta name="Description" content=" The   guide. ">
  <link rel="stylesheet" href="style.css"><link rel="canonical" href="/guide/">
  <style>p { color: red }</style><script>if (a < b) document.write("<a href=no>no</a>")</script>
</head><body>
  <h1>Cats</h1>
  <p>A cat <b>pur</b>rs. See <a href="food.html#dry">what cats <i>eat</i></a>, or
     <a href="http://dogs.example/">dogs</a>.</p>
  <!-- <a href="hidden.html">hidden</a> -->
  <ul><li>tabby</li><li><a href="/siam"><img src="s.png" alt="Siamese"></a></li></ul>
  <address>Cat Club, <a href="mailto:cats@cats.example">write</a></address>
</body></html>"""


def links_of(html: str) -> list[tuple[str, str]]:
    return [(link.target, link.anchor) for link in parse_page(URL, html).links]


def text_of(html: str) -> str:
    return parse_page(URL, html).text


def test_a_page_in_full() -> None:
    page = parse_page(URL, GUIDE)

    assert page.url == URL
    assert page.title == "All about cats"
    assert page.headers == ("Cats",)
    assert page.keywords == ("cats", "house cats", "felines")
    assert page.addresses == ("Cat Club, write",)
    assert page.description == "The guide."
    assert page.language == "en-gb"
    assert page.canonical == "http://cats.example/guide/"
    assert page.text == ("Cats\nA cat purrs. See what cats eat, or dogs.\ntabby\nSiamese\n\nCat Club, write")
    assert [(link.target, link.anchor) for link in page.links] == [
        ("http://cats.example/guide/food.html", "what cats eat"),
        ("http://dogs.example/", "dogs"),
        ("http://cats.example/siam", "Siamese"),
    ]
    assert page.index
    assert page.follow


def test_bytes_are_decoded_by_header_or_page() -> None:
    body = "<meta charset=koi8-r><title>Кошки</title>".encode("koi8-r")

    assert parse_page(URL, body).title == "Кошки"
    assert parse_page(URL, "<title>Кошки".encode("cp1251"), "text/html; charset=windows-1251").title == "Кошки"


def test_a_charset_in_the_page_does_not_spoil_text_that_is_decoded_already() -> None:
    assert text_of("<meta charset=koi8-r><p>Кошки, é") == "Кошки, é"


# Text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<b>w</b>or<i>d</i>s", "words"),
        ("one<p>two<div>three</div>four", "one\ntwo\nthree\nfour"),
        ("<td>one<td>two", "one\ntwo"),
        ("a&nbsp;b&amp;c &lt;d&gt; &eacute; &#233; &#xe9;", "a b&c <d> é é é"),
        ("soft&shy;hyphen", "softhyphen"),
        ("  a \n\t b  <p> \n </p>  c ", "a b\nc"),
        ("a<br>b", "a b"),
        ("A sentence.<br>b", "A sentence.\nb"),
        ('"Quoted!"</a> <br/>b', '"Quoted!"\nb'),
        ("a<br><br>b", "a\nb"),
        ("a<p>b<h2>c</h2>d", "a\nb\n\nc\nd"),
        ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
        ("<table><tr><td>a<td>b</table>c", "a\nb\n\nc"),
        ("a<script>b</script><style>c</style><template>d<p>e</template>f", "af"),
        ("a<noscript>b</noscript>c", "abc"),
        ("a<!-- b --><!c><?d?>e", "ae"),
        ("a<img alt='b'>c<img alt=''>d<img>e", "a b cde"),
        ("<iframe>a</iframe><noframes><p>b</noframes>c", "c"),
        ("<textarea><b>a</textarea>", "<b>a"),
        ("<svg><title>a</title><text>b</text></svg>c", "bc"),
        ("<body>a</body><p>b</html><p>c", "a\nb\nc"),
        ("a&#1;b &#2; c&#x7f;", "ab c"),
    ],
)
def test_text_is_what_a_reader_sees(html: str, text: str) -> None:
    assert text_of(html) == text


def test_title_and_keywords_are_not_text_and_headings_are() -> None:
    page = parse_page(URL, "<title>apple</title><meta name=keywords content=pear><h3>plum</h3>fig")

    assert page.text == "plum\nfig"


def test_the_first_title_outside_a_drawing_counts() -> None:
    assert (
        parse_page(URL, "<svg><title>icon</title></svg><title></title><title>a &amp; b</title><title>c").title
        == "a & b"
    )


def test_nested_headings_are_one_heading() -> None:
    assert parse_page(URL, "<h1>a <h2>b</h2> c</h1><h2> </h2><h3>d</h3>").headers in {("a b c", "d"), ("a", "b", "d")}


def test_permalink_signs_say_nothing() -> None:
    page = parse_page(URL, "<h1>Cats<a class=headerlink href='#cats'>\u00b6</a></h1>see <a href='#dogs'>dogs</a>")

    assert page.headers == ("Cats",)
    assert page.text == "Cats\nsee dogs"
    assert page.links == ()


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=de>", "de"),
        ("<html xml:lang=pt_BR>", "pt-br"),
        ("<meta http-equiv=Content-Language content='fr, en'>", "fr"),
        ("<html lang='<script>'>", ""),
        ("<p>", ""),
    ],
)
def test_the_language_is_the_declared_one(html: str, language: str) -> None:
    assert parse_page(URL, html).language == language


# Links


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<a href=a.html>b</a>", [("http://cats.example/guide/a.html", "b")]),
        ("<a href=a>1<a href=b>2", [("http://cats.example/guide/a", "1"), ("http://cats.example/guide/b", "2")]),
        ("<a href=/a>1</a> <a href=/a#x>2</a>", [("http://cats.example/a", "1"), ("http://cats.example/a", "2")]),
        ("<a href=/a><div>x</div><div>y</div></a>", [("http://cats.example/a", "x y")]),
        ("<a href=/a> <img> </a>", [("http://cats.example/a", "")]),
        ("<map><area href=/a alt='The A'></map>", [("http://cats.example/a", "The A")]),
        ("<iframe src=/f title='A frame'></iframe>", [("http://cats.example/f", "A frame")]),
        (
            "<frameset><frame src=menu.html name=menu><frame src=/main></frameset>",
            [("http://cats.example/guide/menu.html", "menu"), ("http://cats.example/main", "")],
        ),
        ("<meta http-equiv=Refresh content='5; URL=\"/new\"'>", [("http://cats.example/new", "")]),
        ("<meta http-equiv=refresh content='0;url=new.html'>", [("http://cats.example/guide/new.html", "")]),
        ("<meta http-equiv=refresh content=5>", []),
        ("<noscript><a href=/a>b</a></noscript>", [("http://cats.example/a", "b")]),
        ("<template><a href=/a>b</a></template>", []),
        ("<a name=x>b</a><a>c</a>", []),
        ("<a href='#x'>b</a><a href=index.html#y>c</a><a href=''>d</a>", []),
        (
            "<a href='javascript:x()'>a</a><a href=mailto:x@y>b</a><a href=data:,x>c</a><a href='http://u:p@h/'>d</a>",
            [],
        ),
        ("<a href=' /a\n/b '>c</a>", [("http://cats.example/a/b", "c")]),
        ("<a href='/?a=1&amp;b=2'>c</a>", [("http://cats.example/?a=1&b=2", "c")]),
    ],
)
def test_links_are_what_a_reader_can_follow(html: str, links: list[tuple[str, str]]) -> None:
    assert links_of(html) == links


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("http://dogs.example/x/", "http://dogs.example/x/a"),
        ("/top/", "http://cats.example/top/a"),
        ("mailto:x", "http://cats.example/guide/a"),
        ("", "http://cats.example/guide/a"),
    ],
)
def test_the_base_element_moves_links_also_those_before_it(base: str, target: str) -> None:
    assert links_of(f"<a href=a>b</a><base href='{base}'><base href=/second/>") == [(target, "b")]


@pytest.mark.parametrize("rel", ["nofollow", "UGC", "external sponsored"])
def test_marked_links_are_not_to_be_followed(rel: str) -> None:
    first, second = parse_page(URL, f"<a href=/a rel='{rel}'>b</a><a href=/c rel=next>d</a>").links

    assert not first.follow
    assert second.follow


@pytest.mark.parametrize(
    ("html", "index", "follow"),
    [
        ("<meta name=robots content=noindex>", False, True),
        ("<meta name=ROBOTS content='NoFollow, noarchive'>", True, False),
        ("<meta name=robots content=none>", False, False),
        ("<meta name=robots content='index,follow'>", True, True),
        ("<meta name=hypursuit content=noindex>", False, True),
        ("<meta name=otherbot content=noindex>", True, True),
        ("<meta name=robots content=noindex><meta name=robots content=nofollow>", False, False),
    ],
)
def test_robots_elements_are_heard(html: str, index: bool, follow: bool) -> None:
    page = parse_page(URL, html)

    assert (page.index, page.follow) == (index, follow)


def test_an_anchor_never_closed_does_not_swallow_the_page() -> None:
    (link,) = parse_page(URL, "<a href=/a>" + "word " * 5_000).links

    assert len(link.anchor) <= MAX_ANCHOR
    assert link.anchor.endswith("word")


def test_a_page_of_an_address_that_is_none_still_has_text_and_absolute_links() -> None:
    page = parse_page("nowhere", "<p>x<a href=/a>b</a><a href=http://dogs.example/>c</a>")

    assert page.text == "xbc"
    assert [link.target for link in page.links] == ["http://dogs.example/"]


# Regions [H02 §4]


def test_syntactic_regions_end_with_blocks_and_topical_ones_at_headings_and_after_lists() -> None:
    page = parse_page(URL, "<p>ab<p>cd<h2>ef</h2><ul><li>gh<li>ij</ul>kl")
    #                       01 2 34 5 6 78 9      AB C  DE     F 0 12
    assert page.text == "ab\ncd\n\nef\ngh\nij\n\nkl"
    assert page.syntactic == (2, 5, 9, 12, 15)
    assert page.topical == (5, 15)


@pytest.mark.parametrize("seed", range(50))
def test_every_anchor_stands_where_its_link_says(seed: int) -> None:
    html, anchors = random_page(random.Random(seed))
    page = parse_page(URL, html)

    assert [link.anchor for link in page.links] == anchors
    for link in page.links:
        assert page.text[link.start : link.end] == link.anchor
    assert set(page.topical) <= set(page.syntactic)
    assert page.text == page.text.strip()
    assert not re.search(r"  | \n|\n |\n\n\n|\t", page.text)


def random_page(rng: random.Random) -> tuple[str, list[str]]:
    """A page of random elements around links with known anchors."""
    pieces, anchors = [], []
    for number in range(rng.randrange(30)):
        anchor = " ".join(f"w{number}{letter}" for letter in "abc"[: rng.randrange(4)])
        space = rng.choice(["", " ", "\n ", "<b> </b>", "&#1;"])
        inside = rng.choice(["{}", "<i>{}</i>", " {} ", "<span>\n{}</span>"]).format(anchor)
        pieces.append(rng.choice(["", "<p>", "<br>", "text ", "x. <br>", "<ul><li>", "</ul>", "<h2>t</h2>", "<td>"]))
        pieces.append(f"{space}<a href=/{number}>{inside}</a>{space}")
        anchors.append(anchor)
    return "".join(pieces), anchors


@pytest.mark.parametrize("seed", range(50))
def test_windows_hold_whole_words_and_the_nearest(seed: int) -> None:
    """Against the obvious way: all words of the text before, and after, the anchor."""
    rng = random.Random(seed)
    words = ["w" * rng.choice([1, 3, 8, 60, 400]) + str(number) for number in range(rng.randrange(80))]
    place = rng.randrange(len(words) + 1)
    width = rng.choice([0, 1, 4, 32])
    html = f"{' '.join(words[:place])} <a href=/x>anchor</a> {', '.join(words[place:])}"
    page = parse_page(URL, html)

    before, after = page.window(page.links[0], width)

    assert before == tuple(words[:place][-width:] if width else ())
    assert after == tuple(words[place:][:width])


# The types


def test_pages_and_links_are_values() -> None:
    page = parse_page(URL, GUIDE)

    assert pickle.loads(pickle.dumps(page)) == page == parse_page(URL, GUIDE)  # noqa: S301  # our own bytes
    assert hash(page) == hash(parse_page(URL, GUIDE))
    with pytest.raises(FrozenInstanceError):
        page.title = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        page.links[0].target = "x"  # type: ignore[misc]


def test_types_have_the_agreed_names() -> None:
    link = Link(target="http://a/", anchor="a", start=0, end=1)

    assert link.follow
    assert Page(url="http://b/", text="a b", links=(link,)).window(link) == ((), ("b",))


# fmt: off
TAGS = (
    "a", "p", "div", "ul", "li", "table", "td", "h1", "title", "script", "style", "template", "svg", "br", "img",
    "iframe", "address", "textarea", "b", "noscript",
)
# fmt: on
MARKUP = st.lists(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS])
    | st.sampled_from(
        ["<a href=x>", "<!--", "-->", "<", "&", "\x00", "&#xd800;", "\ud800", " ", "word", '<img alt="x y">', "é"]
    ),
    max_size=60,
).map("".join)


@given(html=MARKUP)
def test_whatever_the_markup_offsets_fit_and_no_mark_is_left(html: str) -> None:
    page = parse_page(URL, html)

    assert page.text.encode("utf-8", "replace") == page.text.encode("utf-8", "surrogatepass"), "a mark is left"
    assert all(0 <= link.start <= link.end <= len(page.text) for link in page.links)
    assert all(link.target == "http://cats.example/guide/x" for link in page.links)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", page.text + page.title)
