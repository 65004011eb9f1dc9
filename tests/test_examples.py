"""The examples run: as a stranger would run them, on webs small enough to count by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))

# birds.test: nine pages can be reached from the root, at most two links away; eight of them may be kept.
#
#   / ─┬─ finch.html ── songs/ ── songs/blackbird.html (by the base address of songs/)
#      ├─ songs ~> songs/ (by redirect, so one link from the root)
#      ├─ FINCH.html (nothing there)         ├─ hidden.html (noindex) ── egg.html
#      ├─ secret/nest.html (robots.txt)      └─ index.html (an alias of /)
#      ├─ rook.html (nofollow link, but linked from nestling.html as well)
#      └─ nestling.html ── rook.html
BIRDS = {
    "index.html": """<title>Birds</title><a href=finch.html>Finch</a> <a href="songs?all=1">Songs</a>
        <a href=FINCH.html>No such page</a>
        <a href="secret/nest.html">Nest</a> <a href="hidden.html">Hidden</a> <a href="./index.html#top">Top</a>
        <a rel="nofollow" href="rook.html">Rook</a> <a href="HTTP://BIRDS.test:80/x/../nest%6Cing.html">Nestling</a>
        <a href="http://fish.test/">Fish</a>""",
    "finch.html": "<title>Finch</title>A small bird. <a href=songs/>Songs</a>",
    "songs/index.html": '<base href="http://birds.test/songs/"><title>Songs</title><a href=blackbird.html>One</a>',
    "songs/blackbird.html": "<title>Blackbird</title>Sings at dusk. <a href=/>Birds</a>",
    "hidden.html": "<meta name=robots content=noindex><title>Hidden</title><a href=egg.html>Egg</a>",
    "egg.html": "<meta name=robots content=nofollow><title>Egg</title>Not yet. <a href=unreachable.html>Shell</a>",
    "unreachable.html": "<title>Shell</title>Only linked where links are not to be followed.",
    "nestling.html": "<title>Nestling</title>Hungry. <a href=rook.html>Rook</a>",
    "rook.html": "<title>Rook</title>A large bird.",
    "secret/nest.html": "<title>Nest</title>Not for robots.",
    "robots.txt": "User-agent: *\nDisallow: /secret/\n",
}
# fish.test: frames, a page named with a space and an umlaut, a circle. Four pages.
FISH = {
    "index.html": "<title>Fish</title><frameset><frame src=list.html></frameset>",
    "list.html": "<title>List</title><a href='big hai fisch/größe.html'>Size</a> <a href=eel.html>Eel</a>",
    "big hai fisch/größe.html": "<title>Size</title>Very large. <a href=../eel.html>Eel</a>",
    "eel.html": "<title>Eel</title>Rather long. <a href='#tail'>Tail</a> <a href=list.html>List</a>",
}
MOSS = {"start.html": "<title>Moss</title>Grows. <a href=more.html>More</a>", "more.html": "<title>More</title>Still."}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Three sites in a folder."""
    for host, files in (("birds.test", BIRDS), ("fish.test", FISH), ("moss.test", MOSS)):
        for name, text in files.items():
            file = tmp_path / host / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    return tmp_path


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / script), *options], capture_output=True, text=True, check=False, timeout=200
    )


def cells(output: str, first: str) -> list[str]:
    """The other cells of the table row that starts so."""
    [row] = [line for line in output.splitlines() if line.startswith(f"| {first} |")]
    return row.strip("| ").split(" | ")[1:]


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_says_what_it_does(script: str) -> None:
    done = run(script, "--help")

    assert done.returncode == 0, done.stderr
    assert f"python examples/{script}" in done.stdout


def test_the_walk_finds_what_can_be_counted_by_hand(web: Path) -> None:
    done = run("site_walk.py", str(web / "birds.test"))

    assert done.stdout.split("\n")[:2] == [
        "8 pages, 2 links deep at most;",
        "1 not to be kept, 1 forbidden, 1 missing",
    ]


def test_the_crawl_proof_holds_on_a_small_web(web: Path) -> None:
    done = run(
        "crawl_proof.py", "--web", str(web), "--sites", "birds.test", "fish.test", "moss.test/start.html", "--kills=3"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert cells(done.stdout, "birds.test") == ["8", "8", "1", "0", "0", "0", "0"]
    assert cells(done.stdout, "fish.test") == ["4", "4", "0", "0", "0", "0", "0"]
    assert cells(done.stdout, "moss.test") == ["2", "2", "0", "0", "0", "0", "0"]
    kills = cells(done.stdout, "3")
    assert kills[-1] == "0"
    assert kills[2:-2] == [f"{kills[1]} of {kills[1]}"] * 6


def test_the_crawl_proof_fails_where_walk_and_crawl_differ(web: Path) -> None:
    """Sitemaps are hints that the crawler takes and the walk does not know."""
    (web / "moss.test" / "lone.html").write_text("<title>Lone</title>No page links here.")
    (web / "moss.test" / "sitemap.xml").write_text("<urlset><url><loc>http://moss.test/lone.html</loc></url></urlset>")

    done = run("crawl_proof.py", "--web", str(web), "--sites", "moss.test/start.html", "--kills=0")

    assert done.returncode == 1
    assert cells(done.stdout, "moss.test") == ["2", "3", "0", "0", "1", "0", "0"]
    assert "extra: http://moss.test/lone.html" in done.stderr


def test_a_describing_word_is_routed_to_the_poems_alone() -> None:
    done = run("custom_abstraction.py")
    usual, described, exact = done.stdout.strip().split("\n\n")

    assert "  asked" not in usual
    assert [line.split()[0] for line in described.splitlines() if line.endswith("  asked")] == ["root", "verses.test"]
    assert "2 found" in exact
