"""The cluster map as one SVG: dots, links, names, and a table of contents beside it.

No script, no font, nothing fetched. Titles, URLs and names come from crawled pages, so every string passes through
:mod:`hypursuit.clustering.lettering` and is escaped where it is written.
"""

from __future__ import annotations

from math import ceil, hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.clustering.lettering import clean, escape, shorten, text_width, two_lines, web_address
from hypursuit.clustering.map import MapLayout, lay_out, sample_pages
from hypursuit.clustering.map_links import links_to_draw
from hypursuit.clustering.map_style import ENTRY_SIZE, LABEL_SIZE, STYLE
from hypursuit.clustering.palette import choose_colours
from hypursuit.clustering.portrait import SimilaritySource, similarity_among

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array

    from hypursuit.clustering.portrait import ClusterPortrait

_MARGIN = 28.0
_HEADER = 74.0
_FOOTER = 64.0
_ROW = 23.0
_NARROW_COLUMN, _WIDE_COLUMN = 200.0, 430.0
_LEAST_ROWS = 24
_LEAST_WIDTH = 460.0
_BESIDE_NAME = 92.0
_PLAIN = 0.9
"""Plain letters are narrower than the bold ones that text widths are reckoned for."""
_NARROW_NAME, _WIDE_NAME = 145.0, 220.0
_LINE = 1.15 * LABEL_SIZE


def draw_map(
    heading: str,
    titles: Sequence[str],
    urls: Sequence[str],
    membership: ArrayLike,
    portraits: Sequence[ClusterPortrait],
    similarity: SimilaritySource,
    links: csr_array,
    ident: str = "map",
) -> str:
    """A self-contained SVG document of a site's clusters.

    Beyond 2000 pages a share of each cluster is drawn; the sizes given are always the true ones. Of the links,
    those inside a cluster are drawn between the pages, a few for each page, most similar first; those between
    clusters as one curve per pair of clusters, the strongest pairs only. The legend says how many that leaves.

    Args:
        heading: what the map is of: the site.
        titles: (n_pages,)
        urls: (n_pages,)
        membership: (n_pages,) cluster number 0…k-1, as in ``portraits``.
        portraits: (k,) names, sizes and central pages.
        similarity: (n_pages, n_pages), or what computes it for given pages.
        links: (n_pages, n_pages) nonzero where a page links to another.
        ident: prefix of the element ids, for several maps in one document.
    """
    membership = np.asarray(membership, np.intp)
    chosen = sample_pages(membership, [portrait.centroid for portrait in portraits])
    among = similarity_among(similarity, chosen)
    names = [clean(portrait.name, 60) for portrait in portraits]
    labels = [two_lines(name, LABEL_SIZE, _NARROW_NAME, _WIDE_NAME) for name in names]
    room = [(max(text_width(line, LABEL_SIZE) for line in lines), _LINE * (len(lines) + 0.2)) for lines in labels]
    row = {int(page): i for i, page in enumerate(chosen)}
    layout = lay_out(among, membership[chosen], room, [row[portrait.centroid] for portrait in portraits])
    picture = _Picture(layout, membership[chosen], names, [portrait.size for portrait in portraits], ident)
    drawn = links_to_draw(links, chosen, membership, among)
    body = [
        *picture.ties(drawn.between),
        *picture.clusters(
            [(titles[page], urls[page]) for page in chosen], {row[p.centroid] for p in portraits}, drawn.inside
        ),
        *picture.names_above(labels),
        *picture.contents(),
    ]
    return picture.document(clean(heading, 80), len(membership), drawn.total, body)


class _Picture:
    """One drawing in the making: the layout, moved below the heading and beside the table of contents."""

    def __init__(
        self,
        layout: MapLayout,
        membership: NDArray[np.intp],
        names: Sequence[str],
        sizes: Sequence[int],
        ident: str,
    ) -> None:
        self.layout, self.membership, self.names, self.sizes = layout, membership, names, sizes
        self.ident = escape(clean(ident, 40).replace(" ", "-"))
        self.places = np.array([(region.x, region.y) for region in layout.regions])
        self.colours = choose_colours(self.places, np.asarray(sizes))
        self.dot = 0.3 * layout.spacing
        rows = max(_LEAST_ROWS, int(1.3 * layout.height / _ROW))
        self.columns = ceil(len(names) / rows)
        self.rows = ceil(len(names) / self.columns)
        widest = max(text_width(name, _PLAIN * ENTRY_SIZE) for name in names)
        self.column = min(max(widest + _BESIDE_NAME, _NARROW_COLUMN), _WIDE_COLUMN)
        self.left = max(layout.width, _LEAST_WIDTH) + 2 * _MARGIN
        self.height = max(layout.height, self.rows * _ROW)

    def ties(self, between: Sequence[tuple[int, int, int]]) -> Iterator[str]:
        yield f'<g class="ties" transform="{self._shift()}">'
        for a, b, count in between:
            curve = _curve(self._rim(a, b), self._rim(b, a), bend=0.12)
            yield f'<path d="{curve}" stroke-width="{min(1 + sqrt(count) / 2, 7):.1f}"/>'
        yield "</g>"

    def clusters(
        self, pages: Sequence[tuple[str, str]], centres: set[int], inside: Sequence[tuple[int, int]]
    ) -> Iterator[str]:
        curves: list[list[str]] = [[] for _ in self.names]
        for a, b in inside:
            curve = _curve(self._place(a), self._place(b), bend=0.15)
            curves[self.membership[a]].append(curve)
        yield f'<g transform="{self._shift()}">'
        for cluster, region in enumerate(self.layout.regions):
            yield f'<g class="cluster k{self.colours[cluster]}" id="{self.ident}-c{cluster}">'
            yield f'<circle class="disc" cx="{region.x:.1f}" cy="{region.y:.1f}" r="{region.radius:.1f}"/>'
            if curves[cluster]:
                yield f'<path class="links" d="{"".join(curves[cluster])}"/>'
            for page in np.flatnonzero(self.membership == cluster).tolist():
                yield self._dot(self._place(page), *pages[page], central=page in centres)
            yield "</g>"
        yield "</g>"

    def names_above(self, labels: Sequence[Sequence[str]]) -> Iterator[str]:
        yield f'<g transform="{self._shift()}">'
        for lines, region in zip(labels, self.layout.regions, strict=True):
            _, top, _, _ = region.label
            for i, line in enumerate(lines):
                yield f'<text class="name" x="{region.x:.1f}" y="{top + _LINE * (i + 0.8):.1f}">{escape(line)}</text>'
        yield "</g>"

    def contents(self) -> Iterator[str]:
        """The table of contents, largest clusters first; an entry marks its cluster when followed."""
        order = sorted(range(len(self.names)), key=lambda cluster: (-self.sizes[cluster], cluster))
        yield '<g class="contents">'
        for i, cluster in enumerate(order):
            x, y = self.left + i // self.rows * self.column, _HEADER + _ROW * (i % self.rows + 0.7)
            name = shorten(self.names[cluster], _PLAIN * ENTRY_SIZE, self.column - _BESIDE_NAME)
            yield f'<a class="k{self.colours[cluster]}" href="#{self.ident}-c{cluster}">'
            yield f'<circle class="dot" cx="{x + 8:.1f}" cy="{y - 5:.1f}" r="6"/>'
            yield f'<text class="size" x="{x + 58:.1f}" y="{y:.1f}">{self.sizes[cluster]:,}</text>'
            yield f'<text class="entry" x="{x + 68:.1f}" y="{y:.1f}">{escape(name)}</text></a>'
        yield "</g>"

    def document(self, heading: str, n_pages: int, n_links: int, body: Sequence[str]) -> str:
        width = self.left + self.columns * self.column - 24 + _MARGIN
        height = _HEADER + self.height + _MARGIN + _FOOTER
        shown = shorten(heading, 25, width - 2 * _MARGIN)
        summary = f"{_count(n_pages, 'page')} in {_count(len(self.names), 'cluster')}"
        largest = sorted(zip(self.sizes, self.names, strict=True), key=lambda entry: -entry[0])[:5]
        listing = ", ".join(f"{name} ({size})" for size, name in largest)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="hm" viewBox="0 0 {width:.0f} {height:.0f}"',
                f' role="group" aria-labelledby="{self.ident}-title {self.ident}-desc">',
                f'<title id="{self.ident}-title">{escape(heading)}: {summary}</title>',
                f'<desc id="{self.ident}-desc">Pages are dots, similar pages lie close together.',
                f"Largest clusters: {escape(listing)}.</desc>",
                f"<style>{STYLE}</style>",
                f'<rect class="paper" width="{width:.0f}" height="{height:.0f}"/>',
                f'<text class="heading" x="{_MARGIN}" y="42">{escape(shown)}</text>',
                f'<text class="sub" x="{_MARGIN}" y="64">{summary}</text>',
                *body,
                *self._legend(n_pages, n_links, height - _FOOTER),
                "</svg>",
                "",
            ]
        )

    def _legend(self, n_pages: int, n_links: int, top: float) -> Iterator[str]:
        drawn = len(self.layout.positions)
        share = "" if drawn == n_pages else f" {drawn:,} of the {n_pages:,} are drawn."
        lines = (
            f"A dot is a page; similar pages lie close together.{share}",
            "A ring marks the page that is most typical of its cluster.",
            f"Lines are links ({n_links:,} in all): inside clusters between similar pages, outside one curve for many.",
        )
        for i, line in enumerate(lines):
            yield f'<text class="note" x="{_MARGIN}" y="{top + 18 * i:.1f}">{line}</text>'

    def _place(self, page: int) -> tuple[float, float]:
        x, y = self.layout.positions[page].tolist()
        return x, y

    def _dot(self, place: tuple[float, float], title: str, url: str, *, central: bool) -> str:
        x, y = place
        shown = escape(f"{clean(title, 120) or '(no title)'}\n{clean(url, 200)}")
        size = 1.15 * self.dot if central else self.dot
        kind = "centre" if central else "dot"
        mark = f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}"/>'
        if central:
            mark += f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{1.75 * self.dot:.1f}"/>'
        address = web_address(url)
        if address is None:
            return f'<g class="page"><title>{shown}</title>{mark}</g>'
        return f'<a class="page" href="{escape(address)}" rel="noreferrer"><title>{shown}</title>{mark}</a>'

    def _rim(self, cluster: int, towards: int) -> tuple[float, float]:
        """Where a curve to another cluster leaves the disc."""
        region, other = self.layout.regions[cluster], self.layout.regions[towards]
        part = region.radius / max(hypot(other.x - region.x, other.y - region.y), region.radius)
        return region.x + part * (other.x - region.x), region.y + part * (other.y - region.y)

    @staticmethod
    def _shift() -> str:
        return f"translate({_MARGIN:g} {_HEADER:g})"


def _curve(start: tuple[float, float], end: tuple[float, float], bend: float) -> str:
    """A path that leaves the straight line by a share of its length, so that it passes beside the dots between."""
    (x0, y0), (x1, y1) = start, end
    middle_x, middle_y = (x0 + x1) / 2 - bend * (y1 - y0), (y0 + y1) / 2 + bend * (x1 - x0)
    return f"M{x0:.1f} {y0:.1f}Q{middle_x:.1f} {middle_y:.1f} {x1:.1f} {y1:.1f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
