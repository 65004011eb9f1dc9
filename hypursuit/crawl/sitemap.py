"""Sitemaps: lists of URLs that a site's owner recommends. Read as hints, and as hostile input.

The sitemap protocol needs nothing of XML but one element, so no XML parser is let near it: there are no entities to
expand, no external documents, and a broken file still gives what stands in it.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from hypursuit.crawl.inflate import BadEncoding, TooLarge, gunzip

SITEMAP_BYTES = 16 * 1024 * 1024
"""As much of one sitemap, decompressed, as is read."""
SITEMAP_URLS = 50_000
"""As many URLs as the protocol allows in one file."""

# The lengths are bounded so that a file of opening tags costs linear time.
_LOCATION = re.compile(
    r"<loc\s{0,20}>\s{0,200}(?:<!\[CDATA\[([^\]<]{1,4000})\]\]>|([^<]{1,4000}))\s{0,200}</loc\s{0,20}>"
)
_INDEX = re.compile(r"<(?:\w{1,20}:)?sitemapindex[\s>]")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The URLs that one sitemap file lists, as written: pages, or further sitemaps where it is an index."""

    urls: tuple[str, ...] = ()
    is_index: bool = False


def read_sitemap(body: bytes) -> Sitemap:
    """Read a sitemap, sitemap index or plain list of URLs, gzip-compressed or not; rubbish gives an empty one."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = gunzip(body, SITEMAP_BYTES)
        except (TooLarge, BadEncoding):
            return Sitemap()
    text = body[:SITEMAP_BYTES].decode("utf-8-sig", "replace")
    if "<" not in text[:1000]:
        return Sitemap(tuple(line.strip() for line in text.splitlines() if line.strip())[:SITEMAP_URLS])
    urls = []
    for match in _LOCATION.finditer(text):
        urls.append(html.unescape((match[1] or match[2]).strip()))
        if len(urls) == SITEMAP_URLS:
            break
    return Sitemap(tuple(urls), _INDEX.search(text, 0, 2000) is not None)
