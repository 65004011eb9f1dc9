"""The SQLite file behind a store: its schema, how it is opened, and what can be wrong with it."""

from __future__ import annotations

import contextlib
import fcntl
import sqlite3
from typing import IO, TYPE_CHECKING

import msgspec
from backports import zstd

from hypursuit.errors import StoreUnusable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA_VERSION = 1
_APPLICATION = 0x48795075
"""Marks our files among other SQLite files."""

# Small columns stand before the blobs, so that a scan over them does not read the blobs' pages.
SCHEMA = """
CREATE TABLE state (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    root     TEXT NOT NULL,
    crawl    INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    round    INTEGER NOT NULL,
    depth    INTEGER NOT NULL,
    hinted   INTEGER NOT NULL,
    changes  INTEGER NOT NULL
);
CREATE TABLE pages (
    id            INTEGER PRIMARY KEY,
    url           TEXT NOT NULL UNIQUE,
    crawl         INTEGER NOT NULL,
    round         INTEGER NOT NULL,
    position      INTEGER NOT NULL,
    depth         INTEGER NOT NULL,
    indexed       INTEGER NOT NULL,
    follow        INTEGER NOT NULL,
    alias_of      TEXT,
    canonical     TEXT,
    title         TEXT NOT NULL,
    fetched       REAL NOT NULL,
    bytes         INTEGER NOT NULL,
    etag          TEXT,
    last_modified TEXT,
    digest        BLOB NOT NULL,
    sketch        BLOB NOT NULL,
    links         BLOB NOT NULL,
    structure     BLOB NOT NULL,
    text          BLOB NOT NULL
);
CREATE TABLE frontier (
    url      TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    hops     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE log (
    id       INTEGER PRIMARY KEY,
    crawl    INTEGER NOT NULL,
    round    INTEGER NOT NULL,
    position INTEGER NOT NULL,
    depth    INTEGER NOT NULL,
    at       REAL NOT NULL,
    url      TEXT NOT NULL,
    status   INTEGER,
    bytes    INTEGER NOT NULL,
    outcome  TEXT NOT NULL,
    detail   TEXT NOT NULL
);
CREATE TABLE kept (
    name    TEXT PRIMARY KEY,
    changes INTEGER NOT NULL,
    value   BLOB NOT NULL
);
"""


def connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open a store's file and make sure that it is one; raises StoreUnusable with what to do."""
    if not create and not path.is_file():
        raise StoreUnusable(f"there is no store at {path}; make one with: hypursuit crawl URL --store {path.parent}")
    with translated(path):
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, timeout=30.0)
        try:
            _check(connection, path, create=create)
            if create:
                _lay_out(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _check(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != _APPLICATION and (tables or not create):
        raise StoreUnusable(f"{path} is an SQLite file but not a store of HyPursuit; choose another place with --store")
    if tables and version != SCHEMA_VERSION:
        raise StoreUnusable(
            f"{path} has the store format {version}; this version reads format {SCHEMA_VERSION}. "
            "Move the file away and crawl the site again, or use the version that wrote it"
        )


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # survives the death of the process; see the README on power loss
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables:
        marks = f"PRAGMA application_id={_APPLICATION}; PRAGMA user_version={SCHEMA_VERSION};"
        connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {marks} COMMIT;")


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system complain about into StoreUnusable."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreUnusable(
            f"the store {path} cannot be used: {error}; check the disk and the file's permissions"
        ) from error
    except (sqlite3.DatabaseError, zstd.ZstdError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreUnusable(f"the store {path} is damaged ({error}); move it away and crawl the site again") from error
    except OSError as error:
        raise StoreUnusable(f"the store {path} cannot be used: {error.strerror or error}") from error


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """All of the block or nothing of it, whenever the process dies."""
    with translated(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def lock(path: Path) -> IO[bytes]:
    """Be the only writer of a store until the returned file is closed or the process dies.

    The lock is on a file of its own: SQLite's locks would shut out readers as well.
    """
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.with_name(f"{path.name}.lock").open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise StoreUnusable(f"another crawl is writing to {path}; wait for it to end, or stop it") from None
    return handle
