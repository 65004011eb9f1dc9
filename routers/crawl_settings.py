"""Everything an operator can set about a crawl: frozen, explained, checked once."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from hypursuit.crawl.addresses import AddressPolicy
from hypursuit.crawl.traps import TrapLimits
from hypursuit.errors import BadSetting


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """When to stop. None means no limit.

    Pages and depth say how much of the site is wanted: the crawl is finished there, and what lies beyond is dropped
    at a re-crawl. Bytes and seconds say how much to do now: the crawl is left unfinished and the next run goes on.
    """

    pages: int | None = None
    depth: int | None = None
    """Links from the root page; 0 is the root page alone."""
    bytes: int | None = None
    """Of bodies after decompression, per run."""
    seconds: float | None = None

    def __post_init__(self) -> None:
        _check_range(self, "pages", 1)
        _check_range(self, "depth", 0)
        _check_range(self, "bytes", 1)
        _check_range(self, "seconds", 0)


@dataclass(frozen=True, slots=True)
class Politeness:
    """How hard a site is worked. Stricter wishes of its robots.txt and ``Retry-After`` come on top."""

    delay: float | None = None
    """Seconds between the starts of two requests; None is 0.1, and 0 for sites on this machine."""
    concurrency: int = 4
    """Requests under way at once."""
    retries: int = 2
    """Further attempts after a failure that may pass."""
    backoff: float = 1.0
    """Seconds before the first of them, doubled for each further one."""
    longest_wait: float = 60.0
    """Seconds that ``Retry-After`` and crawl delays are obeyed up to."""

    def __post_init__(self) -> None:
        _check_range(self, "delay", 0)
        _check_range(self, "concurrency", 1)
        _check_range(self, "retries", 0)
        _check_range(self, "backoff", 0)
        _check_range(self, "longest_wait", 0)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one response may cost."""

    body_bytes: int = 16 * 1024 * 1024
    """After decompression, and on the wire."""
    header_bytes: int = 8190
    """Of one header line."""
    headers: int = 100
    redirects: int = 5
    """In a row, before a page is reached."""
    seconds: float = 60.0
    """From request to last byte."""
    stall_seconds: float = 15.0
    """Without a byte."""
    connect_seconds: float = 10.0

    def __post_init__(self) -> None:
        for setting in fields(self):
            _check_range(self, setting.name, 0 if setting.name == "redirects" else 0.001)


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """All settings of a crawl; the defaults suit a polite crawl of the open web."""

    limits: CrawlLimits = field(default_factory=CrawlLimits)
    politeness: Politeness = field(default_factory=Politeness)
    fetch: FetchLimits = field(default_factory=FetchLimits)
    traps: TrapLimits = field(default_factory=TrapLimits)
    addresses: AddressPolicy = field(default_factory=AddressPolicy)
    sites_at_once: int = 16
    """Sites crawled at the same time."""
    requests_at_once: int = 64
    """Requests under way at the same time, over all sites."""

    def __post_init__(self) -> None:
        _check_range(self, "sites_at_once", 1)
        _check_range(self, "requests_at_once", 1)


def _check_range(settings: object, name: str, least: float) -> None:
    value = getattr(settings, name)
    if value is not None and not value >= least:
        raise BadSetting(f"{name.replace('_', ' ')} is {value}; it must be at least {least:g}")
