"""From HTML text to a :class:`Page`; URLs, robots rules, frontier order. No fetching."""

from hypursuit.crawl.aliases import AliasEntry, fold_aliases
from hypursuit.crawl.charset import decode
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.parse import parse_page
from hypursuit.crawl.sketch import content_key, content_sketch
from hypursuit.crawl.url import canonical_url

__all__ = [
    "AliasEntry",
    "Link",
    "Page",
    "canonical_url",
    "content_key",
    "content_sketch",
    "decode",
    "fold_aliases",
    "parse_page",
]
