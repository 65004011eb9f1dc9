"""The drawn map in a real browser: it is a picture, and nothing that was crawled runs in it."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections import Counter
from typing import TYPE_CHECKING
from zlib import decompress

import pytest

from hypursuit.clustering.organise import Collection, organise
from hypursuit.crawl.page import Page

if TYPE_CHECKING:
    from pathlib import Path

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
HOSTILE = (
    "<script>document.title='ran'</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></style><script>alert(2)</script>",
    "\u202eright to left\u202c & \x00 control",
    "x" * 5000,
)


@pytest.fixture(scope="module")
def browser() -> str:
    found = shutil.which("chromium")
    assert found, "chromium is missing; 'make browser' installs it"
    return found


@pytest.fixture
def map_file(tmp_path: Path) -> Path:
    """Twenty pages about two things, some of them with titles made to break out."""
    pages = [
        Page(
            f"http://evil.example/{'roses' if i % 2 else 'tools'}/{i}",
            title=HOSTILE[i] if i < len(HOSTILE) else f"{'Rose' if i % 2 else 'Spade'} number {i}",
            text="rose petal thorn bloom" if i % 2 else "spade rake shears steel",
        )
        for i in range(20)
    ]
    path = tmp_path / "map.svg"
    path.write_text(organise(Collection.of(pages)).draw("Evil <b>site</b>", 4), encoding="utf-8")
    return path


def pixels(png: bytes) -> tuple[int, int, Counter[bytes]]:
    """Width, height and how often each byte row-value occurs: enough to tell a picture from an empty sheet."""
    width, height = struct.unpack(">II", png[16:24])
    place, packed = 8, b""
    while place < len(png):
        (length,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        packed += png[place + 8 : place + 8 + length] if kind == b"IDAT" else b""
        place += 12 + length
    raw = decompress(packed)
    return width, height, Counter(raw[i : i + 3] for i in range(1, len(raw) - 3, 97))


def test_the_map_is_a_picture(browser: str, map_file: Path, tmp_path: Path) -> None:
    shot = tmp_path / "map.png"
    arguments = [f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}", "--window-size=900,700"]
    subprocess.run([browser, *QUIET, *arguments, map_file.as_uri()], check=True, capture_output=True, timeout=120)

    width, height, colours = pixels(shot.read_bytes())

    assert (width, height) == (900, 700)
    assert len(colours) > 20, "more than paper and ink"


def test_nothing_crawled_runs_or_breaks_out(browser: str, map_file: Path, tmp_path: Path) -> None:
    arguments = [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [browser, *QUIET, *arguments, map_file.as_uri()], check=True, capture_output=True, text=True, timeout=120
    )

    assert "parsererror" not in done.stdout
    assert "<script" not in done.stdout.lower()
    assert "<img" not in done.stdout.lower()
    assert done.stdout.count("<circle") >= 20
    assert "Evil &lt;b&gt;site" in done.stdout
