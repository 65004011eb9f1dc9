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
    ├── MalformedRequest      a request to a router that cannot be understood
    ├── RouterUnavailable     another router gave no usable answer
    ├── Overloaded            a router has more to do than it can, for now
    ├── LabelRefused          a label that a parent does not take
    │   ├── NotAuthorised     pushed without the child's token
    │   ├── ForeignLabel      of another router, or for hosts the child was not given
    │   ├── LabelChanged      meant to replace another one than the parent has
    │   └── LabelOutdated     older than the one the parent has
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
        super().__init__(f"query, character {position + 1}: {reason}")
        self.position, self.reason = position, reason


class TreeFailed(HyPursuitError):
    """A network could not be brought up: no site has pages, or a router does not start."""


class MalformedRequest(HyPursuitError):
    """A request to a router that cannot be understood."""


class RouterUnavailable(HyPursuitError):
    """Another router gave no usable answer.

    ``busy`` if it said itself that it has too much to do, ``late`` if it just had not answered in time.
    """

    def __init__(self, router: str, reason: str, *, busy: bool = False, late: bool = False) -> None:
        super().__init__(f"{router} {reason}")
        self.router, self.reason, self.busy, self.late = router, reason, busy, late


class Overloaded(HyPursuitError):
    """A router has more to do than it can; it may be asked again after some seconds."""

    def __init__(self, router: str, retry_after: int = 1) -> None:
        super().__init__(f"{router} has too many searches waiting; ask again in {retry_after} s")
        self.router, self.retry_after = router, retry_after


class LabelRefused(HyPursuitError):
    """A label that a parent does not take."""

    def __init__(self, child: str, reason: str) -> None:
        super().__init__(f"the label of {child} is refused: {reason}")
        self.child, self.reason = child, reason


class NotAuthorised(LabelRefused):
    """A label pushed without the token of the child that it is said to be from."""


class ForeignLabel(LabelRefused):
    """A label that speaks for another router, or for hosts that the child was not given."""


class LabelChanged(LabelRefused):
    """A label that was meant to replace another one than the parent has."""


class LabelOutdated(LabelRefused):
    """A label that is older than the one the parent has, or another one of the same version."""

    def __init__(self, child: str, version: int, current: int) -> None:
        super().__init__(child, f"its version is {version}, and version {current} is known already")
        self.version, self.current = version, current


class DemoFailed(HyPursuitError):
    """None of the demo's sites could be made or crawled."""


class MissingPeer(HyPursuitError):
    """A benchmark lacks the library it compares with."""

    def __init__(self, library: str) -> None:
        super().__init__(f"this benchmark compares with {library}: pip install 'hypursuit[bench]'")
        self.library = library
