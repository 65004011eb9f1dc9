from __future__ import annotations

import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hypursuit.crawl.frontier import Entry
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Page
from hypursuit.crawl.scope import Site
from hypursuit.errors import StoreUnusable
from hypursuit.query.language import parse_query
from hypursuit.text.scoring import Scoring
from routers.page_index import build_index, current_index, index_path, open_index, write_whole
from routers.store import Store
from routers.store_writer import Attempt, Content, StoreWriter, Visit

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.query.index import PageIndex

SITE = Site.of("http://site.test/")
PAGES = [Page(f"http://site.test/{i}", f"Page {i}", text="cat " * i + "dog") for i in range(5)]
KILLS = 12


def write(path: Path, pages: list[Page], at: float = 1000.0) -> None:
    with StoreWriter(path, SITE) as writer:
        writer.begin(SITE.root)
        for i, page in enumerate(pages):
            content = Content(page, 100, page.text.encode()[:16], b"", None, None)
            writer.commit(Visit(Entry(i, 0, page.url), Outcome.STORED, Attempt(at, 200), 100, content))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "site.sqlite", PAGES)
    return tmp_path / "site.sqlite"


def cats(index: PageIndex) -> list[str]:
    return [index.urls[hit.page] for hit in index.search(parse_query("cat"), {"cat": 1.0}, 100)[0]]


def test_a_store_is_indexed_and_searched_from_the_file(path: Path) -> None:
    with Store.open(path) as store:
        built = build_index(store, index_path(store))
        opened = open_index(index_path(store))

    assert list(opened.urls) == [page.url for page in PAGES]
    assert cats(built) == cats(opened) == [f"http://site.test/{i}" for i in (4, 3, 2, 1)]
    assert not opened.arrays.pages.flags.writeable


def made(path: Path) -> tuple[int, int]:
    """Tells one file from another that replaced it."""
    return path.stat().st_ino, path.stat().st_mtime_ns


def test_an_index_is_made_again_only_when_pages_or_scoring_have_changed(path: Path) -> None:
    with Store.open(path) as store:
        file = index_path(store)
        current_index(store)
        first = made(file)
        assert current_index(store).scoring == Scoring()
        assert made(file) == first
        assert current_index(store, scoring=Scoring(k1=2.0)).scoring == Scoring(k1=2.0)
        assert made(file) != first

    write(path, [Page("http://site.test/0", text="cat"), *PAGES[1:]])
    with Store.open(path) as store:
        assert "http://site.test/0" in cats(current_index(store))


def test_a_store_made_anew_is_not_taken_for_the_old_one(path: Path) -> None:
    """Same number of changes, same URLs, another time and other pages."""
    with Store.open(path) as store:
        current_index(store)
    for file in path.parent.glob("site.sqlite*"):
        file.unlink()
    write(path, [Page(page.url, page.title, text="cat") for page in PAGES], at=2000.0)

    with Store.open(path) as store:
        assert len(cats(current_index(store))) == 5


def test_an_index_that_is_open_stays_as_it_was_when_it_is_replaced(path: Path) -> None:
    with Store.open(path) as store:
        old = current_index(store)
    write(path, [Page(page.url, text="cat") for page in PAGES])
    with Store.open(path) as store:
        new = current_index(store)

    assert (len(cats(old)), len(cats(new))) == (4, 5)


def test_a_damaged_index_is_refused_with_what_to_do_and_made_again(path: Path) -> None:
    """Cut anywhere, empty, or with a flipped bit wherever something is stored."""
    with Store.open(path) as store:
        file = index_path(store)
        sound = cats(build_index(store, file))
        content = file.read_bytes()
        chance = random.Random(3)
        damaged = [b"", content[:-1], content[: len(content) // 2], content + b"x", b"not an index"]
        filled = [place for place, value in enumerate(content) if value]
        for place in chance.sample(filled, 60):
            flipped = bytearray(content)
            flipped[place] ^= 1 << chance.randrange(8)
            damaged.append(bytes(flipped))
        for number, bad in enumerate(damaged):
            other = file.with_name(f"{number}.index")
            other.write_bytes(bad)
            # A space that pads the header is covered by its checksum too, so every one of these is noticed.
            with pytest.raises(StoreUnusable, match=r"delete it, and it is made again|there is no index to open"):
                open_index(other)
            assert cats(current_index(store, other)) == sound
            assert other.read_bytes() == content


def test_no_index_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=r"nothing\.index"):
        open_index(tmp_path / "nothing.index")


def test_where_nothing_can_be_written_it_is_said(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with Store.open(path) as store, pytest.raises(StoreUnusable, match="cannot be written"):
        build_index(store, tmp_path / "file" / "site.index")


WRITE_FOREVER = """
import sys
from pathlib import Path
from routers.page_index import write_whole
from hypursuit.crawl.page import Page
from hypursuit.query.index import PageIndex
urls = [f"http://site.test/{i}" for i in range(40)]
indexes = [PageIndex.build(Page(url, text=word * 500) for url in urls) for word in ("cat ", "dog ")]
print("ready", flush=True)
while True:
    for index in indexes:
        write_whole(Path(sys.argv[1]), index.pack())
"""


def test_a_kill_at_any_moment_leaves_a_whole_index_and_no_litter(tmp_path: Path) -> None:
    file = tmp_path / "site.index"
    chance = random.Random(1996)
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", WRITE_FOREVER, str(file)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(chance.uniform(0.0, 0.05))
            writer.send_signal(signal.SIGKILL)
        if file.exists():
            assert list(open_index(file).stems) in (["cat"], ["dog"])
    write_whole(file, [b"last"])

    assert [left.name for left in tmp_path.iterdir()] == ["site.index"]


FILL_THE_DISK = """
import resource, signal, sys
from pathlib import Path
from hypursuit.errors import StoreUnusable
from routers.page_index import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_whole(Path(sys.argv[1]), [bytes(60_000), bytes(60_000)])
except StoreUnusable as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A limit on the size of files fails a write as a full disk does: in the middle."""
    file = tmp_path / "site.index"
    file.write_bytes(b"old")

    done = subprocess.run([sys.executable, "-c", FILL_THE_DISK, str(file)], capture_output=True, text=True, check=True)

    assert "cannot be written" in done.stdout
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_two_who_write_at_once_do_not_take_each_other_for_left_over(tmp_path: Path) -> None:
    """The file aside of the one that is still writing is locked, so the other one leaves it alone."""
    file = tmp_path / "site.index"

    def slowly() -> list[bytes]:
        write_whole(file, [b"other"])
        return [b"one"]

    write_whole(file, (piece for _ in [0] for piece in slowly()))

    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]
