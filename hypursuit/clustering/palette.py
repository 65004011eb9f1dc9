"""Colours for clusters: thirty that can be told apart, on light and on dark paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Chosen one after the other, each as far as possible from those before in OKLab, as seen with normal and with
# red-green blind eyes, on either paper; contrast with it at least 3:1. The dark variant is the same hue, lighter.
PALETTE: tuple[tuple[str, str], ...] = (
    ("#2466c3", "#63a2fe"),
    ("#729b06", "#add764"),
    ("#8a0700", "#c75444"),
    ("#be6d8f", "#fea8cb"),
    ("#04693d", "#50a373"),
    ("#691e7e", "#a15cb6"),
    ("#009caf", "#62d9ed"),
    ("#965719", "#d49057"),
    ("#9e3c8b", "#da7ac5"),
    ("#234d63", "#59849c"),
    ("#bb7940", "#fab57b"),
    ("#618568", "#9ac0a0"),
    ("#754a53", "#b08089"),
    ("#183d9c", "#4e79d6"),
    ("#74769d", "#adb0da"),
    ("#4e4920", "#847f55"),
    ("#82074d", "#be5183"),
    ("#b13550", "#ef7688"),
    ("#9a59be", "#d496f9"),
    ("#61721c", "#99ac5a"),
    ("#5c4a8f", "#9381cc"),
    ("#3b737c", "#74acb6"),
    ("#9b6d65", "#d8a79e"),
    ("#009342", "#64cf80"),
    ("#35a07e", "#77ddb8"),
    ("#7a5d7d", "#b595b7"),
    ("#7050ba", "#a78df5"),
    ("#115c91", "#5195ce"),
    ("#5a3c57", "#92718e"),
    ("#893f21", "#c77758"),
)
"""(on light paper, on dark paper), the most different ones first."""
LIGHT_PAPER, DARK_PAPER = "#ffffff", "#16181c"


def choose_colours(places: NDArray[np.float64], sizes: NDArray[np.int64]) -> list[int]:
    """For each cluster an index into ``PALETTE``: all different up to thirty clusters, and unlike the neighbours'.

    With more clusters colours come back, but not within the dozen nearest.

    Args:
        places: (k, 2) where the clusters lie.
        sizes: (k,) the largest choose first.
    """
    k = len(places)
    in_use = min(max(k, 8), len(PALETTE))
    unlike = _differences()[:in_use, :in_use]
    chosen = np.full(k, -1)
    for cluster in np.argsort(-sizes, kind="stable"):
        done = np.flatnonzero(chosen >= 0)
        distance = np.hypot(*(places[done] - places[cluster]).T) + 1
        clash = (np.exp(-unlike[:, chosen[done]] / 0.1) / distance).sum(axis=1)
        barred = done if k <= in_use else done[np.argsort(distance, kind="stable")[:12]]
        clash[chosen[barred]] = np.inf
        chosen[cluster] = int(np.argmin(np.round(clash, 9)))
    return [int(colour) for colour in chosen]


def _differences() -> NDArray[np.float64]:
    """(30, 30) distances of the light variants in OKLab, where equal distances look equal."""
    places = np.array([oklab(light) for light, _ in PALETTE])
    return np.asarray(np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)))


def oklab(colour: str) -> NDArray[np.float64]:
    """(3,) lightness, green-red, blue-yellow of ``#rrggbb`` (Ottosson 2020)."""
    cones = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
    opponents = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])
    lab: NDArray[np.float64] = opponents @ np.cbrt(cones @ linear_rgb(colour))
    return lab


def linear_rgb(colour: str) -> NDArray[np.float64]:
    """(3,) amounts of light of ``#rrggbb``, each in [0, 1]."""
    shown = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
