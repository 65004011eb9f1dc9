"""Which similarity a site's pages are clustered by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hypursuit.clustering import merge_tree
from hypursuit.clustering.agreement import agreement
from hypursuit.clustering.organise import Collection
from hypursuit.clustering.signals import Method, SignalSettings, site_similarity
from hypursuit.evaluation import url_directories
from hypursuit.similarity import COMBINATIONS, LinkWeights, link_similarity, term_similarity
from hypursuit.text import term_weights

if TYPE_CHECKING:
    from hypursuit.crawl.page import Page


@pytest.fixture
def collection(garden: list[Page]) -> Collection:
    return Collection.of(garden)


def similarity(collection: Collection, **settings: object) -> np.ndarray:
    return site_similarity(collection.terms, collection.adjacency, SignalSettings(**settings)).matrix  # type: ignore[arg-type]


def test_terms_and_links_are_the_equations_as_they_are(collection: Collection) -> None:
    terms, links = term_similarity(term_weights(collection.terms)), link_similarity(collection.adjacency)

    assert (similarity(collection, method=Method.TERMS) == terms).all()
    assert (similarity(collection, method=Method.LINKS) == links).all()


def test_the_plain_setting_of_the_paper_is_selectable(collection: Collection) -> None:
    terms, links = term_similarity(term_weights(collection.terms)), link_similarity(collection.adjacency)

    assert (similarity(collection, method=Method.PLAIN) == np.maximum(terms, links)).all()


def test_weights_and_f_are_parameters(collection: Collection) -> None:
    only_paths = similarity(collection, method=Method.LINKS, link_weights=LinkWeights(0, 0, 1))
    mean = similarity(collection, method=Method.PLAIN, combine=COMBINATIONS["mean"])

    assert only_paths.max() <= 1
    assert (mean <= similarity(collection, method=Method.PLAIN)).all()
    assert (mean < similarity(collection, method=Method.PLAIN)).any()


def test_the_hybrid_says_how_far_it_trusts_links(collection: Collection) -> None:
    made = site_similarity(collection.terms, collection.adjacency, SignalSettings())

    assert made.link_clarity is not None
    assert made.link_trust is not None
    assert 0 <= made.link_trust <= 1
    assert (made.matrix == made.matrix.T).all()


def test_where_every_page_links_to_every_other_the_words_decide(garden: list[Page]) -> None:
    """A site-wide menu says nothing: clarity one half, no trust in links, and words alone find the sections."""
    everything = tuple(link for page in garden for link in page.links)
    collection = Collection.of([replace(page, links=everything) for page in garden])

    made = site_similarity(collection.terms, collection.adjacency, SignalSettings())
    sections = np.array(["/" in url.removeprefix("http://garden.example/") for url in collection.urls])
    truth = np.array(url_directories(collection.urls))

    assert made.link_trust == pytest.approx(0, abs=1e-6)
    assert agreement(truth[sections], merge_tree(made.matrix).cut(4)[sections]).homogeneity > 0.9


def test_where_all_pages_say_the_same_the_links_decide(garden: list[Page]) -> None:
    """Separate stars of links, equal words: links are clear and trusted."""
    sections = [[page for page in garden if f"/{name}/" in page.url] for name in ("roses", "tools", "soil")]
    pages = [replace(page, title="same", text="same words here") for section in sections for page in section]
    collection = Collection.of(pages)

    made = site_similarity(collection.terms, collection.adjacency, SignalSettings())
    first = np.array(["/roses/" in url for url in collection.urls])

    assert made.link_trust is not None
    assert made.link_trust > 0.5
    assert not made.matrix[np.ix_(first, ~first)].any()
