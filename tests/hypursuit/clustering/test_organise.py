"""From pages to named, portrayed, drawn clusters; and sites too large for all pairs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hypursuit.clustering import large, merge_tree
from hypursuit.clustering.agreement import agreement
from hypursuit.clustering.organise import ClusterSettings, Collection, organise, recall
from hypursuit.clustering.signals import SignalSettings
from hypursuit.errors import NothingToCluster, StoreUnusable
from hypursuit.evaluation import url_directories
from hypursuit.similarity.hybrid import COMBINATIONS

if TYPE_CHECKING:
    from hypursuit.crawl.page import Page


def test_a_site_falls_into_its_sections(garden: list[Page]) -> None:
    made = organise(Collection.of(garden))
    sections = [page for page in range(len(garden)) if page > 3]
    truth = url_directories(garden[page].url for page in sections)

    found = agreement(truth, made.tree.cut(4)[sections])

    assert found.homogeneity > 0.8


def test_clusters_have_names_terms_and_pages(garden: list[Page]) -> None:
    made = organise(Collection.of(garden))
    portraits = made.portraits(5)

    assert sum(portrait.size for portrait in portraits) == len(garden)
    assert len({portrait.name for portrait in portraits}) == 5
    for portrait in portraits:
        members = set(made.tree.members(portrait.id).tolist())
        assert portrait.centroid in members
        assert set(portrait.representatives) <= members
        assert all(term.tf >= term.df >= 1 for term in portrait.terms)


def test_the_same_names_stand_in_tree_and_map(garden: list[Page]) -> None:
    made = organise(Collection.of(garden))
    drawn = made.draw("Garden", 6)

    assert all(portrait.name.split()[0] in drawn for portrait in made.portraits(6))


def test_titles_are_shown_without_the_site_name(garden: list[Page]) -> None:
    assert Collection.of(garden).titles[1] == "roses"


def test_links_to_other_addresses_of_a_page_count(garden: list[Page]) -> None:
    moved = [replace(page, url=page.url.replace("/roses/", "/rosa/")) for page in garden]
    elsewhere = {page.url: new.url for page, new in zip(garden, moved, strict=True) if page.url != new.url}

    assert (Collection.of(moved, elsewhere).adjacency != Collection.of(garden).adjacency).nnz == 0
    assert Collection.of(moved).adjacency.nnz < Collection.of(garden).adjacency.nnz


def test_the_result_is_the_same_every_time(garden: list[Page]) -> None:
    assert organise(Collection.of(garden)).tree == organise(Collection.of(garden)).tree


def test_no_pages_are_refused() -> None:
    with pytest.raises(NothingToCluster, match="crawl"):
        organise(Collection.of([]))


def test_a_single_page_is_its_own_cluster(garden: list[Page]) -> None:
    made = organise(Collection.of(garden[:1]))

    assert [portrait.size for portrait in made.portraits(30)] == [1]
    assert made.draw("Garden", 30).startswith("<svg")


def test_a_kept_tree_gives_the_same_clusters(garden: list[Page]) -> None:
    settings = ClusterSettings(at_a_glance=10)
    collection = Collection.of(garden)
    made = organise(collection, settings)

    again = recall(collection, settings, made.to_bytes())

    assert again.tree == made.tree
    assert (again.link_clarity, again.link_trust) == (made.link_clarity, made.link_trust)
    assert again.portraits(6) == made.portraits(6)


def test_a_damaged_kept_tree_is_not_believed(garden: list[Page]) -> None:
    collection = Collection.of(garden)
    kept = bytearray(organise(collection).to_bytes())
    kept[-3] ^= 1

    with pytest.raises(StoreUnusable):
        recall(collection, ClusterSettings(), bytes(kept))


def test_large_sites_are_clustered_by_groups(garden: list[Page]) -> None:
    """With 28 pages and room for 12 the sections are still told apart."""
    made = organise(Collection.of(garden), ClusterSettings(exact_pages=12))
    sections = list(range(4, len(garden)))
    truth = url_directories(garden[page].url for page in sections)

    assert made.tree.pages == len(garden)
    assert agreement(truth, made.tree.cut(5)[sections]).homogeneity > 0.7


def test_groups_hold_every_page_once_and_their_leaders(garden: list[Page]) -> None:
    collection = Collection.of(garden)
    group = large.gather(collection.terms, collection.adjacency, leaders=7)

    assert group.shape == (len(garden),)
    assert group[np.arange(7) * len(garden) // 7].tolist() == list(range(7))
    terms, links = large.grouped(collection.terms, collection.adjacency, group)
    assert terms.counts.sum() == collection.terms.counts.sum()
    assert links.sum() == collection.adjacency.sum()


def test_pages_of_a_group_are_merged_before_groups_are() -> None:
    """Groups {0, 2}, {1}, {3, 4}: their merges come first, then those of the tree over groups."""
    over_groups = merge_tree(np.array([[0, 0.5, 0.9], [0.5, 0, 0.1], [0.9, 0.1, 0]], np.float32))

    tree = large.ungrouped(over_groups, np.array([0, 1, 0, 2, 2]))

    assert tree.cut(3).tolist() == [0, 1, 0, 2, 2]
    assert tree.cut(2).tolist() == [0, 1, 0, 0, 0]
    assert tree.similarities.tolist() == pytest.approx([0.9, 0.9, 0.9, 0.1])


def test_settings_are_described_alike_in_every_process() -> None:
    """What is kept on disk goes by this; addresses in memory would differ at the next start."""
    program = "from hypursuit.clustering.organise import ClusterSettings; print(ClusterSettings().described())"
    elsewhere = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()
    means = ClusterSettings(SignalSettings(combine=COMBINATIONS["mean"]))

    assert elsewhere == ClusterSettings().described()
    assert "0x" not in elsewhere
    assert means.described() != elsewhere
