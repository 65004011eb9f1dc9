"""Requests to one site: every answer bounded, every connection checked against the address policy.

Redirects are not followed here. They are discoveries like any other and go through the frontier, so scope, robots
rules, politeness and the address policy hold on every hop.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

import hypursuit
from hypursuit.crawl.addresses import AddressPolicy, is_loopback
from hypursuit.crawl.inflate import BadEncoding, Inflater, TooLarge
from hypursuit.crawl.outcome import Outcome
from hypursuit.crawl.sniff import may_be_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multidict import CIMultiDictProxy

    from hypursuit.crawl.scope import Site
    from routers.crawl_settings import FetchLimits

USER_AGENT = f"hypursuit/{hypursuit.__version__}"

_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
}

_SMALL = 16 * 1024
"""Bytes that are read and thrown away sooner than a connection is."""

AddressInfo = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, its body decompressed; empty where nobody wanted it."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes = b""

    @property
    def content_type(self) -> str | None:
        """The Content-Type header, charset and all."""
        return self.headers.get("Content-Type")


class NoAnswer(Exception):
    """A request that ended without a usable response."""

    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Fetcher:
    """A client for the URLs of one site. Use as an async context manager."""

    def __init__(
        self, site: Site, limits: FetchLimits, policy: AddressPolicy, resolver: AbstractResolver | None = None
    ) -> None:
        self._site, self._limits, self._policy = site, limits, policy
        self._resolver = resolver
        self._refusals: dict[str, str] = {}
        self.loopback: bool | None = None
        """Whether all connections so far went to this machine; None before the first."""

    async def __aenter__(self) -> Self:
        limits = self._limits
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=ListedResolver(self._policy, self._resolver or ThreadedResolver()),
                use_dns_cache=False,  # connections are kept, so there is little to save by trusting old answers
                socket_factory=self._checked_socket,
                limit=0,
            ),
            headers=_HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(
                total=limits.seconds, sock_connect=limits.connect_seconds, sock_read=limits.stall_seconds
            ),
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
            max_headers=limits.headers,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    def _checked_socket(self, info: AddressInfo) -> socket.socket:
        """A socket for an address, or an error that keeps the connection from being made.

        This is the one place that sees the address really used, whatever name servers said a moment ago.
        """
        family, kind, protocol, _, (literal, to_port, *_) = info
        address = ip_address(literal.partition("%")[0])
        ports = (80, 443) if self._site.port is None else (self._site.port,)
        reasons = [self._policy.refusal(self._site.host, port, address, to_port) for port in ports]
        if None not in reasons:
            self._refusals[literal] = next(reason for reason in reasons if reason is not None)
            raise PermissionError(errno.EACCES, f"{literal} was not listed")
        self.loopback = is_loopback(address) and self.loopback is not False
        return socket.socket(family, kind, protocol)

    async def page(self, url: str, conditions: Mapping[str, str]) -> Answer:
        """Fetch what may be a page; the body is read only if status and type say it may be one. Raises NoAnswer."""
        return await self._fetch(url, conditions, self._limits.body_bytes, pages_only=True)

    async def document(self, url: str, limit: int) -> Answer:
        """Fetch a document of any type; what lies beyond the limit is cut off. Raises NoAnswer."""
        return await self._fetch(url, {}, limit, pages_only=False)

    async def _fetch(self, url: str, conditions: Mapping[str, str], limit: int, *, pages_only: bool) -> Answer:
        host, port = self._site.host, self._site.connect_port(url)
        if self._policy.leaves_out(host, port):
            raise NoAnswer(Outcome.ADDRESS, f"--resolve gives no address for {host}:{port}")
        try:
            # encoded=True: the URL is canonical already, and yarl's own idea of quoting would change it.
            async with self._session.get(
                URL(url, encoded=True), headers=conditions or None, allow_redirects=False
            ) as response:
                if response.status != 200 or (pages_only and not may_be_page(response.headers.get("Content-Type"))):
                    await _pass_over(response)
                    return Answer(response.status, response.headers)
                body = await _body(response, limit, cut=not pages_only)
                return Answer(response.status, response.headers, body)
        except TooLarge as error:
            raise NoAnswer(Outcome.TOO_LARGE, str(error)) from error
        except BadEncoding as error:
            raise NoAnswer(Outcome.MALFORMED, str(error)) from error
        except TimeoutError as error:
            raise NoAnswer(Outcome.UNREACHABLE, f"no complete answer in time ({type(error).__name__})") from error
        except (aiohttp.ClientResponseError, aiohttp.InvalidURL) as error:
            raise NoAnswer(Outcome.MALFORMED, _shortened(error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> NoAnswer:
        if isinstance(error, OSError) and error.errno == errno.EACCES and self._refusals:
            literal, reason = next(reversed(self._refusals.items()))
            return NoAnswer(Outcome.ADDRESS, f"{literal}: {reason}")
        return NoAnswer(Outcome.UNREACHABLE, _shortened(error))

    @property
    def refused_address(self) -> tuple[str, str] | None:
        """The last address that the policy refused, and why."""
        return next(reversed(self._refusals.items()), None)


async def _body(response: aiohttp.ClientResponse, limit: int, *, cut: bool) -> bytes:
    inflater = Inflater(response.headers.get("Content-Encoding", ""), limit)
    try:
        async for chunk in response.content.iter_any():
            inflater.feed(chunk)
    except TooLarge:
        if not cut:
            raise
        return inflater.beginning()
    return inflater.finish()


async def _pass_over(response: aiohttp.ClientResponse) -> None:
    """Read a small body that nobody wants: a connection with an unread one cannot be used again."""
    if response.content_length is not None and response.content_length <= _SMALL:
        async for _ in response.content.iter_any():
            continue


def _shortened(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return " ".join(text.split())[:200]


class ListedResolver(AbstractResolver):
    """Finds the operator's own addresses first and asks name servers for the rest."""

    def __init__(self, policy: AddressPolicy, names: AbstractResolver) -> None:
        self._policy, self._names = policy, names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Addresses of a host; raises OSError."""
        listed = self._policy.resolved(host, port)
        if not listed:
            return await self._names.resolve(host, port, family)
        return [
            ResolveResult(
                hostname=host,
                host=str(entry.address),
                port=entry.to_port,
                family=socket.AF_INET6 if entry.address.version == 6 else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for entry in listed
        ]

    async def close(self) -> None:
        """Let go of the name servers."""
        await self._names.close()
