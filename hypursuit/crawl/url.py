"""The canonical form of URLs: one address, one spelling.

Parsing and joining follow the browsers' rules (ada-url); what browsers keep but a crawler must not tell apart is
cleaned up here. Whether a URL is *wanted* (scope, traps, session ids) is decided elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from ada_url import join_url, normalize_url

from hypursuit.errors import MalformedUrl

MAX_URL_LENGTH: Final = 2_000

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ORIGIN = re.compile(r"https?://(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d+)?(?=/)")
# Browsers drop tabs and line breaks inside a URL, since authors wrap long ones; no other control character has any
# business in an address.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SPACE = " \t\n\f\r"
# Paths that need no parsing: nothing to escape, no scheme, no query, no dot segments but leading "../".
_PLAIN = re.compile(r"((?:\.\./)*|/)[A-Za-z0-9_~-][A-Za-z0-9_~.-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)*/?")


def canonical_url(url: str, base: str | None = None, limit: int = MAX_URL_LENGTH) -> str:
    """The one spelling of an address; idempotent.

    Scheme and host in lower case (IDNA), no default port, no final dot of the host, no fragment, no empty query,
    dot segments resolved, escapes in upper case, needless escapes of unreserved characters undone. The order of query
    parameters, doubled slashes and final slashes are kept: servers may tell them apart.

    Args:
        url: absolute, or relative to ``base``.
        base: an absolute http or https URL.
        limit: the most characters a canonical URL may have.

    Raises:
        MalformedUrl: not http or https, with credentials or control characters, too long, or not a URL at all.
    """
    href = url.partition("#")[0].strip(_SPACE)
    if len(href) > 8 * limit:
        raise MalformedUrl(url, f"it has over {8 * limit} characters")
    if _CONTROL.search(href):
        raise MalformedUrl(url, "it contains control characters")
    try:
        absolute = normalize_url(href) if base is None else join_url(base, href)
    except ValueError:
        raise MalformedUrl(url, "it cannot be parsed" if base is None else f"it cannot be joined to {base!r}") from None
    return _clean(url, absolute, limit)


class Joiner:
    """Canonical targets of the many links of one page; without a base, only of the absolute ones.

    Equal to :func:`canonical_url` with that base, and faster: plain relative paths are joined by hand, and what was
    joined is remembered, since pages repeat their links, most of all with other fragments. Meant to live as long as
    the page is being parsed.
    """

    __slots__ = ("_base", "_folders", "_joined", "_limit")

    def __init__(self, base: str | None, limit: int = MAX_URL_LENGTH) -> None:
        self._base, self._limit = base, limit
        self._folders = _folders(base)
        self._joined: dict[str, str | None] = {}

    def __call__(self, href: str) -> str | None:
        """The canonical URL of ``href``, or None where it leads nowhere a crawler can go."""
        href = href.partition("#")[0]
        joined = self._joined
        if href in joined:
            return joined[href]
        joined[href] = target = self._join(href)
        return target

    def _join(self, href: str) -> str | None:
        plain = _PLAIN.fullmatch(href)
        if plain and self._folders and len(href) + len(self._folders[0]) <= self._limit:
            prefix = plain[1]
            folder = self._folders[-1 if prefix == "/" else min(len(prefix) // 3, len(self._folders) - 1)]
            return folder + href[len(prefix) :]
        try:
            return canonical_url(href, self._base, self._limit)
        except MalformedUrl:
            return None


def _folders(base: str | None) -> list[str]:
    """The folder of a page, the one above, and so on up to the root, each with its final slash; none without a base."""
    try:
        folder = canonical_url(base or "").partition("?")[0]
    except MalformedUrl:
        return []
    root = folder.index("/", len("https://")) + 1
    ends = [end for end in range(root, len(folder) + 1) if folder[end - 1] == "/"]
    return [folder[:end] for end in reversed(ends)]


def _clean(url: str, absolute: str, limit: int) -> str:
    """What ada-url leaves to do on a parsed, serialised URL without fragment; ``url`` is for messages only."""
    if not absolute.startswith(("http://", "https://")):
        raise MalformedUrl(url, "only http and https are crawled")
    if absolute.find("?") == len(absolute) - 1:
        absolute = absolute[:-1]
    origin = _ORIGIN.match(absolute)
    if origin is None:
        absolute = _without_final_dot(url, absolute)
    if "%" in absolute:
        absolute = _clean_escapes(absolute)
    if len(absolute) > limit:
        raise MalformedUrl(url, f"it has over {limit} characters")
    return absolute


def _without_final_dot(url: str, absolute: str) -> str:
    """Rescue ``http://example.org./``, refuse every other host that is not a plain one."""
    scheme, _, rest = absolute.partition("://")
    authority, slash, path = rest.partition("/")
    if "@" in authority:
        raise MalformedUrl(url, "it contains credentials")
    host, colon, port = authority.partition(":")
    absolute = f"{scheme}://{host.removesuffix('.')}{colon}{port}{slash}{path}"
    if not _ORIGIN.match(absolute):
        raise MalformedUrl(url, "its host is not a name or address")
    return absolute


def _clean_escapes(absolute: str) -> str:
    # Beside a stray "%" an undone escape can make a new one ("%%341" -> "%41"), so such URLs keep all of theirs.
    if _STRAY_PERCENT.search(absolute):
        return _ESCAPE.sub(lambda escape: escape[0].upper(), absolute)
    return _ESCAPE.sub(_clean_escape, absolute)


def _clean_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if character in _UNRESERVED else escape[0].upper()
