"""One URL: ask for it politely, then decide what came of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.parse import parse_page
from hypursuit.crawl.robots import read_robots_tag
from hypursuit.crawl.sketch import content_key, content_sketch
from hypursuit.crawl.sniff import kind_of, mime_type
from hypursuit.crawl.traps import without_session
from hypursuit.crawl.url import canonical_url
from hypursuit.errors import MalformedUrl
from routers.fetch import Answer, Fetcher, NoAnswer
from routers.politeness import Pacer, retry_after
from routers.store_writer import Attempt, Content, Validators, Visit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from hypursuit.crawl.frontier import Entry
    from routers.crawl_settings import Politeness

_LARGE = 256 * 1024
"""Bytes from which a page is parsed in a thread, so that other sites go on meanwhile."""
_BUSY = frozenset({429, 503})
_PASSING = frozenset({408, 425, 500, 502, 504}) | _BUSY
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_PATIENCE = 5
"""Failures in a row after which further ones are not retried until something succeeds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a request ended after all its attempts."""

    answer: Answer | None
    outcome: Outcome | None
    """Set where there is no usable answer."""
    last: Attempt
    failures: tuple[Attempt, ...]


class PoliteClient:
    """Requests that keep a site's pace, wait where it asks for it, and try again where that may help."""

    def __init__(
        self, fetcher: Fetcher, pacer: Pacer, politeness: Politeness, slots: AbstractAsyncContextManager[object]
    ) -> None:
        self.fetcher, self.pacer = fetcher, pacer
        self._politeness, self._slots = politeness, slots
        self._failures_in_a_row = 0

    async def ask(self, fetch: Callable[[], Awaitable[Answer]]) -> Asked:
        """Make a request and, if it fails in a way that may pass, make it again."""
        failures: list[Attempt] = []
        while True:
            asked = await self._attempt(fetch)
            if asked.outcome not in {Outcome.FAILING, Outcome.UNREACHABLE}:
                self._failures_in_a_row = 0
                return replace(asked, failures=tuple(failures))
            self._failures_in_a_row += 1
            wait = self._wait(asked.answer, len(failures))
            if len(failures) >= self._politeness.retries or self._failures_in_a_row > _PATIENCE:
                return replace(asked, failures=tuple(failures))
            failures.append(asked.last)
            await asyncio.sleep(wait)

    async def _attempt(self, fetch: Callable[[], Awaitable[Answer]]) -> Asked:
        await self.pacer.turn()
        async with self._slots:
            at = time.time()
            try:
                answer = await fetch()
            except NoAnswer as failure:
                return Asked(None, failure.outcome, Attempt(at, None, failure.detail), ())
        outcome = Outcome.FAILING if answer.status in _PASSING or answer.status > 504 else None
        detail = "" if outcome is None else f"status {answer.status}"
        return Asked(answer, outcome, Attempt(at, answer.status, detail), ())

    def _wait(self, answer: Answer | None, failed: int) -> float:
        """Seconds before the next attempt; a busy server holds back all requests to the site."""
        wait = self._politeness.backoff * 2.0**failed
        if answer is not None and answer.status in _BUSY:
            asked_for = retry_after(answer.headers.get("Retry-After"))
            wait = wait if asked_for is None else asked_for
            self.pacer.hold(min(wait, self._politeness.longest_wait))
        return min(wait, self._politeness.longest_wait)


async def visit(client: PoliteClient, entry: Entry, validators: Validators | None) -> Visit:
    """Fetch a URL and make a page of it if it is one.

    A redirect is reported with its target (``leads_to``); whether that is to be followed is for the caller to say.
    """
    asked = await client.ask(lambda: client.fetcher.page(entry.url, _conditions(validators)))
    if asked.answer is None or asked.outcome is not None:
        return Visit(entry, asked.outcome or Outcome.UNREACHABLE, asked.last, failures=asked.failures)
    plain = Visit(entry, Outcome.REFUSED, asked.last, len(asked.answer.body), failures=asked.failures)
    status = asked.answer.status
    if status == 200:
        return await _read(plain, asked.answer)
    if status in _REDIRECTS:
        return _redirected(plain, asked.answer)
    if status == 304 and validators is not None:
        return replace(plain, outcome=Outcome.UNCHANGED)
    return _because(plain, Outcome.GONE if status in _GONE else Outcome.REFUSED, f"status {status}")


def _conditions(validators: Validators | None) -> dict[str, str]:
    """The header of a conditional request: one validator, the better one [RFC 9110 §13.1]."""
    if validators is None:
        return {}
    if validators.etag is not None:
        return {"If-None-Match": validators.etag}
    return {} if validators.last_modified is None else {"If-Modified-Since": validators.last_modified}


def _because(plain: Visit, outcome: Outcome, detail: str) -> Visit:
    return replace(plain, outcome=outcome, last=replace(plain.last, detail=detail))


def _redirected(plain: Visit, answer: Answer) -> Visit:
    try:
        target = without_session(canonical_url(answer.headers.get("Location", ""), plain.entry.url))
    except MalformedUrl as error:
        return _because(plain, Outcome.REFUSED, f"redirect: {error.reason}")
    return replace(plain, outcome=Outcome.REDIRECT, leads_to=target)


async def _read(plain: Visit, answer: Answer) -> Visit:
    kind = kind_of(answer.content_type, answer.body)
    if kind != "html":
        outcome = Outcome.BINARY if kind == "binary" else Outcome.TYPE
        return _because(plain, outcome, mime_type(answer.content_type) or "no type")
    if len(answer.body) > _LARGE:
        content = await asyncio.to_thread(_content, plain.entry.url, answer)
    else:
        content = _content(plain.entry.url, answer)
    return replace(plain, outcome=Outcome.STORED if content.page.index else Outcome.NOINDEX, content=content)


def _content(url: str, answer: Answer) -> Content:
    page = parse_page(url, answer.body, answer.content_type)
    headers = answer.headers
    if "X-Robots-Tag" in headers:
        tag = read_robots_tag(headers.getall("X-Robots-Tag"))
        page = replace(page, index=page.index and tag.index, follow=page.follow and tag.follow)
    page = _without_sessions(page)
    if not page.index:
        # Only what is needed to go on from here, and to ask again later.
        page = Page(url, links=page.links, index=False, follow=page.follow)
    return Content(
        page,
        len(answer.body),
        content_key(page),
        content_sketch(page),
        headers.get("ETag"),
        headers.get("Last-Modified"),
    )


def _without_sessions(page: Page) -> Page:
    if not any("?" in link.target or ";" in link.target for link in page.links):
        return page
    links = (Link(without_session(link.target), *link[1:]) for link in page.links)
    return replace(page, links=tuple(link for link in links if link.target != page.url))
