"""Colours of clusters."""

from __future__ import annotations

import numpy as np
import pytest

from hypursuit.clustering.palette import DARK_PAPER, LIGHT_PAPER, PALETTE, choose_colours, linear_rgb, oklab

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def _contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG 2 defines it."""
    low, high = sorted((float(LUMINANCE @ linear_rgb(one)), float(LUMINANCE @ linear_rgb(other))))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_and_white_is_21() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(("light", "dark"), PALETTE)
def test_every_colour_stands_out_from_its_paper(light: str, dark: str) -> None:
    assert _contrast(light, LIGHT_PAPER) >= 3
    assert _contrast(dark, DARK_PAPER) >= 3


@pytest.mark.parametrize("paper", [0, 1])
def test_no_two_colours_look_alike(paper: int) -> None:
    """0.05 in OKLab is about twice what is seen as different side by side."""
    places = np.array([oklab(pair[paper]) for pair in PALETTE])
    apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)) + np.eye(30)

    assert apart.min() > 0.05


def test_up_to_thirty_clusters_have_colours_of_their_own() -> None:
    places = np.random.default_rng(0).random((30, 2)) * 1000

    assert sorted(choose_colours(places, np.arange(30))) == list(range(30))


@pytest.mark.parametrize("seed", range(10))
def test_beyond_thirty_the_nearest_neighbour_has_another_colour(seed: int) -> None:
    places = np.random.default_rng(seed).random((100, 2)) * 1000
    colours = choose_colours(places, np.ones(100, np.int64))
    distance = np.hypot(*(places[:, None] - places[None]).T) + np.where(np.eye(100), np.inf, 0)

    assert all(colours[i] != colours[j] for i, j in enumerate(distance.argmin(axis=1)))


def test_colours_are_the_same_every_time() -> None:
    places, sizes = np.random.default_rng(1).random((60, 2)), np.arange(60)

    assert choose_colours(places, sizes) == choose_colours(places, sizes)
