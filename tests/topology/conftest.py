"""A web of seven small sites, served by a process of its own; and ``hypursuit`` commands that run on it.

edu ─┬─ alpha.edu ─┬─ www.alpha.edu      org ── gamma.org ─┬─ gamma.org (a site too)      delta.co.uk
     │             └─ lcs.alpha.edu                        └─ docs.gamma.org
     └─ www.beta.edu                     h.test:81
"""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from topology.static_sites import serving_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Background = Callable[..., AbstractContextManager[subprocess.Popen[str]]]

HOSTS = ("www.alpha.edu", "lcs.alpha.edu", "www.beta.edu", "gamma.org", "docs.gamma.org", "delta.co.uk", "h.test")
PAGES = 10
ROOTS = ("stone", "river", "cloud", "lamp", "tiger", "apple", "piano")
ENDS = ("bird", "work", "land", "house", "light")
WORDS = tuple(root + end for root in ROOTS for end in ENDS)


@dataclass(frozen=True)
class Web:
    """Sites on loopback. Every site has five words that its pages prefer; all words occur on many sites."""

    folder: Path
    port: int

    @property
    def urls(self) -> list[str]:
        """Root pages; h.test is at a port of its own."""
        return [f"http://{host}/" if host != "h.test" else "http://h.test:81/" for host in HOSTS]

    @property
    def resolves(self) -> list[str]:
        """Options that lead there."""
        entries = (f"{host}:{81 if host == 'h.test' else 80}:127.0.0.1:{self.port}" for host in HOSTS)
        return [word for entry in entries for word in ("--resolve", entry)]


def make_web(root: Path) -> None:
    """The same pages every time."""
    chance = random.Random(7)
    for number, host in enumerate(HOSTS):
        own = WORDS[5 * number : 5 * number + 5]
        for page in range(PAGES):
            text = " ".join(chance.choices(own * 3 + WORDS, k=60))
            links = "".join(
                f'<a href="{target}.html">{own[target % 5]}</a> ' for target in chance.sample(range(1, PAGES), 3)
            )
            onward = f'<a href="{page + 1}.html">on</a>' if page + 1 < PAGES else ""
            file = root / host / ("index.html" if page == 0 else f"{page}.html")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                f"<html><head><title>{own[page % 5]} {page}</title></head>"
                f"<body><h1>{own[(page + 1) % 5]}</h1><p>{text}</p>{links}{onward}</body></html>",
                encoding="utf-8",
            )


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Served for as long as the tests run."""
    root = tmp_path_factory.mktemp("web")
    make_web(root)
    with serving_process(root) as port:
        yield Web(root, port)


@contextmanager
def running_command(*words: object) -> Iterator[subprocess.Popen[str]]:
    """A ``hypursuit`` command that goes on; killed at the end if it has not ended by then."""
    command = [sys.executable, "-m", "topology", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="session")
def background() -> Background:
    """For commands that run until they are interrupted."""
    return running_command
