"""A leaf's store as its readers see it: pages, links, aliases and the fetch log of one site.

Reading never disturbs a crawl that writes to the same store, and sees it as of one moment per call.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
from backports import zstd

from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.errors import StoreUnusable
from routers.store_file import connect, transaction, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SUFFIX = ".sqlite"

T = TypeVar("T")

# With a checksum, so that a flipped bit is an error and not another text.
_PACKING: dict[int, int] = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}


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
    return zstd.compress(_encode([tuple(link) for link in links]), options=_PACKING)


def unpack_links(packed: bytes) -> tuple[Link, ...]:
    """The links that were packed."""
    return tuple(Link(*row) for row in _decode_links(zstd.decompress(packed)))


def pack_structure(page: Page) -> bytes:
    """Headers, keywords, addresses and other small parts of a page as they stand in the store."""
    structure = _Structure(page.headers, page.keywords, page.addresses, page.description, page.language)
    return zstd.compress(_encode(structure), options=_PACKING)


def pack_text(text: str) -> bytes:
    """Text as it stands in the store."""
    return zstd.compress(text.encode("utf-8", "surrogatepass"), options=_PACKING)


def unpack_text(packed: bytes) -> str:
    """The text that was packed."""
    return zstd.decompress(packed).decode("utf-8", "surrogatepass")


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

    def _ordered(self, columns: str, read: Callable[..., T], *, aliases: bool) -> Iterator[T]:
        """Indexed pages in crawl order, as one snapshot; ``read`` makes something of the columns of each."""
        chosen = "" if aliases else "AND alias_of IS NULL"
        sql = f"SELECT {columns} FROM pages WHERE indexed {chosen} ORDER BY round, position"  # noqa: S608  our own words
        with translated(self.path):
            for row in self._connection.execute(sql):
                yield read(*row)

    def pages(self, *, aliases: bool = False) -> Iterator[Page]:
        """Pages in crawl order, root page first; those that are aliases of others only when asked for."""
        yield from self._ordered(_PAGE_COLUMNS, _page, aliases=aliases)

    def page(self, url: str) -> Page | None:
        """The page at a URL, alias or not."""
        rows = self._rows(f"SELECT {_PAGE_COLUMNS} FROM pages WHERE indexed AND url = ?", url)  # noqa: S608
        with translated(self.path):
            return _page(*rows[0]) if rows else None

    def text(self, url: str) -> str | None:
        """The text of the page at a URL, without reading the rest of it."""
        rows = self._rows("SELECT text FROM pages WHERE indexed AND url = ?", url)
        with translated(self.path):
            return unpack_text(rows[0][0]) if rows else None

    def records(self, *, aliases: bool = False) -> Iterator[PageRecord]:
        """What is known about the pages, in crawl order, without their content.

        ``order`` counts aliases, so it is the same with and without them.
        """
        columns = "url, title, depth, fetched, bytes, etag, last_modified, alias_of"
        order = itertools.count()

        def record(url: str, title: str, *rest: Any) -> PageRecord:
            return PageRecord(url, title, next(order), *rest)

        for found in self._ordered(columns, record, aliases=True):
            if aliases or found.alias_of is None:
                yield found

    def links(self, *, aliases: bool = False) -> Iterator[tuple[str, tuple[Link, ...]]]:
        """The URL and links of each page in crawl order, without the texts; targets as written in the page."""
        yield from self._ordered("url, links", lambda url, links: (url, unpack_links(links)), aliases=aliases)

    def aliases(self) -> dict[str, str]:
        """From the URL of every alias to the URL of the page that stands for it."""
        return dict(self._rows("SELECT url, alias_of FROM pages WHERE indexed AND alias_of IS NOT NULL"))

    def other_addresses(self) -> dict[str, str]:
        """From every further URL of a page, alias or redirect, to the URL of the page that stands for it.

        Links point to any of these; this is what brings them together.
        """
        pages = {url for (url,) in self._rows("SELECT url FROM pages WHERE indexed AND alias_of IS NULL")}
        redirects = self._rows("SELECT url, detail FROM log WHERE outcome = ? ORDER BY id", Outcome.REDIRECT)
        leads = dict(redirects) | self.aliases()
        found = {url: _end_of(url, leads, pages) for url in leads if url not in pages}
        return {url: end for url, end in found.items() if end is not None}

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

    def fingerprint(self) -> str:
        """Changes whenever what ``pages()`` gives does, and with a store made anew; nothing long is read for it."""
        digest = hashlib.blake2b(digest_size=16)
        columns = "url, title, digest, fetched FROM pages WHERE indexed AND alias_of IS NULL ORDER BY round, position"
        for row in [(self.root, self._rows("SELECT changes FROM state")), *self._rows(f"SELECT {columns}")]:
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def keep(self, name: str, value: bytes) -> None:
        """Keep something derived from the pages as they were when this store was opened."""
        with transaction(self._connection, self.path) as connection:
            connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, self._changes, value))

    def kept(self, name: str) -> bytes | None:
        """What was kept under a name; None where nothing was, or where the pages have changed since."""
        rows = self._rows("SELECT value FROM kept JOIN state USING (changes) WHERE name = ?", name)
        return rows[0][0] if rows else None


def _end_of(url: str, leads: Mapping[str, str], pages: set[str]) -> str | None:
    """The page that a chain of redirects and aliases ends at; None for a circle or a dead end."""
    passed: set[str] = set()
    while url not in pages:
        if url in passed or url not in leads:
            return None
        passed.add(url)
        url = leads[url]
    return url


_PAGE_COLUMNS = "url, title, canonical, follow, links, structure, text"


def _page(
    url: str, title: str, canonical: str | None, follow: int, links: bytes, structure: bytes, text: bytes
) -> Page:
    parts = _decode_structure(zstd.decompress(structure))
    return Page(
        url=url,
        title=title,
        headers=parts.headers,
        keywords=parts.keywords,
        addresses=parts.addresses,
        text=unpack_text(text),
        links=unpack_links(links),
        description=parts.description,
        language=parts.language,
        canonical=canonical,
        follow=bool(follow),
    )
