"""Every error that HyPursuit raises on purpose.

    HyPursuitError
    ├── MalformedUrl          a URL that cannot be crawled or compared
    ├── BadSetting            an option or configuration value that makes no sense
    ├── AddressRefused        a host resolves to an address nobody listed
    ├── StoreUnusable         a leaf's store is missing, damaged or of another version
    ├── CrawlFailed           a site gave nothing at all: no root page
    ├── NothingToCluster      a store without pages
    ├── MalformedLabel        bytes that are not a content label
    ├── LabelOverBudget       a label that no loss of detail makes small enough
    ├── MalformedQuery        a query that cannot be read, and where
    ├── TreeFailed            a network could not be brought up at all
    ├── DemoFailed            none of the demo's sites could be made or crawled
    └── MissingPeer           `hypursuit bench` lacks the library it compares with

A message says what is wrong and what to do. Only the command line and the HTTP layer catch the base class.
"""

from __future__ import annotations


class HyPursuitError(Exception):
    """Base of all errors raised on purpose; its text is meant for people."""


class MalformedUrl(HyPursuitError):
    """A URL that cannot be crawled or compared."""

    def __init__(self, url: str, reason: str) -> None:
        shown = url if len(url) <= 200 else url[:200] + "…"
        super().__init__(f"{shown!r} is not a URL that can be crawled: {reason}")
        self.url, self.reason = url, reason


class BadSetting(HyPursuitError):
    """An option or configuration value that makes no sense."""


class AddressRefused(HyPursuitError):
    """A host resolves to an address that the operator did not list."""

    def __init__(self, host: str, address: str, reason: str) -> None:
        super().__init__(
            f"{host} is at {address}, {reason}; if you mean it, list it: --resolve {host}:PORT:{address} "
            f"or --allow-address {address}"
        )
        self.host, self.address, self.reason = host, address, reason


class StoreUnusable(HyPursuitError):
    """A leaf's store is missing, damaged or of another version."""


class CrawlFailed(HyPursuitError):
    """A site gave nothing at all."""


class NothingToCluster(HyPursuitError):
    """A store without pages."""


class MalformedLabel(HyPursuitError):
    """Bytes that are not a content label, or one that contradicts itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not a content label: {reason}; the child must send what encode() gave")
        self.reason = reason


class LabelOverBudget(HyPursuitError):
    """A label that no loss of detail makes small enough: names and counts are never dropped."""

    def __init__(self, router: str, size: int, limit: int) -> None:
        super().__init__(
            f"the label of {router} takes {size} bytes without any detail, its budget is {limit}: raise the budget"
        )
        self.router, self.size, self.limit = router, size, limit


class MalformedQuery(HyPursuitError):
    """A query that cannot be read; ``position`` is the character, from 0, where that shows."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"the query cannot be read from character {position + 1} on: {reason}")
        self.position, self.reason = position, reason


class TreeFailed(HyPursuitError):
    """A network could not be brought up: no site has pages, or a router does not start."""


class DemoFailed(HyPursuitError):
    """None of the demo's sites could be made or crawled."""


class MissingPeer(HyPursuitError):
    """A benchmark lacks the library it compares with."""

    def __init__(self, library: str) -> None:
        super().__init__(f"this benchmark compares with {library}: pip install 'hypursuit[bench]'")
        self.library = library
