"""A leaf's index on disk: one file, built aside, swapped in whole, memory-mapped for reading."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import mmap
import os
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hypursuit.errors import StoreUnusable
from hypursuit.query.index import DEFAULT_SCORING, PageIndex
from hypursuit.query.index_build import INDEXING
from hypursuit.text.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hypursuit.text.scoring import Scoring
    from routers.store import Store

SUFFIX = ".index"
_ASIDE = ".new"
_MADE_OF = "made of"


def index_path(store: Store) -> Path:
    """Where a store's index stands: beside it."""
    return store.path.with_suffix(SUFFIX)


def current_index(store: Store, path: Path | None = None, scoring: Scoring = DEFAULT_SCORING) -> PageIndex:
    """The index of a store's pages as they are now: opened if it is there, made if it is not or is out of date.

    A damaged file is made again too. A store that cannot be read, or a disk that cannot be written, is StoreUnusable.
    """
    path = index_path(store) if path is None else path
    with contextlib.suppress(StoreUnusable):
        index = open_index(path)
        if index.scoring == scoring and index.facts.get(_MADE_OF) == _made_of(store):
            return index
    return build_index(store, path, scoring)


def build_index(store: Store, path: Path, scoring: Scoring = DEFAULT_SCORING) -> PageIndex:
    """Index a store's pages into a file and open it; until it is complete, whatever was at ``path`` stays there."""
    # Taken before the pages are read: if a crawl changes them meanwhile, the index is out of date, never wrong.
    made_of = _made_of(store)
    index = PageIndex.build(store.pages(), scoring)
    write_whole(path, index.pack({_MADE_OF: made_of}))
    return open_index(path)


def _made_of(store: Store) -> str:
    """Of everything that an index depends on besides its scoring: pages, stop list, way of indexing."""
    stop_words = hashlib.blake2b(" ".join(sorted(STOP_WORDS)).encode(), digest_size=8).hexdigest()
    return f"{INDEXING} {stop_words} {store.fingerprint()}"


def open_index(path: Path) -> PageIndex:
    """Open an index for reading, without copying it; raises StoreUnusable.

    An open index stays as it is when the file is replaced. All of the file is checked first, which reads it once.
    """
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise StoreUnusable(f"there is no index to open at {path}: {error}") from error
    try:
        return PageIndex.unpack(memoryview(content))
    except StoreUnusable as error:
        raise StoreUnusable(f"the index {path} cannot be used: {error}; delete it, and it is made again") from error


def write_whole(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Replace a file by another one, so that at every moment, whatever happens, one of the two is there whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_over(path)
        with _aside(path) as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be written: {error.strerror or error}; check the disk") from error


@contextlib.contextmanager
def _aside(path: Path) -> Iterator[IO[bytes]]:
    """A new file beside another one; locked while it is written, gone afterwards unless it was moved."""
    file = _locked(path)
    try:
        yield file
    finally:
        Path(file.name).unlink(missing_ok=True)
        file.close()


def _locked(path: Path) -> IO[bytes]:
    while True:
        file = tempfile.NamedTemporaryFile(  # noqa: SIM115  the caller closes it
            dir=path.parent, prefix=f"{path.name}.", suffix=_ASIDE, delete=False
        )
        fcntl.flock(file, fcntl.LOCK_EX)
        # Before the lock was held, somebody who tidies up may have taken the file for a left-over.
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()


def _remove_left_over(path: Path) -> None:
    """Remove what killed processes left behind: files aside that nobody holds a lock on."""
    for left in path.parent.glob(f"{path.name}.*{_ASIDE}"):
        with contextlib.suppress(FileNotFoundError, BlockingIOError), left.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
