"""Which hosts and paths a scope covers."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Protocol

from hypursuit.crawl.url import canonical_url
from hypursuit.errors import MalformedUrl
from hypursuit.query.query import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_AFTER_EVERY_URL = "\U0010ffff"
_SCHEME = re.compile("https?://", re.IGNORECASE)
_DEFAULT_PORT = re.compile(":(80|443)$")


class SortedStrings(Protocol):
    """What can be bisected."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> str: ...


def parse_scope(text: str) -> Scope:
    """A scope from ``host``, ``.domain``, ``host:port/path`` or a URL; raises MalformedUrl."""
    address = _SCHEME.sub("", text, count=1).lstrip(".")
    if "?" in address:
        raise MalformedUrl(text, "a scope ends with a path, so leave out everything from the ? on")
    origin, path = split_origin(canonical_url(f"http://{address}"))
    # Parentheses are no part of a word in the query language, so they may be written escaped.
    path = path.replace("%28", "(").replace("%29", ")")
    return Scope(_DEFAULT_PORT.sub("", origin.removeprefix("http://")), path)


def write_scope(scope: Scope) -> str:
    """The text that parses to a scope."""
    path = scope.path.replace("(", "%28").replace(")", "%29")
    return scope.host + ("" if path == "/" else path)


def covers_host(scope: Scope, authority: str) -> bool:
    """Whether pages of ``host`` or ``host:port`` may be in scope: the host itself, or one below it.

    A scope without a port covers every port.
    """
    if scope.host == authority:
        return True
    host, colon, port = _split_port(scope.host)
    other, _, other_port = _split_port(authority)
    return (not colon or port == other_port) and (other == host or other.endswith(f".{host}"))


def covers(scope: Scope, url: str) -> bool:
    """Whether a canonical URL is in scope.

    ``/3`` covers ``/3``, ``/3/library`` and ``/3?x``, but not ``/30``; ``/3/`` only what begins with it.
    """
    origin, path = split_origin(url)
    if not covers_host(scope, origin.partition("://")[2]):
        return False
    return path == scope.path or any(path.startswith(prefix) for prefix in _prefixes(scope.path))


def covered_ranges(
    scope: Scope, urls: SortedStrings, origins: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The stretches of a sorted sequence of URLs that are in scope; ``origins`` are its stretches of one origin."""
    for origin, (start, end) in origins.items():
        if covers_host(scope, origin.partition("://")[2]):
            if scope.path == "/":
                yield start, end
                continue
            exact = bisect_left(urls, origin + scope.path, start, end)
            if not scope.path.endswith("/") and exact < end and urls[exact] == origin + scope.path:
                yield exact, exact + 1
            for prefix in _prefixes(scope.path):
                first = bisect_left(urls, origin + prefix, start, end)
                yield first, bisect_left(urls, origin + prefix + _AFTER_EVERY_URL, first, end)


def split_origin(url: str) -> tuple[str, str]:
    """A canonical URL in two: scheme and authority; path and query."""
    start = url.find("/", url.find("://") + 3)
    return (url[:start], url[start:]) if start >= 0 else (url, "/")


def _prefixes(path: str) -> tuple[str, ...]:
    return (path,) if path.endswith("/") else (path + "/", path + "?")


def _split_port(authority: str) -> tuple[str, str, str]:
    host, colon, port = authority.rpartition(":")
    # The last colon of [::1] is inside the brackets.
    return (host, colon, port) if colon and port.isdigit() else (authority, "", "")
