"""Titles without what the site puts into every one."""

from __future__ import annotations

import pytest

from hypursuit.text.titles import short_titles


def test_the_site_name_behind_every_title_goes() -> None:
    titles = [f"{topic} — Acme 3.1 documentation" for topic in ("Hashing", "Trees", "Graphs", "Sets", "Maps")]

    assert short_titles(titles) == ("Hashing", "Trees", "Graphs", "Sets", "Maps")


def test_several_shared_parts_go_from_either_end() -> None:
    titles = [f"Acme: {topic} - Guide | Acme docs" for topic in ("Hashing", "Trees", "Graphs", "Sets")]

    assert short_titles(titles) == ("Hashing", "Trees", "Graphs", "Sets")


def test_a_title_that_is_nothing_else_stays() -> None:
    titles = ["Acme docs", *(f"{topic} | Acme docs" for topic in ("Hashing", "Trees", "Graphs", "Sets"))]

    assert short_titles(titles)[0] == "Acme docs"


@pytest.mark.parametrize(
    "titles",
    [
        (),
        ("",),
        ("One - Two", "Three - Four", "Five - Six", "Seven - Eight"),
        ("A - same", "B - same", "C - same"),
        ("std::vector", "std::map", "std::set", "std::list"),
    ],
)
def test_what_few_titles_share_stays(titles: tuple[str, ...]) -> None:
    assert short_titles(titles) == titles
