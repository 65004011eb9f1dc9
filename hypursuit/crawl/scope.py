"""What belongs to a site: a host, a port, and a path below which pages count."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from hypursuit.crawl.url import canonical_url
from hypursuit.errors import BadSetting

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Site:
    """A site to crawl: its root page and the URLs that count as its own.

    ``http`` and ``https`` on their default ports are one site. A root that ends in a file name
    (``/guide/index.html``) takes in the file's directory; any other path is itself the directory, so ``/guide``
    covers ``/guide`` and ``/guide/…`` but not ``/guidelines``.
    """

    root: str
    """Canonical URL of the root page."""
    host: str
    port: int | None
    """None for the default port of the scheme."""
    prefix: str
    """Path without a final slash; empty for a whole host."""

    @classmethod
    def of(cls, url: str, below: str | None = None) -> Site:
        """The site at a URL as people type it; a missing scheme means http.

        Args:
            url: of the root page.
            below: path that the site's pages are below, where the root page's own says too much: the root of a whole
                host can be ``/web/index.html``.

        Raises:
            MalformedUrl: not a URL that can be crawled.
            BadSetting: the root page is not below the path.
        """
        typed = url.strip()
        root = canonical_url(typed if "://" in typed else f"http://{typed}")
        parts = urlsplit(root)
        directory, _, name = parts.path.rpartition("/")
        prefix = directory if not name or "." in name else parts.path
        if below is not None:
            prefix = "/" + below.strip("/")
        site = cls(root, parts.hostname or "", parts.port, prefix.rstrip("/"))
        if not site.covers(root):
            raise BadSetting(f"{root} is not below {prefix}; give a root page that is")
        return site

    @cached_property
    def _origins(self) -> tuple[str, ...]:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        tail = "" if self.port is None else f":{self.port}"
        return f"http://{shown}{tail}", f"https://{shown}{tail}"

    @cached_property
    def _below(self) -> tuple[str, ...]:
        return tuple(f"{origin}{self.prefix}{mark}" for origin in self._origins for mark in "/?")

    @cached_property
    def _tops(self) -> frozenset[str]:
        return frozenset(f"{origin}{self.prefix}" for origin in self._origins)

    def covers(self, url: str) -> bool:
        """Whether a canonical URL is one of the site's own."""
        return url.startswith(self._below) or url in self._tops

    def same_host(self, url: str) -> bool:
        """Whether a canonical URL is on the site's host and port, below the path or not."""
        return url.startswith(tuple(f"{origin}/" for origin in self._origins))

    def connect_port(self, url: str) -> int:
        """The port that a request for one of the site's URLs goes to."""
        return self.port or _DEFAULT_PORTS[url.partition(":")[0]]

    @property
    def robots_url(self) -> str:
        """Where the site's robots.txt is, by the scheme of its root."""
        return self._address_of("/robots.txt")

    @property
    def sitemap_url(self) -> str:
        """Where sitemaps are by custom, for sites whose robots.txt names none."""
        return self._address_of("/sitemap.xml")

    def _address_of(self, path: str) -> str:
        return self._origins[self.root.startswith("https:")] + path

    @property
    def name(self) -> str:
        """Name of the site's leaf: the host, with port and path where they are not the default ones.

        Safe as a file name, and different sites have different names: where characters had to be replaced, a digest
        of the exact address is appended.
        """
        tail = "" if self.port is None else f":{self.port}"
        exact = f"{self.host}{tail}{self.prefix}"
        safe = re.sub(r"[^A-Za-z0-9.-]+", "_", exact.replace("/", "_").replace(":", "_")).strip("._-")
        if safe == self.host:
            return safe
        return f"{safe[:_LONGEST_NAME]}-{hashlib.blake2b(exact.encode(), digest_size=4).hexdigest()}"
