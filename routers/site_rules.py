"""What is asked of a site before and besides its pages: robots.txt and sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.robots import ROBOTS_BYTES, RobotsRules, read_robots
from hypursuit.crawl.sitemap import SITEMAP_BYTES, read_sitemap
from hypursuit.crawl.traps import without_session
from hypursuit.crawl.url import canonical_url
from hypursuit.errors import AddressRefused, CrawlFailed, MalformedUrl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hypursuit.crawl.scope import Site
    from routers.store_writer import StoreWriter
    from routers.visit import Asked, PoliteClient

_REDIRECTS = 5
_SITEMAPS = 50
"""Sitemap files that are read of one site."""
_HINTS = 200_000
"""URLs that are taken from them."""


async def robots_of(site: Site, client: PoliteClient, store: StoreWriter) -> RobotsRules:
    """Fetch and read a site's robots.txt, following redirects on the site's host [RFC 9309 §2.3.1].

    One robots.txt speaks for http and https. More than five redirects, or one to a host that nobody listed, count as a
    file that is not there.

    Raises:
        AddressRefused: the site is at an address that nobody listed.
        CrawlFailed: the site does not answer.
    """
    url: str | None = site.robots_url
    for _ in range(_REDIRECTS + 1):
        if url is None or not site.same_host(url):
            break
        # One byte more than counts, so that a file that fits is told from one that was cut.
        asked = await _document(client, url, ROBOTS_BYTES + 1)
        status, body = _status_and_body(site, client, asked)
        store.note(asked.last.at, url, status, len(body), Outcome.RULES, asked.last.detail)
        if status is None or not 300 <= status < 400:
            return read_robots(status, body)
        url = _location(asked, url)
    return read_robots(404)


def _status_and_body(site: Site, client: PoliteClient, asked: Asked) -> tuple[int | None, bytes]:
    if asked.outcome is Outcome.ADDRESS and client.fetcher.refused_address is not None:
        raise AddressRefused(site.host, *client.fetcher.refused_address)
    if asked.outcome is Outcome.UNREACHABLE:
        raise CrawlFailed(f"{site.root} cannot be reached ({asked.last.detail}); check the address and try again later")
    return (None, b"") if asked.answer is None else (asked.answer.status, asked.answer.body)


async def _document(client: PoliteClient, url: str, limit: int) -> Asked:
    return await client.ask(lambda: client.fetcher.document(url, limit))


def _location(asked: Asked, base: str) -> str | None:
    location = asked.answer.headers.get("Location") if asked.answer is not None else None
    return None if location is None else _canonical(location, base)


def _canonical(url: str, base: str) -> str | None:
    try:
        return without_session(canonical_url(url, base))
    except MalformedUrl:
        return None


async def hints(site: Site, robots: RobotsRules, client: PoliteClient, store: StoreWriter) -> list[str]:
    """The site's own URLs that its sitemaps list, in their order; sitemaps that cannot be read are passed over."""
    to_read = _on_site(site, robots.sitemaps or (site.sitemap_url,), site.root)
    found: dict[str, None] = {}
    read: set[str] = set()
    while to_read and len(read) < _SITEMAPS and len(found) < _HINTS:
        url = to_read.pop(0)
        if url in read or not robots.allows(url):
            continue
        read.add(url)
        asked = await _document(client, url, SITEMAP_BYTES)
        status, body = (None, b"") if asked.answer is None else (asked.answer.status, asked.answer.body)
        store.note(asked.last.at, url, status, len(body), Outcome.SITEMAP, asked.last.detail)
        sitemap = read_sitemap(body)
        listed = _on_site(site, sitemap.urls, url)
        if sitemap.is_index:
            to_read.extend(listed)
        else:
            found.update(dict.fromkeys(target for target in listed if site.covers(target)))
    return list(found)[:_HINTS]


def _on_site(site: Site, urls: Iterable[str], base: str) -> list[str]:
    canonical = (_canonical(url, base) for url in urls)
    return [url for url in canonical if url is not None and site.same_host(url)]
