from __future__ import annotations

import re
from statistics import mean
from typing import TYPE_CHECKING

from topology.bench.made_site import make_site

if TYPE_CHECKING:
    from pathlib import Path


def made(folder: Path, pages: int, seed: int = 1996) -> dict[str, str]:
    make_site(folder, pages, seed)
    return {f"/{file.relative_to(folder)}": file.read_text() for file in folder.rglob("*.html")}


def reachable(site: dict[str, str]) -> set[str]:
    found, waiting = {"/index.html"}, ["/index.html"]
    while waiting:
        new = set(re.findall(r'href="(/[^"]*\.html)"', site[waiting.pop()])) - found
        found |= new
        waiting += new
    return found


def test_every_page_is_reachable_from_the_index_and_one_more_is_forbidden(tmp_path: Path) -> None:
    site = made(tmp_path / "site", 200)

    assert len(site) == 201
    assert reachable(site) == set(site)
    assert (tmp_path / "site/robots.txt").read_text() == "User-agent: *\nDisallow: /private/\n"


def test_the_seed_decides_every_byte(tmp_path: Path) -> None:
    assert made(tmp_path / "a", 40) == made(tmp_path / "b", 40)
    assert made(tmp_path / "c", 40, seed=7) != made(tmp_path / "a2", 40)


def test_pages_have_the_size_and_the_links_of_documentation(tmp_path: Path) -> None:
    site = made(tmp_path / "site", 1500)
    del site["/private/index.html"]

    assert 30_000 < mean(map(len, site.values())) < 40_000
    assert 90 < mean(page.count("<a ") for page in site.values()) < 110
