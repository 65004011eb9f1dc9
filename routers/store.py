"""A leaf's store as its readers see it: pages, links, aliases and the fetch log of one site.

Reading never disturbs a crawl that writes to the same store, and sees it as of one moment per call.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
from backports import zstd

from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.errors import StoreUnusable
from routers.store_file import connect, transaction, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIX = ".sqlite"

_ZSTD_LEVEL = 3


class _Structure(msgspec.Struct, array_like=True, frozen=True):
    """What a page has besides text and links. Positional: append only."""

    headers: tuple[str, ...]
    keywords: tuple[str, ...]
    addresses: tuple[str, ...]
    description: str
    language: str


# Links are written as plain arrays, target first: the form does not depend on how the Link type is made.
_LinkRow = tuple[str, str, int, int, bool]
_encode = msgspec.msgpack.Encoder().encode
_decode_links = msgspec.msgpack.Decoder(list[_LinkRow]).decode
_decode_structure = msgspec.msgpack.Decoder(_Structure).decode


def pack_links(links: tuple[Link, ...]) -> bytes:
    """Links as they stand in the store."""
    return zstd.compress(_encode([tuple(link) for link in links]), _ZSTD_LEVEL)


def unpack_links(packed: bytes) -> tuple[Link, ...]:
    """The links that were packed."""
    return tuple(Link(*row) for row in _decode_links(zstd.decompress(packed)))


def pack_structure(page: Page) -> bytes:
    """Headers, keywords, addresses and other small parts of a page as they stand in the store."""
    structure = _Structure(page.headers, page.keywords, page.addresses, page.description, page.language)
    return zstd.compress(_encode(structure), _ZSTD_LEVEL)


def pack_text(text: str) -> bytes:
    """Text as it stands in the store."""
    return zstd.compress(text.encode("utf-8", "surrogatepass"), _ZSTD_LEVEL)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What a store knows of a page besides its content."""

    url: str
    title: str
    order: int
    """Place in the crawl, from 0."""
    depth: int
    """Links from the root page."""
    fetched: float
    """Seconds since 1970 when the content arrived."""
    size: int
    """Bytes of HTML."""
    etag: str | None
    last_modified: str | None
    alias_of: str | None
    """The page that stands for this one; None for a page that stands for itself."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the fetch log: an attempt, or a URL that was not tried and why."""

    at: float
    url: str
    depth: int
    status: int | None
    size: int
    outcome: Outcome
    detail: str


@dataclass(frozen=True, slots=True)
class StoreSummary:
    """A store in numbers."""

    root: str
    pages: int
    """Pages that stand for themselves."""
    aliases: int
    size: int
    """Bytes of HTML of all pages."""
    crawl: int
    """How many times the site was crawled, the running time included."""
    finished: bool
    outcomes: dict[Outcome, int]
    """Of the last crawl."""


class Store:
    """The store of one leaf, for reading. Not safe to share between threads: open one each, that is cheap."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path)
        try:
            self.root, self._changes = self._begun()
        except StoreUnusable:
            self._connection.close()
            raise

    def _begun(self) -> tuple[str, int]:
        """The site's root page, and the number of changes to its pages so far."""
        rows = self._rows("SELECT root, changes FROM state")
        if not rows:
            raise StoreUnusable(
                f"{self.path} holds no crawl yet; start one with: hypursuit crawl URL --store {self.path.parent}"
            )
        root, changes = rows[0]
        return root, changes

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a store for reading; raises StoreUnusable."""
        return cls(Path(path))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, sql: str, *arguments: object) -> list[Any]:
        with translated(self.path):
            return self._connection.execute(sql, arguments).fetchall()

    def _ordered(self, columns: str, *, aliases: bool) -> Iterator[Any]:
        """Rows of indexed pages in crawl order, as one snapshot."""
        chosen = "" if aliases else "AND alias_of IS NULL"
        with translated(self.path):
            yield from self._connection.execute(
                f"SELECT {columns} FROM pages WHERE indexed {chosen} ORDER BY round, position"  # noqa: S608  our own words
            )

    def pages(self, *, aliases: bool = False) -> Iterator[Page]:
        """Pages in crawl order, root page first; those that are aliases of others only when asked for."""
        for row in self._ordered(_PAGE_COLUMNS, aliases=aliases):
            yield _page(row)

    def page(self, url: str) -> Page | None:
        """The page at a URL, alias or not."""
        rows = self._rows(f"SELECT {_PAGE_COLUMNS} FROM pages WHERE indexed AND url = ?", url)  # noqa: S608
        return _page(rows[0]) if rows else None

    def records(self, *, aliases: bool = False) -> Iterator[PageRecord]:
        """What is known about the pages, in crawl order, without their content.

        ``order`` counts aliases, so it is the same with and without them.
        """
        columns = "url, title, depth, fetched, bytes, etag, last_modified, alias_of"
        for order, row in enumerate(self._ordered(columns, aliases=True)):
            if aliases or row[7] is None:
                url, title, *rest = row
                yield PageRecord(url, title, order, *rest)

    def links(self, *, aliases: bool = False) -> Iterator[tuple[str, tuple[Link, ...]]]:
        """The URL and links of each page in crawl order, without the texts; targets as written in the page."""
        for url, packed in self._ordered("url, links", aliases=aliases):
            yield url, unpack_links(packed)

    def aliases(self) -> dict[str, str]:
        """From the URL of every alias to the URL of the page that stands for it."""
        return {row[0]: row[1] for row in self._ordered("url, alias_of", aliases=True) if row[1] is not None}

    def log(self) -> Iterator[LogEntry]:
        """The fetch log, oldest line first; it reaches back to the crawl before the last."""
        with translated(self.path):
            for at, url, depth, status, size, outcome, detail in self._connection.execute(
                "SELECT at, url, depth, status, bytes, outcome, detail FROM log ORDER BY id"
            ):
                yield LogEntry(at, url, depth, status, size, Outcome(outcome), detail)

    def summary(self) -> StoreSummary:
        """The store in numbers."""
        [(crawl, finished)] = self._rows("SELECT crawl, finished FROM state")
        [(pages, aliases, size)] = self._rows(
            "SELECT count(*) FILTER (WHERE alias_of IS NULL), count(alias_of), coalesce(sum(bytes), 0) "
            "FROM pages WHERE indexed"
        )
        counted = self._rows("SELECT outcome, count(*) FROM log WHERE crawl = ? GROUP BY outcome", crawl)
        outcomes = Counter({Outcome(outcome): number for outcome, number in counted})
        return StoreSummary(self.root, pages, aliases, size, crawl, bool(finished), dict(outcomes))

    def keep(self, name: str, value: bytes) -> None:
        """Keep something derived from the pages as they were when this store was opened."""
        with transaction(self._connection, self.path) as connection:
            connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, self._changes, value))

    def kept(self, name: str) -> bytes | None:
        """What was kept under a name; None where nothing was, or where the pages have changed since."""
        rows = self._rows("SELECT value FROM kept JOIN state USING (changes) WHERE name = ?", name)
        return rows[0][0] if rows else None


_PAGE_COLUMNS = "url, title, canonical, follow, links, structure, text"


def _page(row: Any) -> Page:
    url, title, canonical, follow, links, structure, text = row
    parts = _decode_structure(zstd.decompress(structure))
    return Page(
        url=url,
        title=title,
        headers=parts.headers,
        keywords=parts.keywords,
        addresses=parts.addresses,
        text=zstd.decompress(text).decode("utf-8", "surrogatepass"),
        links=unpack_links(links),
        description=parts.description,
        language=parts.language,
        canonical=canonical,
        follow=bool(follow),
    )
