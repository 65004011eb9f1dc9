"""The map as SVG: complete, readable, and inert whatever the pages say."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from lxml import etree
from scipy.sparse import csr_array

from hypursuit.clustering.drawing import draw_map
from hypursuit.clustering.lettering import text_width
from hypursuit.clustering.map_style import LABEL_SIZE, STYLE
from hypursuit.clustering.portrait import ClusterPortrait

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "</title></svg><script>alert(1)</script>",
    "]]><!--",
    '" onload="alert(1)" x=\'',
    "&lt;b&gt; &#x3c; &nope;",
    "\x00\x07\x1b[31m\ufffe\ud800",
    "\u202egnp.exe\u2066\u200f",
    "a" + "\u0316" * 500,
    "x" * 1_000_000,
    "}</style><style>*{display:none}",
    "",
)


def _draw(
    seed: int, n: int, k: int, names: list[str] | None = None, titles: list[str] | None = None, **changes: object
) -> str:
    random = np.random.default_rng(seed)
    membership = np.concatenate((np.arange(k), random.integers(0, k, n - k)))
    similarity = random.random((n, n)) + 2 * (membership[:, None] == membership[None])
    names = names or [f"Cluster name {i}" for i in range(k)]
    sizes = np.bincount(membership).tolist()
    centres = [int(np.flatnonzero(membership == cluster)[0]) for cluster in range(k)]
    portraits = [ClusterPortrait(90 + i, names[i], sizes[i], (), centres[i], (centres[i],)) for i in range(k)]
    given: dict[str, object] = {
        "heading": "docs.example",
        "titles": titles or [f"Title {i}" for i in range(n)],
        "urls": [f"http://docs.example/{i}" for i in range(n)],
        "membership": membership,
        "portraits": portraits,
        "similarity": similarity + similarity.T,
        "links": csr_array(random.random((n, n)) < 0.05),
    }
    return draw_map(**{**given, **changes})  # type: ignore[arg-type]


def _parsed(svg: str) -> etree._Element:
    return etree.fromstring(svg.encode(), etree.XMLParser(resolve_entities=False, no_network=True))


def _having(drawing: etree._Element, kind: str) -> list[etree._Element]:
    return [element for element in drawing.iter(f"{SVG}*") if element.get("class", "").split(" ")[0] == kind]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (30, 4), (200, 5), (200, 30), (150, 150), (1000, 50)])
def test_every_page_is_drawn_once_and_leads_to_the_page(n: int, k: int) -> None:
    pages = _having(_parsed(_draw(1, n, k)), "page")

    assert sorted(page.get("href") for page in pages) == sorted(f"http://docs.example/{i}" for i in range(n))
    assert all(len(page.findall(f"{SVG}title")) == 1 for page in pages)


def test_a_dot_tells_title_and_address() -> None:
    tips = {page.findtext(f"{SVG}title") for page in _having(_parsed(_draw(2, 20, 3)), "page")}

    assert "Title 7\nhttp://docs.example/7" in tips


def test_central_pages_are_marked_and_lie_in_the_cluster_of_their_portrait() -> None:
    clusters = _having(_parsed(_draw(3, 60, 6)), "cluster")

    assert [len(_having(cluster, "ring")) for cluster in clusters] == [1] * 6
    assert [_having(cluster, "centre")[0].getparent().get("href") for cluster in clusters] == [
        f"http://docs.example/{i}" for i in range(6)
    ]


LONG_NAMES = [
    "Internationalisation, localisation, formatting",
    "漢字仮名交じり文の名前",
    "W" * 60,
    "JIT",
    "mod_proxy_balancer, mod_rewrite",
]


@pytest.mark.parametrize(("n", "k"), [(5, 5), (200, 30), (90, 80), (1000, 50)])
def test_names_overlap_neither_each_other_nor_foreign_dots(n: int, k: int) -> None:
    drawing = _parsed(_draw(4, n, k, names=[f"{LONG_NAMES[i % 5]} {i}" for i in range(k)]))
    boxes = []
    for label in _having(drawing, "name"):
        x, y, width = float(label.get("x")), float(label.get("y")), text_width(label.text, LABEL_SIZE)
        boxes.append((x - width / 2, y - 0.8 * LABEL_SIZE, x + width / 2, y + 0.25 * LABEL_SIZE))
    dots = [
        (float(dot.get("cx")), float(dot.get("cy")))
        for page in _having(drawing, "page")
        for dot in page
        if dot.get("cx")
    ]

    for i, (left, top, right, bottom) in enumerate(boxes):
        assert not any(a < right and left < c and b < bottom and top < d for a, b, c, d in boxes[:i])
        assert not any(left < x < right and top < y < bottom for x, y in dots)


def test_the_table_of_contents_lists_every_cluster_with_its_size_largest_first() -> None:
    drawing = _parsed(_draw(5, 100, 12))
    names = [entry.text for entry in _having(drawing, "entry")]
    sizes = [int(entry.text) for entry in _having(drawing, "size")]

    assert sorted(names) == sorted(f"Cluster name {i}" for i in range(12))
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 100


def test_an_entry_leads_to_its_cluster() -> None:
    drawing = _parsed(_draw(5, 100, 12))
    marks = {f"#{cluster.get('id')}" for cluster in _having(drawing, "cluster")}

    assert {entry.getparent().get("href") for entry in _having(drawing, "entry")} == marks


def test_nothing_of_the_drawing_lies_outside_its_sheet() -> None:
    drawing = _parsed(_draw(6, 300, 100))
    width, height = map(float, drawing.get("viewBox").split()[2:])

    for entry in (*_having(drawing, "entry"), *_having(drawing, "size"), *_having(drawing, "note")):
        assert 0 < float(entry.get("x")) < width
        assert 0 < float(entry.get("y")) < height


def test_of_too_many_pages_some_are_drawn_and_the_sizes_stay_true() -> None:
    drawing = _parsed(_draw(7, 2600, 8))
    note = " ".join(note.text for note in _having(drawing, "note"))

    drawn = len(_having(drawing, "page"))

    assert 1990 <= drawn <= 2000
    assert sum(int(size.text) for size in _having(drawing, "size")) == 2600
    assert f"{drawn:,} of the 2,600 are drawn" in note


def test_the_same_site_gives_the_same_bytes() -> None:
    assert _draw(8, 120, 10) == _draw(8, 120, 10)


def test_title_and_description_are_there_for_those_who_do_not_see() -> None:
    drawing = _parsed(_draw(9, 50, 5))

    assert drawing.findtext(f"{SVG}title") == "docs.example: 50 pages in 5 clusters"
    assert "Largest clusters: Cluster name" in drawing.findtext(f"{SVG}desc")
    assert drawing.get("aria-labelledby").split() == [
        drawing.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")
    ]


def test_two_maps_of_one_document_share_no_id() -> None:
    one, other = (re.findall(r' id="([^"]+)"', _draw(9, 20, 3, ident=ident)) for ident in ("a", "b"))

    assert not set(one) & set(other)


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_strings_stay_text(hostile: str) -> None:
    svg = _draw(
        10,
        12,
        3,
        names=[hostile, f"{hostile} b", "c"],
        titles=[hostile] * 12,
        urls=[f"http://docs.example/{hostile}"] * 6 + [hostile] * 6,
        heading=hostile,
        ident=hostile,
    )
    drawing = _parsed(svg)

    assert {element.tag.removeprefix(SVG) for element in drawing.iter()} <= {
        "svg", "title", "desc", "style", "rect", "text", "g", "a", "circle", "path",
    }  # fmt: skip
    assert {name for element in drawing.iter() for name in element.attrib} <= {
        "class", "viewBox", "role", "aria-labelledby", "id", "width", "height", "x", "y", "transform", "d",
        "stroke-width", "cx", "cy", "r", "href", "rel",
    }  # fmt: skip
    assert [style.text for style in drawing.iter(f"{SVG}style")] == [STYLE]
    assert len(svg) < 60_000


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_no_invisible_or_direction_changing_character_is_written(hostile: str) -> None:
    svg = _draw(11, 6, 2, names=[hostile, "b"], titles=[hostile] * 6, urls=[hostile] * 6, heading=hostile)

    assert {character for character in svg if unicodedata.category(character)[0] == "C"} <= {"\n"}


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//evil.example", "#x", ""]
)
def test_only_web_addresses_are_links(url: str) -> None:
    drawing = _parsed(_draw(12, 6, 2, urls=[url] * 6))

    assert len(_having(drawing, "page")) == 6
    assert {page.get("href") for page in _having(drawing, "page")} == {None}


def test_nothing_is_fetched_and_nothing_runs() -> None:
    svg = _draw(13, 40, 4)

    assert not re.search(r"script|@import|url\(|@font-face|<image|<use|<foreignObject|\son\w+=", svg)


def test_light_and_dark_mode_are_told_apart_in_the_style() -> None:
    assert "@media (prefers-color-scheme: dark)" in STYLE
