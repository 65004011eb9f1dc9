"""Which network addresses a crawl may connect to. A pure decision; the caller asks it about the address it really uses.

The rule: the open internet, and of everything else only what the operator listed. The standard library's
``is_global`` is no such rule: it passes NAT64, 6to4, IPv4-compatible IPv6, site-local and multicast addresses, each of
which can lead back into a private network.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from hypursuit.errors import BadSetting

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_REFUSED_V4: tuple[tuple[IPv4Network, str], ...] = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "the unspecified network"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a carrier's private address"),
        ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local address, where clouds keep their metadata"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a protocol-assignment address"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "a benchmarking address"),
        ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
    )
)

_REFUSED_V6: tuple[tuple[IPv6Network, str], ...] = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("2001::/23", "a protocol-assignment address"),
        ("2001:db8::/32", "an address for documentation"),
        ("2002::/16", "a 6to4 address, which may lead into a private network"),
        ("3fff::/20", "an address for documentation"),
        ("::1/128", "a loopback address"),
        ("::/96", "an IPv4-compatible address, which may lead into a private network"),
        ("64:ff9b::/96", "a NAT64 address, which may lead into a private network"),
        ("64:ff9b:1::/48", "a NAT64 address, which may lead into a private network"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("ff00::/8", "a multicast address"),
    )
)

_OPEN_V6 = IPv6Network("2000::/3")


@dataclass(frozen=True, slots=True)
class Resolve:
    """``host`` at ``port`` is to be found at ``address``, whatever name servers say; like curl's ``--resolve``.

    ``to_port`` may differ from ``port``, so that sites known under their public names can be served by one
    unprivileged process.
    """

    host: str
    port: int
    address: Address
    to_port: int

    @classmethod
    def parse(cls, text: str) -> Resolve:
        """Read ``HOST:PORT:ADDRESS`` or ``HOST:PORT:ADDRESS:PORT``; IPv6 addresses in brackets where a port follows."""
        match = _RESOLVE.fullmatch(text.strip())
        if match is None:
            raise BadSetting(f"{text!r} is not HOST:PORT:ADDRESS, such as docs.example.org:80:127.0.0.1")
        host, port, literal, to_port = match.groups()
        try:
            address = ip_address(literal.strip("[]"))
        except ValueError as error:
            raise BadSetting(f"{literal!r} in {text!r} is not an IP address") from error
        found = cls(host.lower().strip("[]"), int(port), address, int(to_port or port))
        if not (0 < found.port < 65536 and 0 < found.to_port < 65536):
            raise BadSetting(f"{text!r} names a port outside 1-65535")
        return found


_RESOLVE = re.compile(r"(\[[^\]]+\]|[^:\[\]]+):(\d{1,5}):(\[[^\]]+\](?=$|:)|[^:\[\]]+(?=$|:)|[^\[\]]+$)(?::(\d{1,5}))?")


def parse_network(text: str) -> Network:
    """Read an address or network in CIDR form, as ``--allow-address`` takes it."""
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise BadSetting(f"{text!r} is not an address or network such as 10.0.0.0/8") from error


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """What the operator listed: names bound to addresses, and networks that are open besides the internet."""

    resolves: tuple[Resolve, ...] = ()
    networks: tuple[Network, ...] = ()

    def resolved(self, host: str, port: int) -> tuple[Resolve, ...]:
        """The operator's own addresses for a host and port; empty where name servers are to be asked."""
        return tuple(entry for entry in self.resolves if entry.host == host and entry.port == port)

    def leaves_out(self, host: str, port: int) -> bool:
        """Whether the operator bound a host to addresses, but not on this port.

        Such a host is not looked up: whoever maps a public name to a copy of their own does not want its links to the
        other port to reach the public site.
        """
        return not self.resolved(host, port) and any(entry.host == host for entry in self.resolves)

    def refusal(self, host: str, port: int, address: Address, to_port: int) -> str | None:
        """Why a connection for ``host:port`` may not go to ``address:to_port``, or None where it may.

        A host that the operator bound to addresses is found there and nowhere else. A site whose own host is an IP
        literal or ``localhost`` counts as listed, at its own port only.
        """
        address = _unwrapped(address)
        bound = self.resolved(host, port)
        if bound or self.leaves_out(host, port):
            listed = any((_unwrapped(entry.address), entry.to_port) == (address, to_port) for entry in bound)
            return None if listed else f"which is not where --resolve puts {host}:{port}"
        if to_port != port:
            return f"port {to_port}, which is not the site's"
        if address.is_unspecified or address.is_multicast:
            return _reason(address)
        if self._lists(address) or _is_own_host(host, address):
            return None
        return _reason(address)

    def _lists(self, address: Address) -> bool:
        return any(address.version == network.version and address in network for network in self.networks)


def is_loopback(address: Address) -> bool:
    """Whether an address, IPv4 in IPv6 clothes included, is this machine's own."""
    return _unwrapped(address).is_loopback


def _unwrapped(address: Address) -> Address:
    """IPv4-mapped IPv6 addresses reach the IPv4 address itself, so they are judged as such."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def _is_own_host(host: str, address: Address) -> bool:
    if host == "localhost":
        return address.is_loopback
    try:
        return _unwrapped(ip_address(host.strip("[]"))) == address
    except ValueError:
        return False


def _reason(address: Address) -> str | None:
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _REFUSED_V4 if address in network), None)
    for network, reason in _REFUSED_V6:
        if address in network:
            return reason
    return None if address in _OPEN_V6 else "an address outside the public IPv6 range"
