"""From HTML text to a :class:`Page`; URLs, robots rules, frontier order. No fetching."""

from hypursuit.crawl.charset import decode
from hypursuit.crawl.page import Link, Page
from hypursuit.crawl.parse import parse_page
from hypursuit.crawl.url import canonical_url

__all__ = ["Link", "Page", "canonical_url", "decode", "parse_page"]
