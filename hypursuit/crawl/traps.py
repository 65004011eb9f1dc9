"""Limits against sites without end: calendars, session numbers, link loops that grow their own directories.

A trap cannot be told from a large site by one URL. What gives it away is *how its URLs multiply*: endless query strings
on one path, endless numbers in one place, or one kind of URL that turns up a level deeper on every level.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

_NUMBER = re.compile(r"\d+")
# The same one, two or three path segments, four times in a row.
_REPETITION = re.compile(r"(/[^/?]*(?:/[^/?]*){0,2})\1{3}(?=[/?]|$)")
_SESSION = re.compile(
    r"(?:;(?:jsessionid|phpsessid|sid|sessionid)=[^/?&;]*)"
    r"|(?:(?<=[?&])(?:jsessionid|phpsessid|aspsessionid\w*|session_?id|s(?:ess)?id(?==[0-9a-f]{16})|cfid|cftoken|zenid|oscsid)"
    r"=[^&]*(?:&|$))",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"=(?=[^&]*\d)(?=[^&]*[A-Za-z])[0-9A-Za-z_-]{16,}(?=&|$)")


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """How far a site may go. Of 129 documentation sites, these touch one: the old revisions of a wiki."""

    url_length: int = 2000
    """Characters of a URL."""
    segments: int = 30
    """Directories of a path."""
    parameters: int = 12
    """Parameters of a query."""
    queries: int = 2000
    """Different query strings on one path."""
    combined_queries: int = 300
    """Of these, those that combine three or more parameters, as filters and sort orders do."""
    tokens: int = 30
    """Query strings on one path that differ only in a long random value, as session numbers do."""
    numbered: int = 10_000
    """URLs that differ only in their numbers."""
    numbered_levels: int = 60
    """Levels of depth on which such URLs may still turn up: a calendar reaches its next month on every one."""


class TrapGuard:
    """Counts a site's URLs by kind and says when a kind has become too many.

    Counting is independent of order, so a guard can be restored by counting the URLs that a store knows.
    """

    def __init__(self, limits: TrapLimits | None = None) -> None:
        self._limits = limits or TrapLimits()
        self._queries: dict[str, int] = defaultdict(int)
        self._combined: dict[str, int] = defaultdict(int)
        self._tokens: dict[str, int] = defaultdict(int)
        self._numbered: dict[str, int] = defaultdict(int)
        self._levels: dict[str, set[int]] = defaultdict(set)

    def admit(self, url: str, depth: int) -> str | None:
        """Count a URL found at a depth, or say why it is refused; a refused URL does not count."""
        reason = self.misshapen(url) or self._multiplied(url, depth)
        if reason is None:
            self.count(url, depth)
        return reason

    def misshapen(self, url: str) -> str | None:
        """Why a URL is refused whatever else the site has; None for an ordinary one."""
        if len(url) > self._limits.url_length:
            return f"URL of more than {self._limits.url_length} characters"
        address, _, query = url.partition("?")
        path = address.partition("://")[2]
        if path.count("/") > self._limits.segments:
            return f"path of more than {self._limits.segments} segments"
        if _REPETITION.search(path):
            return "path repeats itself"
        if query.count("&") >= self._limits.parameters:
            return f"query of more than {self._limits.parameters} parameters"
        return None

    def count(self, url: str, depth: int) -> None:
        """Count a URL without judging it."""
        path, mark, query = url.partition("?")
        if mark:
            self._queries[path] += 1
            self._combined[path] += query.count("&") >= 2
            self._tokens[path] += _has_token(query)
        if (shape := _shape(url)) is not None:
            self._numbered[shape] += 1
            self._levels[shape].add(depth)

    def _multiplied(self, url: str, depth: int) -> str | None:
        path, mark, query = url.partition("?")
        return (self._too_many_queries(path, query) if mark else None) or self._too_many_numbers(url, depth)

    def _too_many_queries(self, path: str, query: str) -> str | None:
        limits = self._limits
        if self._queries[path] >= limits.queries:
            return f"more than {limits.queries} query strings on one path"
        if query.count("&") >= 2 and self._combined[path] >= limits.combined_queries:
            return f"more than {limits.combined_queries} combinations of parameters on one path"
        if self._tokens[path] >= limits.tokens and _has_token(query):
            return f"more than {limits.tokens} random values on one path"
        return None

    def _too_many_numbers(self, url: str, depth: int) -> str | None:
        limits, shape = self._limits, _shape(url)
        if shape is None:
            return None
        if self._numbered[shape] >= limits.numbered:
            return f"more than {limits.numbered} URLs that differ only in their numbers"
        levels = self._levels[shape]
        if len(levels) >= limits.numbered_levels and depth not in levels:
            return f"numbered URLs on more than {limits.numbered_levels} levels"
        return None


def _has_token(query: str) -> bool:
    return _TOKEN.search(f"={query}") is not None


def _shape(url: str) -> str | None:
    """A URL with its numbers blanked; None for a URL without numbers below its host."""
    start = url.find("/", url.find("://") + 3)
    blanked, numbers = _NUMBER.subn("0", url[start:])
    return blanked if numbers else None


def without_session(url: str) -> str:
    """A URL without the session number that some servers add for visitors who keep no cookies."""
    if "?" not in url and ";" not in url:
        return url
    cleaned, sessions = _SESSION.subn("", url)
    return cleaned.rstrip("?&") if sessions else url
