"""How the visit of a URL can end. These words stand in fetch logs and reports."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How the visit of a URL ended, or why there was none."""

    STORED = "stored"
    """A page, new or changed."""
    UNCHANGED = "unchanged"
    """The server says the stored page is still the current one."""
    NOINDEX = "noindex"
    """A page that asks not to be indexed; its links are followed unless it asks otherwise."""
    REDIRECT = "redirect"
    """Leads to another URL of the site, named in the detail."""
    OFF_SITE = "off-site"
    """Leads out of the site."""
    TOO_MANY_REDIRECTS = "too many redirects"
    ROBOTS = "robots"
    """robots.txt disallows it."""
    TRAP = "trap"
    """One URL too many of its kind."""
    TYPE = "type"
    """Not HTML."""
    BINARY = "binary"
    """Said to be HTML and is not."""
    TOO_LARGE = "too large"
    GONE = "gone"
    """404 or 410."""
    REFUSED = "refused"
    """Any other status that gives no page."""
    ADDRESS = "address refused"
    """Its host is at an address that the operator did not list."""
    MALFORMED = "malformed"
    """The answer breaks HTTP, or its own content encoding."""
    FAILING = "failing"
    """The server failed (5xx) or asked for patience (429) until patience ran out."""
    UNREACHABLE = "unreachable"
    """No connection, no answer, or an answer that stalled."""
    RULES = "rules"
    """robots.txt, which was read and is no page."""
    SITEMAP = "sitemap"
    """A list of URLs, which was read and is no page."""
    RETRIED = "retried"
    """An attempt that failed and was made again."""
    REMOVED = "removed"
    """A stored page that no longer is where links or rules lead."""

    @property
    def transient(self) -> bool:
        """Whether the next crawl may well fare better; such an outcome removes nothing from a store."""
        return self in _TRANSIENT


_TRANSIENT = frozenset({Outcome.FAILING, Outcome.UNREACHABLE, Outcome.MALFORMED, Outcome.ADDRESS})
