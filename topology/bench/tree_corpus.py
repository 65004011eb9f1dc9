"""What a tree is measured on: real sites, one index over all their pages, and queries made from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from hypursuit.errors import BadSetting
from hypursuit.evaluation.queries import made_queries
from hypursuit.evaluation.routing import LeafStatistics
from hypursuit.query import PageIndex, parse_query
from hypursuit.text.scoring import Scoring
from hypursuit.text.stemming import Stems
from routers.crawl_settings import CrawlLimits, CrawlSettings
from routers.crawler import store_path
from routers.store import Store
from topology.network import Listen, Network, NetworkSite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hypursuit.crawl.page import Page
    from hypursuit.query.query import Idf, Query


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query of the benchmark."""

    kind: str
    text: str
    query: Query


def network_over(web: Path, store: Path, *, sites: int, pages: int, resolves: Sequence[str] = ()) -> Network:
    """The largest sites of a folder of sites, so many pages of each; those whose store is there and empty left out."""
    addresses = AddressPolicy(tuple(map(Resolve.parse, resolves)))
    settings = CrawlSettings(CrawlLimits(pages=pages), addresses=addresses)
    chosen = [site for site in _front_pages(web)[:sites] if not _is_empty(store_path(store, site))]
    return Network(tuple(NetworkSite(site, settings) for site in chosen), listen=Listen(port=0), store=store)


def _is_empty(store: Path) -> bool:
    """Whether a finished crawl found nothing to index: the site's root page asks for that."""
    if not store.exists():
        return False
    with Store.open(store) as opened:
        summary = opened.summary()
    return summary.finished and not summary.pages


def _front_pages(web: Path) -> list[Site]:
    """Sites with their root pages, most pages first; a corpus may name the root pages in ``sites.json``."""
    if not web.is_dir():
        raise BadSetting(f"there is no folder {web}; give one with a folder of HTML files for each host, with --web")
    listed = web / "sites.json"
    named = (
        {row["host"]: row["root_page"] for row in json.loads(listed.read_bytes())["sites"]} if listed.exists() else {}
    )
    sizes = {folder.name: sum(1 for _ in folder.rglob("*.htm*")) for folder in web.iterdir() if folder.is_dir()}
    roots = {host: named.get(host, "index.html") for host in sizes}
    return [
        Site.of(f"http://{host}/{'' if roots[host] == 'index.html' else roots[host]}", below="/")
        for host in sorted(sizes, key=lambda host: (-sizes[host], host))
        if (web / host / roots[host]).exists()
    ]


class Central:
    """One index over all pages of a network's stores: what the tree's answers are held against."""

    def __init__(self, stores: Iterable[Path]) -> None:
        self.texts: dict[str, str] = {}
        self._leaf_of_page: list[int] = []
        self.leaves: list[str] = []
        self._sample: list[Page] = []
        self.index = PageIndex.build(self._pages(stores))
        self.leaf_of_page = np.array(self._leaf_of_page)
        self.leaf_of_url = {url: int(leaf) for url, leaf in zip(self.index.urls, self.leaf_of_page, strict=True)}

    def _pages(self, stores: Iterable[Path]) -> Iterable[Page]:
        for number, path in enumerate(stores):
            with Store.open(path) as store:
                self.leaves.append(urlsplit(store.root).netloc)
                for page in store.pages():
                    self.texts[page.url] = page.text
                    self._leaf_of_page.append(number)
                    self._sample.append(page)
                    yield page

    def queries(self, count: int, most: int | None = None) -> list[AskedQuery]:
        """Queries of all kinds, parsed; ``most`` pages have a word of theirs, one in fifty if not given."""
        stems = Stems()
        made = made_queries(self._sample, self.index.page_frequency, stems, count, most=most)
        return [AskedQuery(kind, text, parse_query(text, stems)) for kind, text in made]

    def idf(self, query: Query) -> Idf:
        """From the document frequencies of all pages."""
        pages = len(self.index.urls)
        return {stem: Scoring.idf(self.index.page_frequency(stem), pages) for stem in query.stems()}

    def best(self, query: Query, idf: Idf, limit: int) -> list[tuple[str, float]]:
        """URLs and scores, best first."""
        matches, _ = self.index.search(query, idf, limit)
        return [(self.index.urls[match.page], match.score) for match in matches]

    def statistics(self, query: Query, idf: Idf) -> LeafStatistics:
        """What rankings of leaves go by."""
        count = len(self.leaves)
        stems = query.stems()
        frequency, weight = np.zeros((count, len(stems)), np.int64), np.zeros((count, len(stems)))
        scoring = Scoring()
        for column, stem in enumerate(stems):
            pages, frequencies = self.index.postings(stem)
            leaf = self.leaf_of_page[pages]
            frequency[:, column] = np.bincount(leaf, minlength=count)
            parts = idf[stem] * scoring.parts(frequencies, self.index.lengths[pages])
            weight[:, column] = np.bincount(leaf, parts, minlength=count)
        words = np.bincount(self.leaf_of_page, self.index.lengths, minlength=count).astype(np.int64)
        return LeafStatistics(np.bincount(self.leaf_of_page, minlength=count), words, frequency, weight)
