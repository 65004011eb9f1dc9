"""The ``hypursuit`` command as a stranger runs it: real processes, a real site on loopback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from topology.cli import COMMANDS
from topology.static_sites import serving_process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "garden.test"
SECTIONS = {"roses": "petal thorn bloom pruning", "tools": "spade rake shears steel", "soil": "compost clay humus lime"}


def make_site(folder: Path) -> None:
    """An index page over three sections of six pages each; every section page links home, up and onward."""
    sections = "".join(f'<a href="/{name}/index.html">{name}</a> ' for name in SECTIONS)
    write(folder / "index.html", "Garden", f"<p>welcome to the garden</p>{sections}")
    for name, words in SECTIONS.items():
        below = "".join(f'<a href="{i}.html">{words.split()[i % 4]} {i}</a> ' for i in range(6))
        write(folder / name / "index.html", f"{name} | Garden", f'<p>all about {words}</p><a href="/">home</a> {below}')
        for i in range(6):
            own = " ".join(words.split()[i % 4 :] * (i + 1))
            onward = f'<a href="/">home</a> <a href="index.html">up</a> <a href="{(i + 1) % 6}.html">next</a>'
            write(
                folder / name / f"{i}.html", f"{words.split()[i % 4]} | Garden", f"<p>{name} {words} {own}</p>{onward}"
            )


def write(path: Path, title: str, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<html><head><title>{title}</title></head><body>{body}</body></html>", encoding="utf-8")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    root = tmp_path_factory.mktemp("web")
    make_site(root / HOST)
    with serving_process(root) as served:
        yield served


def hypursuit(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "topology", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def crawl(port: int, store: Path, *more: object) -> subprocess.CompletedProcess[str]:
    return hypursuit("crawl", HOST, "--store", store, "--resolve", f"{HOST}:80:127.0.0.1:{port}", *more)


@pytest.fixture(scope="module")
def store(port: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    assert crawl(port, folder).returncode == 0
    return folder


def test_help_names_every_command() -> None:
    done = hypursuit("--help")

    assert done.returncode == 0
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = hypursuit(command, "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage:")


def test_a_crawl_tells_what_it_stored_and_what_to_do_next(port: int, tmp_path: Path) -> None:
    done = crawl(port, tmp_path / "new" / "folder")

    assert done.returncode == 0, done.stderr
    assert f"{HOST}     22" in done.stdout.replace("  ", " " * 2)
    assert "hypursuit clusters" in done.stdout


def test_a_second_crawl_finds_everything_unchanged(port: int, store: Path) -> None:
    [report] = json.loads(crawl(port, store, "--json").stdout)

    assert report["outcomes"]["unchanged"] == 22
    assert "stored" not in report["outcomes"]
    assert (report["pages"], report["finished"], report["error"]) == (22, True, None)


def test_a_page_limit_takes_the_first_pages_in_breadth_first_order(port: int, tmp_path: Path) -> None:
    [report] = json.loads(crawl(port, tmp_path, "--max-pages", 4, "--json").stdout)

    assert report["pages"] == 4


def test_clusters_prints_a_tree_with_names_sizes_and_pages(store: Path) -> None:
    done = hypursuit("clusters", store, "-k", 4)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"http://{HOST}/  22 pages, 4 clusters")
    assert "└──" in done.stdout
    assert f"http://{HOST}/roses/" in done.stdout


def test_clusters_as_json_hold_every_page_once(store: Path) -> None:
    [site] = json.loads(hypursuit("clusters", store, "-k", 6, "--json").stdout)
    finer = [cluster for coarse in site["clusters"] for cluster in coarse["clusters"]]
    members = [url for cluster in finer for url in cluster["members"]]

    assert len(finer) == 6
    assert len(members) == len(set(members)) == site["pages"] == 22
    assert all(cluster["centroid"] in cluster["members"] for cluster in finer)
    assert {"attribute", "term", "word", "tf", "df"} == set(finer[0]["terms"][0])


@pytest.mark.parametrize("method", ["hybrid", "plain", "terms", "links"])
def test_every_method_can_be_asked_for(store: Path, method: str) -> None:
    [site] = json.loads(hypursuit("clusters", store, "-k", 4, "--method", method, "--json").stdout)

    assert site["method"] == method


def test_the_map_is_drawn_to_a_file(store: Path, tmp_path: Path) -> None:
    done = hypursuit("clusters", store, "-k", 4, "--svg", tmp_path / "map.svg")

    assert done.returncode == 0, done.stderr
    assert ET.parse(tmp_path / "map.svg").getroot().tag.endswith("svg")  # noqa: S314  our own file


def test_evaluate_compares_all_methods_and_prints_table_one(store: Path) -> None:
    done = hypursuit("evaluate", "clusters", store, "-k", 5)

    assert done.returncode == 0, done.stderr
    assert "adjusted Rand" in done.stdout
    assert "roses (" in done.stdout


def test_evaluate_takes_a_table_of_classes(store: Path, tmp_path: Path) -> None:
    table = tmp_path / "classes.tsv"
    rows = [f"http://{HOST}/{name}/{i}.html\t{name.upper()}" for name in SECTIONS for i in range(6)]
    table.write_text("\n".join(rows), encoding="utf-8")

    [site] = json.loads(hypursuit("evaluate", "clusters", store, "--table", table, "-k", 5, "--json").stdout)

    assert (site["judged"], site["classes"]) == (18, 3)
    assert site["methods"]["hybrid"]["agreement"]["v_measure"] > 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("clusters", "nowhere"), 1, "hypursuit crawl URL --store"),
        (("crawl", "ftp://a/", "--store", "x"), 1, "is not a URL that can be crawled"),
        (("crawl", "a.test", "--store", "x", "--resolve", "nonsense"), 1, "HOST:PORT:ADDRESS"),
        (("crawl", "a.test", "--store", "x", "--max-bytes", "lots"), 2, "500k, 20M or 1G"),
        (("crawl", "a.test"), 2, "--store"),
        (("evaluate", "clusters", "nowhere"), 1, "hypursuit crawl"),
        (("nonsense",), 2, "No such command"),
        (("bench", "nonsense"), 2, "is not one of"),
    ],
)
def test_mistakes_get_a_message_that_says_what_to_do(
    tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    command = [sys.executable, "-m", "topology", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)

    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_site_that_cannot_be_had_fails_with_its_reason_and_leaves_the_others(port: int, tmp_path: Path) -> None:
    done = crawl(port, tmp_path, "gone.test", "--resolve", f"gone.test:80:127.0.0.1:{port}", "--json")
    reports = {report["site"]: report for report in json.loads(done.stdout)}

    assert done.returncode == 1
    assert "404" in reports["http://gone.test/"]["error"]
    assert reports[f"http://{HOST}/"]["pages"] == 22


def test_an_interrupted_crawl_says_so_and_goes_on_the_next_time(port: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "topology", "crawl", HOST, "--store", str(tmp_path), "--delay", "0.2"]
    running = subprocess.Popen(
        [*command, "--resolve", f"{HOST}:80:127.0.0.1:{port}"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    stored = tmp_path / f"{HOST}.sqlite"
    until = time.monotonic() + 30
    while not stored.exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.8)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=30)

    assert running.returncode == 130
    assert "run the command again to go on" in errors
    [report] = json.loads(crawl(port, tmp_path, "--json").stdout)
    assert (report["resumed"], report["finished"], report["pages"]) == (True, True, 22)
