"""A leaf's store as its crawl writes it: one transaction per visited URL, one per round.

What makes a crawl survive ``kill -9``: a URL's log line, its page and the redirect it leads to are committed together,
and a round is replaced by the next in one step. Whatever is in the frontier and has no log line is still to be done.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from hypursuit.crawl.aliases import AliasEntry
from hypursuit.crawl.frontier import Entry, Refusal
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Page
from hypursuit.errors import StoreUnusable
from routers.store import pack_links, pack_structure, pack_text, unpack_links
from routers.store_file import connect, lock, transaction, translated

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hypursuit.crawl.scope import Site

_INSERT_PAGE = """
INSERT OR REPLACE INTO pages (url, crawl, round, position, depth, indexed, follow, canonical, title, fetched, bytes,
    etag, last_modified, digest, sketch, links, structure, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_LOG = """
INSERT INTO log (crawl, round, position, depth, at, url, status, bytes, outcome, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class CrawlState:
    """Where a store's crawl stands."""

    crawl: int = 0
    """Number of the crawl, from 1; 0 in a new store."""
    finished: bool = True
    round: int = 0
    depth: int = 0
    hinted: bool = False
    """Whether the sitemaps' URLs have been queued."""


@dataclass(frozen=True, slots=True)
class Content:
    """A page to be stored, with what its response said about it."""

    page: Page
    size: int
    digest: bytes
    sketch: bytes
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and how it went."""

    at: float
    status: int | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """All that came of one claimed URL."""

    entry: Entry
    outcome: Outcome
    last: Attempt
    size: int = 0
    content: Content | None = None
    """Of a page to be stored."""
    leads_to: str | None = None
    """Target of a redirect within the site."""
    joined: Entry | None = None
    """The target's place in the round, where it is new."""
    failures: tuple[Attempt, ...] = ()
    """Attempts before the last."""


@dataclass(frozen=True, slots=True)
class Validators:
    """What a conditional request can refer to."""

    etag: str | None
    last_modified: str | None


class StoreWriter:
    """The one writer of a store; a second one is refused. Closing it, or dying, lets the next one in."""

    def __init__(self, path: Path, site: Site) -> None:
        self.path = path
        self.removed = 0
        """Pages of an earlier crawl that this writer has dropped."""
        self._lock = lock(path)
        try:
            self._connection = connect(path, create=True)
            self.state = self._read_state(site)
        except BaseException:
            self._lock.close()
            raise

    def _read_state(self, site: Site) -> CrawlState:
        with translated(self.path):
            row = self._connection.execute("SELECT root, crawl, finished, round, depth, hinted FROM state").fetchone()
        if row is None:
            return CrawlState()
        root, crawl, finished, number, depth, hinted = row
        if root != site.root:
            raise StoreUnusable(f"{self.path} holds {root}; give {site.root} a store of its own")
        return CrawlState(crawl, bool(finished), number, depth, bool(hinted))

    def close(self) -> None:
        """Fold the write-ahead log into the file if nothing is in the way, and let the next writer in."""
        # Where readers or a full disk are in the way, nothing is lost: the next writer will fold it.
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the course of a crawl ---

    def begin(self, root: str) -> None:
        """Start the next crawl at the root page; the log of the one before the last is dropped."""
        self.state = CrawlState(self.state.crawl + 1, finished=False)
        with transaction(self._connection, self.path) as connection:
            connection.execute("DELETE FROM log WHERE crawl < ?", (self.state.crawl - 1,))
            connection.execute("DELETE FROM frontier")
            connection.execute("INSERT INTO frontier VALUES (?, 0, 0)", (root,))
            connection.execute(
                "INSERT INTO state VALUES (1, ?, ?, 0, 0, 0, 0, 0) ON CONFLICT DO UPDATE SET "
                "crawl = excluded.crawl, finished = 0, round = 0, depth = 0, hinted = 0",
                (root, self.state.crawl),
            )

    def commit(self, *visits: Visit) -> None:
        """Write down visits and all that came of them, together."""
        with transaction(self._connection, self.path) as connection:
            changes = sum(self._write(connection, visit) for visit in visits)
            if changes:
                connection.execute("UPDATE state SET changes = changes + ?", (changes,))

    def _write(self, connection: sqlite3.Connection, visit: Visit) -> int:
        entry, state = visit.entry, self.state
        place = (state.crawl, state.round, entry.position, state.depth)
        for attempt in visit.failures:
            facts = (attempt.at, entry.url, attempt.status, 0, Outcome.RETRIED, attempt.detail)
            connection.execute(_INSERT_LOG, place + facts)
        last, detail = visit.last, visit.leads_to or visit.last.detail
        connection.execute(_INSERT_LOG, (*place, last.at, entry.url, last.status, visit.size, visit.outcome, detail))
        if visit.joined is not None:
            connection.execute(
                "INSERT OR REPLACE INTO frontier VALUES (?, ?, ?)",
                (visit.joined.url, visit.joined.position, visit.joined.hops),
            )
        if visit.content is not None:
            connection.execute(_INSERT_PAGE, self._page_row(visit, visit.content))
            return 1
        if state.crawl == 1:
            return 0
        return self._renew(connection, visit)

    def _page_row(self, visit: Visit, content: Content) -> tuple[object, ...]:
        page, state = content.page, self.state
        return (
            *(page.url, state.crawl, state.round, visit.entry.position, state.depth, page.index, page.follow),
            *(page.canonical, page.title, visit.last.at, content.size),
            *(content.etag, content.last_modified, content.digest, content.sketch),
            *(pack_links(page.links), pack_structure(page), pack_text(page.text)),
        )

    def _renew(self, connection: sqlite3.Connection, visit: Visit) -> int:
        """Carry an earlier crawl's page over, or drop it, as the visit's outcome demands."""
        if visit.outcome is Outcome.UNCHANGED or visit.outcome.transient:
            state = self.state
            connection.execute(
                "UPDATE pages SET crawl = ?, round = ?, position = ?, depth = ? WHERE url = ?",
                (state.crawl, state.round, visit.entry.position, state.depth, visit.entry.url),
            )
            return 0
        gone = connection.execute("DELETE FROM pages WHERE url = ? RETURNING indexed", (visit.entry.url,)).fetchall()
        self.removed += sum(indexed for (indexed,) in gone)
        return len(gone)

    def fail(self, visit: Visit, root: str) -> None:
        """Note that the root page could not be had, and put the crawl back to its start, for the next run to try."""
        place = (self.state.crawl, -1, -1, 0)
        facts = (visit.last.at, visit.entry.url, visit.last.status, visit.size, visit.outcome, visit.last.detail)
        with transaction(self._connection, self.path) as connection:
            connection.execute("UPDATE log SET round = -1, position = -1 WHERE crawl = ?", (self.state.crawl,))
            connection.execute(_INSERT_LOG, place + facts)
            connection.execute("DELETE FROM frontier")
            connection.execute("INSERT INTO frontier VALUES (?, 0, 0)", (root,))

    def note(self, at: float, url: str, status: int | None, size: int, outcome: Outcome, detail: str = "") -> None:
        """Log a request that belongs to no round: robots.txt and sitemaps."""
        with transaction(self._connection, self.path) as connection:
            facts = (self.state.crawl, -1, -1, 0, at, url, status, size, outcome, detail)
            connection.execute(_INSERT_LOG, facts)

    def turn(
        self,
        state: CrawlState,
        entries: Iterable[Entry],
        at: float,
        refusals: Iterable[Refusal],
        moved: Iterable[tuple[str, int]],
    ) -> None:
        """Replace the round by the next one, whose state is given.

        Args:
            state: of the next round.
            entries: its URLs.
            at: the time, for the log.
            refusals: URLs found that will not be visited.
            moved: pages of the old round, and the positions where they came to stand.
        """
        place = (state.crawl, state.round, -1, state.depth)
        with transaction(self._connection, self.path) as connection:
            connection.executemany(
                "UPDATE pages SET position = ? WHERE url = ?", ((position, url) for url, position in moved)
            )
            connection.executemany(
                _INSERT_LOG,
                ((*place, at, refusal.url, None, 0, refusal.outcome, refusal.detail) for refusal in refusals),
            )
            connection.execute("DELETE FROM frontier")
            connection.executemany(
                "INSERT OR REPLACE INTO frontier VALUES (?, ?, ?)",
                ((entry.url, entry.position, entry.hops) for entry in entries),
            )
            connection.execute(
                "UPDATE state SET round = ?, depth = ?, hinted = ?", (state.round, state.depth, state.hinted)
            )
        self.state = state

    def finish(self, at: float, aliases: dict[str, str]) -> None:
        """End the crawl: drop the pages it did not come by, and fold aliases."""
        state = self.state
        with transaction(self._connection, self.path) as connection:
            gone = connection.execute(
                "DELETE FROM pages WHERE crawl < ? RETURNING url, depth, indexed", (state.crawl,)
            ).fetchall()
            removed = (state.crawl, state.round, -1)
            connection.executemany(
                _INSERT_LOG, ((*removed, depth, at, url, None, 0, Outcome.REMOVED, "") for url, depth, _ in gone)
            )
            connection.execute("DELETE FROM frontier")
            connection.execute("UPDATE state SET finished = 1, changes = changes + ?", (len(gone),))
            _fold(connection, aliases)
        self.state = CrawlState(state.crawl, finished=True)
        self.removed += sum(indexed for _, _, indexed in gone)

    def fold(self, aliases: dict[str, str]) -> None:
        """Note which pages are aliases of which; all others stand for themselves from now on."""
        with transaction(self._connection, self.path) as connection:
            _fold(connection, aliases)

    # --- what a crawl asks of its past ---

    def waiting(self) -> list[Entry]:
        """The frontier, without what the current round has already visited."""
        return [
            Entry(position, hops, url)
            for url, position, hops in self._rows(
                "SELECT url, position, hops FROM frontier WHERE url NOT IN "
                "(SELECT url FROM log WHERE crawl = ? AND round = ? AND outcome != ?)",
                *(self.state.crawl, self.state.round, Outcome.RETRIED),
            )
        ]

    def known(self) -> list[tuple[str, int, bool]]:
        """Every URL of the current crawl, its depth, and whether it was let into a round rather than refused."""
        logged = self._rows(
            "SELECT url, depth, position >= 0 FROM log WHERE crawl = ? AND round >= 0 AND outcome != ?",
            *(self.state.crawl, Outcome.RETRIED),
        )
        return [*logged, *((entry.url, self.state.depth, True) for entry in self.waiting())]

    def visited(self) -> list[tuple[str, int, str | None]]:
        """URL, position and, of a redirect, the target of everything visited in the current round."""
        rows = self._rows(
            "SELECT url, position, outcome, detail FROM log "
            "WHERE crawl = ? AND round = ? AND position >= 0 AND outcome != ?",
            *(self.state.crawl, self.state.round, Outcome.RETRIED),
        )
        return [
            (url, position, detail if outcome == Outcome.REDIRECT else None) for url, position, outcome, detail in rows
        ]

    def round_pages(self) -> list[Page]:
        """The pages of the current round, as far as following their links needs them."""
        rows = self._rows(
            f"SELECT {_LEADS} FROM pages WHERE crawl = ? AND round = ?",  # noqa: S608  our own words
            *(self.state.crawl, self.state.round),
        )
        with translated(self.path):
            return [_leading(*row) for row in rows]

    def leads_of(self, url: str) -> Page | None:
        """A stored page as far as following its links needs it."""
        rows = self._rows(f"SELECT {_LEADS} FROM pages WHERE url = ?", url)  # noqa: S608  our own words
        with translated(self.path):
            return _leading(*rows[0]) if rows else None

    def validators(self, url: str) -> Validators | None:
        """What a conditional request for a stored page can refer to; None where there is no such page."""
        rows = self._rows("SELECT etag, last_modified FROM pages WHERE url = ?", url)
        return Validators(*rows[0]) if rows else None

    def stored(self) -> int:
        """How many pages the current crawl has stored or found unchanged."""
        [(number,)] = self._rows("SELECT count(*) FROM pages WHERE indexed AND crawl = ?", self.state.crawl)
        return int(number)

    def alias_entries(self, *, whole: bool) -> list[AliasEntry]:
        """What is needed to find aliases: of all pages, or only of those that the current crawl has come by."""
        rows = self._rows(
            "SELECT url, digest, sketch, canonical FROM pages WHERE indexed AND crawl >= ? ORDER BY round, position",
            0 if whole else self.state.crawl,
        )
        return [
            AliasEntry(url, order, key, sketch, canonical) for order, (url, key, sketch, canonical) in enumerate(rows)
        ]

    def _rows(self, sql: str, *arguments: object) -> list[Any]:
        with translated(self.path):
            return self._connection.execute(sql, arguments).fetchall()


_LEADS = "url, canonical, indexed, follow, links"


def _leading(url: str, canonical: str | None, indexed: int, follow: int, links: bytes) -> Page:
    return Page(url, links=unpack_links(links), canonical=canonical, index=bool(indexed), follow=bool(follow))


def _fold(connection: sqlite3.Connection, aliases: dict[str, str]) -> None:
    before = dict(connection.execute("SELECT url, alias_of FROM pages WHERE alias_of IS NOT NULL"))
    if before == aliases:
        return
    connection.execute("UPDATE pages SET alias_of = NULL WHERE alias_of IS NOT NULL")
    connection.executemany(
        "UPDATE pages SET alias_of = ? WHERE url = ?", ((original, url) for url, original in aliases.items())
    )
    connection.execute("UPDATE state SET changes = changes + 1")
