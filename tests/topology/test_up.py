"""``hypursuit up``: real processes over a small web, from an empty folder to exact answers, and cleanly gone again."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hypursuit.errors import BadSetting, TreeFailed
from hypursuit.query.answer import Answer, SearchRequest
from hypursuit.query.index import PageIndex
from hypursuit.query.language import parse_query
from hypursuit.text.scoring import Scoring
from routers.client import RouterClient, make_session
from routers.store import Store
from topology.doors import bind
from topology.launch import RunningTree, running_tree
from topology.network import Listen, Network, network_of, with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    Background = Callable[..., AbstractContextManager[subprocess.Popen[str]]]

QUERIES = (
    "tigerland", "stonebird riverwork", "stonebird OR pianolight", '"lamp house"', "apple", "title:tigerbird cloudland",
    "cloudwork -stoneland", "(appleland OR pianobird) lamplight", "riverhouse site:alpha.edu", "nothingsuch",
)  # fmt: skip


@pytest.fixture(scope="module")
def stores(web: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves behind: stores, indexes, labels of all sites."""
    folder = tmp_path_factory.mktemp("network")

    async def once() -> None:
        async with running_tree(network(web, folder)):
            pass

    asyncio.run(once())
    return folder


@pytest.fixture
def store(stores: Path, tmp_path: Path) -> Path:
    """A copy of that, to be changed at will."""
    return Path(shutil.copytree(stores, tmp_path / "stores"))


def network(web: Any, store: Path, **changes: Any) -> Network:
    """The network over the small web, at any free port."""
    made = with_options(
        network_of(web.urls, store), listen="127.0.0.1:0", store=None, resolves=web.resolves[1::2], max_pages=None
    )
    return replace(made, **changes)


async def ask(tree: RunningTree, text: str, **wanted: Any) -> Answer:
    async with make_session() as session:
        return await RouterClient(tree.url, session).search(SearchRequest(q=text, deadline_ms=20_000, **wanted))


class Central:
    """One index over the pages of all sites, which the tree has to agree with."""

    def __init__(self, store: Path) -> None:
        pages = []
        for path in sorted(store.glob("*.sqlite")):
            with Store.open(path) as opened:
                pages += list(opened.pages())
        self.index = PageIndex.build(pages)

    def best(self, text: str, limit: int) -> list[tuple[str, float]]:
        """URLs and scores, best first."""
        query, index = parse_query(text), self.index
        idf = {stem: Scoring.idf(index.page_frequency(stem), len(index.urls)) for stem in query.stems()}
        matches, _ = index.search(query, idf, limit)
        return [(index.urls[match.page], match.score) for match in matches]


def found(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in answer.hits]


async def test_the_tree_finds_exactly_what_one_index_over_all_pages_finds(web: Any, store: Path) -> None:
    central = Central(store)
    async with running_tree(network(web, store)) as tree:
        for text in QUERIES:
            answer = await ask(tree, text, limit=10)
            assert found(answer) == central.best(text, 10), text
            assert answer.exact
            second = await ask(tree, text, limit=5, offset=5)
            assert found(second) == central.best(text, 10)[5:], text

    assert sum(len(central.best(text, 10)) for text in QUERIES) > 50, "the queries find something"


async def test_the_tree_is_shaped_like_dns_and_knows_every_page(web: Any, store: Path) -> None:
    async with running_tree(network(web, store)) as tree:
        assert sorted(leaf.name for leaf in tree.topology.leaves) == sorted(
            [
                "www.alpha.edu",
                "lcs.alpha.edu",
                "www.beta.edu",
                "gamma.org/",
                "docs.gamma.org",
                "delta.co.uk",
                "h.test:81",
            ]
        )
        assert tree.topology["edu"].children == ("alpha.edu", "www.beta.edu")
        assert set(tree.pages.values()) == {10}
        async with make_session() as session:
            for router in tree.topology.routers:
                health = await RouterClient(tree.urls[router.name], session).health()
                assert health.router == router.name
                assert health.pages == 10 * sum(1 for _ in leaves_below(tree, router.name))


def leaves_below(tree: RunningTree, name: str) -> Iterator[str]:
    spec = tree.topology[name]
    yield from [name] if spec.is_leaf else (leaf for child in spec.children for leaf in leaves_below(tree, child))


@pytest.mark.parametrize("processes", [2, "each"])
async def test_in_several_processes_answers_are_the_same(web: Any, store: Path, processes: Any) -> None:
    central = Central(store)
    async with running_tree(network(web, store, processes=processes)) as tree:
        assert len(tree.workers) == (2 if processes == 2 else len(tree.topology) - 1)
        assert len({worker.pid for worker in tree.workers} - {os.getpid()}) == len(tree.workers)
        for text in QUERIES:
            assert found(await ask(tree, text)) == central.best(text, 10), text
        pids = [worker.pid for worker in tree.workers]

    assert not any(runs(pid) for pid in pids if pid is not None)


async def test_routers_listen_where_they_are_told(web: Any, store: Path) -> None:
    addresses = (("edu", Listen("127.0.0.2", 0)), ("gamma.org", Listen("127.0.0.3", 0)))
    async with running_tree(network(web, store, processes="each", addresses=addresses)) as tree:
        assert tree.urls["edu"].startswith("http://127.0.0.2:")
        assert tree.urls["gamma.org"].startswith("http://127.0.0.3:")
        assert (await ask(tree, "tigerland")).coverage.failed == ()


async def test_a_second_start_crawls_nothing_and_makes_nothing(web: Any, store: Path) -> None:
    """Even if the sites have gone meanwhile; ports are those of the first start, so labels stay true."""
    for processes in (1, 2):
        async with running_tree(network(web, store, processes=processes)) as first:
            listen = first.network.listen
        gone = replace(network_of(web.urls, store), listen=listen, processes=processes)
        async with running_tree(gone) as second:
            assert [found.report for found in second.gathered] == [None] * 7
            assert [leaf.name for leaf in second.prepared if leaf.made] == []
            assert second.urls == first.urls
            assert len((await ask(second, "tigerland")).hits) == 10


async def test_a_site_that_fails_is_named_and_left_out(web: Any, store: Path) -> None:
    wanted = network(web, store)
    extra = network_of(["nowhere.edu"], store, resolves=["nowhere.edu:80:127.0.0.1:9"]).sites
    async with running_tree(replace(wanted, sites=(*wanted.sites, *extra))) as tree:
        assert set(tree.left_out) == {"nowhere.edu"}
        assert "nowhere.edu" in str(tree.left_out["nowhere.edu"])
        assert len(tree.topology.leaves) == 7
        assert (await ask(tree, "tigerland")).exact


async def test_a_damaged_store_is_named_and_left_out(web: Any, store: Path) -> None:
    (store / "delta.co.uk.sqlite").write_bytes(b"not a database, and long enough to be taken for one" * 100)
    async with running_tree(network(web, store)) as tree:
        assert set(tree.left_out) == {"delta.co.uk"}
        assert len(tree.topology.leaves) == 6


async def test_without_any_usable_site_there_is_no_tree(tmp_path: Path) -> None:
    nowhere = network_of(["nowhere.edu"], tmp_path, resolves=["nowhere.edu:80:127.0.0.1:9"])
    with pytest.raises(TreeFailed, match=r"none can be used; the first: http://nowhere\.edu/"):
        async with running_tree(replace(nowhere, listen=Listen("127.0.0.1", 0))):
            pass


async def test_an_address_that_is_taken_is_told_before_anything_is_crawled(web: Any, tmp_path: Path) -> None:
    with bind(Listen("127.0.0.1", 0)) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BadSetting, match=rf"cannot listen at 127\.0\.0\.1:{port}: Address already in use"):
            async with running_tree(network(web, tmp_path / "new", listen=Listen("127.0.0.1", port))):
                pass

    assert not (tmp_path / "new").exists()


async def test_a_worker_that_is_killed_is_started_again(web: Any, store: Path) -> None:
    central = Central(store)
    async with running_tree(network(web, store, processes=2)) as tree:
        victim = tree.workers[0]
        killed = victim.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        answer = await whole(tree, "tigerland OR stonebird")

        assert victim.pid != killed
        assert found(answer) == central.best("tigerland OR stonebird", 10)


async def whole(tree: RunningTree, text: str) -> Answer:
    """The first answer that nobody is missing from, once all processes are back."""
    for _ in range(600):
        answer = await ask(tree, text)
        if all(worker.alive for worker in tree.workers) and not answer.coverage.failed and answer.exact:
            return answer
        await asyncio.sleep(0.1)
    raise AssertionError(f"still missing: {answer.coverage.failed}")


async def test_changed_pages_are_found_after_a_renewal(web: Any, store: Path, tmp_path: Path) -> None:
    page = web.folder / "delta.co.uk" / "3.html"
    before = page.read_text()
    try:
        page.write_text(before.replace("<h1>", "<h1>unheardof "))
        os.utime(page, (time.time() + 60,) * 2)  # servers tell changes by the second
        async with running_tree(network(web, store)) as tree:
            assert (await ask(tree, "unheardof")).hits == ()
        async with running_tree(network(web, store, listen=tree.network.listen), renew=True) as tree:
            assert [hit.url for hit in (await ask(tree, "unheardof")).hits] == ["http://delta.co.uk/3.html"]
            assert [leaf.name for leaf in tree.prepared if leaf.made] == ["delta.co.uk"]
    finally:
        page.write_text(before)


async def test_other_limits_are_crawled_anew(web: Any, store: Path) -> None:
    fewer = with_options(network(web, store), listen=None, store=None, resolves=(), max_pages=4)
    async with running_tree(fewer) as tree:
        assert set(tree.pages.values()) == {4}
    async with running_tree(fewer) as tree:
        assert [found.report for found in tree.gathered] == [None] * 7


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def descendants(pid: int) -> set[int]:
    """All processes below one, by their parents."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except FileNotFoundError:
            continue
    below, size = {pid}, 0
    while len(below) > size:
        size = len(below)
        below |= {child for child, parent in parents.items() if parent in below}
    return below - {pid}


def all_gone(pids: set[int]) -> bool:
    for _ in range(1000):
        if not any(map(runs, pids)):
            return True
        time.sleep(0.01)
    return False


def up(background: Background, web: Any, store: Path, *more: object) -> AbstractContextManager[subprocess.Popen[str]]:
    return background("up", *web.urls, *web.resolves, "--store", store, "--listen", "127.0.0.1:0", *more)


def until(process: subprocess.Popen[str], phrase: str) -> str:
    """Output up to the line with a phrase."""
    assert process.stdout is not None
    lines = ""
    for line in process.stdout:
        lines += line
        if phrase in line:
            return lines
    raise AssertionError(f"it ended without {phrase!r}: {lines} {process.stderr.read() if process.stderr else ''}")


@pytest.mark.parametrize(("stop", "processes"), [(signal.SIGINT, "1"), (signal.SIGTERM, "2"), (signal.SIGINT, "each")])
def test_the_command_shows_the_tree_and_stops_cleanly(
    background: Background, web: Any, store: Path, stop: signal.Signals, processes: str
) -> None:
    with up(background, web, store, "--processes", processes) as process:
        shown = until(process, "The root answers at http://127.0.0.1:")
        below = descendants(process.pid)
        process.send_signal(stop)
        rest, err = process.communicate(timeout=60)

    assert "network  11 routers, 7 sites, 70 pages" in shown
    assert "│   ├── alpha.edu  2 sites, 20 pages" in shown
    assert "7 of 7 sites were crawled before" in shown
    assert (process.returncode, rest, err.splitlines()[-1:]) == (0, "", ["stopped"])
    assert all_gone(below)


def test_ctrl_c_reaches_the_whole_group_and_does_no_harm(web: Any, store: Path) -> None:
    """As a terminal sends it: to every process of the tree at once."""
    command = [sys.executable, "-m", "topology", "up", *web.urls, *web.resolves]
    command += ["--store", store, "--listen", "127.0.0.1:0", "--processes", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until(process, "The root answers at")
        below = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert (process.returncode, err.splitlines()[-1:]) == (0, ["stopped"])
    assert "Traceback" not in err
    assert all_gone(below)


def test_killed_it_leaves_no_process_behind(background: Background, web: Any, store: Path) -> None:
    with up(background, web, store, "--processes", "2") as process:
        until(process, "The root answers at")
        below = descendants(process.pid)
        assert len(below) >= 3
        process.kill()
        process.wait()

        assert all_gone(below)


def test_interrupted_while_it_crawls_it_says_so_and_goes_on_next_time(
    background: Background, web: Any, tmp_path: Path
) -> None:
    slow = tmp_path / "network.toml"
    sites = "".join(
        f'[[site]]\nurl = "{url}"\nresolve = "127.0.0.1:{web.port}"\ndelay = 0.3\n'
        for url in web.urls
        if "test" not in url
    )
    slow.write_text(f'[network]\nlisten = "127.0.0.1:0"\n{sites}')
    with background("up", slow) as process:
        while not list(tmp_path.glob("stores/*.sqlite")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "interrupted; what was stored stays" in err


def test_json_describes_the_running_tree(background: Background, web: Any, store: Path) -> None:
    with up(background, web, store, "--json") as process:
        tree = json.loads(document(process))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert tree["root"].startswith("http://127.0.0.1:")
    assert {router["name"] for router in tree["routers"] if router["site"]} >= {"delta.co.uk", "gamma.org/"}
    assert all(router["url"].startswith(tree["root"]) for router in tree["routers"])
    assert (tree["left_out"], tree["crawled"]) == ({}, [])


def document(process: subprocess.Popen[str]) -> str:
    """Lines up to the closing brace in the first column."""
    assert process.stdout is not None
    lines = ""
    for line in process.stdout:
        lines += line
        if line == "}\n":
            break
    return lines


def hypursuit(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "topology", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_a_dry_run_prints_the_tree_and_touches_nothing(tmp_path: Path) -> None:
    done = hypursuit("up", "www.mit.edu", "lcs.mit.edu", "x.org", "--dry-run", "--store", tmp_path / "new")

    assert (done.returncode, done.stderr) == (0, "")
    assert [line.strip() for line in done.stdout.splitlines()] == [
        "network  5 routers, 3 sites",
        "├── mit.edu  2 sites",
        "│   ├── lcs.mit.edu",
        "│   └── www.mit.edu",
        "└── x.org",
    ]
    assert not (tmp_path / "new").exists()


def test_other_hierarchies_are_checked_and_said_to_wait(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text('[[site]]\nurl = "x.org"\n[[hierarchy]]\nname = "subject"\ntree = { "A" = ["x.org"] }')
    done = hypursuit("up", file, "--dry-run")

    assert done.returncode == 0
    assert "only the DNS-shaped tree is launched yet" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "Missing argument"),
        (["nowhere.toml"], 1, "nowhere.toml: cannot be read: No such file"),
        (["a.toml", "x.org"], 1, "give one network.toml or some URLs"),
        (["x.org", "--processes", "many"], 2, "'many' is neither a number nor 'each'"),
        (["x.org", "--listen", "8080"], 1, "'8080' is not HOST:PORT"),
        (["ftp://x.org"], 1, "only http and https"),
    ],
)
def test_mistakes_are_told(words: list[str], code: int, message: str) -> None:
    done = hypursuit("up", *words)

    assert done.returncode == code
    assert message in done.stderr
