"""``hypursuit serve``: routers of a tree as separate processes at different addresses, each with a file of its own.

.  ─┬─ edu ─┬─ www.alpha.edu
    │       └─ www.beta.edu
    └─ delta.co.uk
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from hypursuit.errors import BadSetting
from hypursuit.label.parts import Host
from hypursuit.query.answer import Answer, Health, SearchRequest
from routers.client import RouterClient, make_session
from topology.one_router import read_router

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Background = Callable[..., AbstractContextManager[subprocess.Popen[str]]]

NAMES = (".", "edu", "www.alpha.edu", "www.beta.edu", "delta.co.uk")
ADDRESSES = {name: f"127.0.0.{place}" for place, name in enumerate(NAMES, 1)}
CHILDREN = {".": ("edu", "delta.co.uk"), "edu": ("www.alpha.edu", "www.beta.edu")}


def free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


class Files:
    """A router.toml for each router of the tree above."""

    def __init__(self, folder: Path, web: Any) -> None:
        self.listen = {name: f"{host}:{free_port(host)}" for name, host in ADDRESSES.items()}
        self.folder = folder
        parents = {child: parent for parent, children in CHILDREN.items() for child in children}
        for name, host in ADDRESSES.items():
            text = f'name = "{name}"\nlisten = "{self.listen[name]}"\nstore = "stores-{host}"\n'
            if name not in CHILDREN:
                text += f'[site]\nurl = "http://{name}/"\nresolve = "127.0.0.1:{web.port}"\n'
            for child in CHILDREN.get(name, ()):
                text += (
                    f'[[child]]\nname = "{child}"\nurl = "{self.url(child)}"\n'
                    f'token = "secret of {child}"\nhosts = ["{child}"]\n'
                )
            if name in parents:
                text += f'[[parent]]\nurl = "{self.url(parents[name])}"\ntoken = "secret of {name}"\n'
            self.file(name).write_text(text)

    def file(self, name: str) -> Path:
        """Of a router."""
        return self.folder / f"router-{ADDRESSES[name]}.toml"

    def url(self, name: str) -> str:
        """Where it answers."""
        return f"http://{self.listen[name]}/"


def answering(process: subprocess.Popen[str]) -> str:
    """The line that says so, or what it says instead."""
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdout.readline() or process.stderr.read()


async def until(check: Callable[[], Any]) -> Any:
    """What a check gives once it gives something."""
    for _ in range(600):
        if (result := await check()) is not None:
            return result
        await asyncio.sleep(0.1)
    raise AssertionError("it did not come to pass within a minute")


async def ready(url: str, leaves: int) -> Health:
    async with make_session() as session:
        client = RouterClient(url, session)

        async def check() -> Health | None:
            health = await client.health(10.0)
            return health if health.ready and health.leaves == leaves else None

        return await until(check)


async def ask(url: str, text: str) -> Answer:
    async with make_session() as session:
        return await RouterClient(url, session).search(SearchRequest(q=text, deadline_ms=10_000))


@pytest.fixture
def files(tmp_path: Path, web: Any) -> Files:
    return Files(tmp_path, web)


@pytest.fixture
def tree(files: Files, background: Background) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """All five routers, started in no helpful order: parents before their children are there."""
    with ExitStack() as stack:
        processes = {name: stack.enter_context(background("serve", files.file(name))) for name in ADDRESSES}
        for name, process in processes.items():
            assert answering(process) == f"{name} answers at {files.url(name)}\n"
        yield processes


async def test_routers_on_addresses_of_their_own_make_a_tree(
    files: Files, tree: dict[str, subprocess.Popen[str]], background: Background
) -> None:
    """A leaf that is killed is missed by name; started again, from what it stored, answers are whole."""
    assert (await ready(files.url("."), leaves=3)).pages == 30
    whole = await ask(files.url("."), "stonebird OR appleland")
    assert whole.exact
    assert {hit.leaf for hit in whole.hits} <= {"www.alpha.edu", "www.beta.edu", "delta.co.uk"}

    tree["www.alpha.edu"].kill()
    tree["www.alpha.edu"].wait()
    partial = await ask(files.url("."), "stonebird OR appleland")
    assert [failure.router for failure in partial.coverage.failed] == ["www.alpha.edu"]
    assert not partial.exact

    with background("serve", files.file("www.alpha.edu")) as again:
        assert answering(again).startswith("www.alpha.edu answers at")

        async def check() -> Answer | None:
            answer = await ask(files.url("."), "stonebird OR appleland")
            return None if answer.coverage.failed else answer

        assert [(hit.url, hit.score) for hit in (await until(check)).hits] == [(h.url, h.score) for h in whole.hits]
        again.kill()
        assert again.stderr is not None
        assert "crawled" not in again.stderr.read()


async def test_any_router_can_be_asked_and_ctrl_c_ends_it(files: Files, tree: dict[str, subprocess.Popen[str]]) -> None:
    await ready(files.url("edu"), leaves=2)
    answer = await ask(files.url("edu"), "stonebird OR appleland")

    assert {hit.leaf for hit in answer.hits} <= {"www.alpha.edu", "www.beta.edu"}
    for name, stop in (("edu", signal.SIGINT), ("www.beta.edu", signal.SIGTERM)):
        tree[name].send_signal(stop)
        _, err = await asyncio.to_thread(tree[name].communicate, timeout=60)
        assert (tree[name].returncode, err.splitlines()[-1]) == (0, "stopped")


def test_a_leaf_whose_site_is_not_there_says_so(tmp_path: Path) -> None:
    file = tmp_path / "router.toml"
    file.write_text('name = "x.org"\nlisten = "127.0.0.1:0"\n[site]\nurl = "http://x.org/"\nresolve = "127.0.0.1:9"')
    done = subprocess.run(
        [sys.executable, "-m", "topology", "serve", file], capture_output=True, text=True, check=False, timeout=120
    )

    assert done.returncode == 1
    assert "hypursuit: http://x.org/ cannot be reached" in done.stderr


LEAF = 'name = "a"\n[site]\nurl = "x.org"\n'
ABOVE = 'name = "a"\n[[child]]\nname = "b"\nurl = "http://h:1/"\ntoken = "12345678"\nhosts = ["b.org"]\n'


def test_what_a_file_says(tmp_path: Path) -> None:
    file = tmp_path / "router.toml"
    file.write_text(ABOVE.replace('["b.org"]', '["b.org", "c.org:81", "d.org/guide"]') + "[budget]\nbytes = 5000\n")
    router = read_router(file)

    assert router.served.children[0].hosts == (Host(".b.org"), Host("c.org:81"), Host(".d.org", "/guide"))
    assert (router.served.budget.bytes, router.served.budget.clusters) == (5000, 50)
    assert (router.served.url, str(router.listen), router.site) == ("", "127.0.0.1:8080", None)
    file.write_text("url = 'http://outside:9/'\n" + LEAF)
    router = read_router(file)
    assert (router.served.url, router.served.budget.bytes) == ("http://outside:9/", 410_000)
    assert router.served.store == tmp_path / "stores" / "x.org.sqlite"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"', r"give either a \[site\], for a leaf, or \[\[child\]\] routers"),
        (ABOVE + '[site]\nurl = "x.org"', r"give either a \[site\]"),
        (LEAF + "[[parents]]", r"parents: there is no such key; did you mean parent\?"),
        (LEAF + '[[parent]]\nurl = "http://h/"', r"parent\[0\]: object missing required field `token`"),
        (LEAF + '[[parent]]\nurl = "h"\ntoken = "12345678"', r"parent\[0\]: url: 'h' is not a URL"),
        (ABOVE.replace("12345678", "short"), r"child\[0\]\.token: expected `str` of length >= 8"),
        (ABOVE.replace('["b.org"]', "[]"), r"child\[0\]\.hosts: expected `array` of length >= 1"),
        (ABOVE.replace('name = "b"', 'name = "a"'), r"child\[0\]: name: 'a' is taken already"),
        (LEAF.replace("x.org", "ftp://x.org"), r"site: url: 'ftp://x\.org' is not a URL"),
        ('listen = "nowhere:x"\n' + LEAF, r"listen: 'nowhere:x' is not HOST:PORT"),
    ],
)
def test_every_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "router.toml"
    file.write_text(text)
    with pytest.raises(BadSetting, match=message) as caught:
        read_router(file)

    assert str(caught.value).startswith(f"{file}: ")
