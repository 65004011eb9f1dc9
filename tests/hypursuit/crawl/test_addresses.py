from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from hypursuit.crawl.addresses import AddressPolicy, Resolve, is_loopback, parse_network
from hypursuit.errors import BadSetting

# One or more of every kind that may lead inside; the ones marked with * pass the standard library's is_global.
INSIDE = [
    "0.0.0.0",  # noqa: S104  refused, not bound
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",  # *
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",  # * IPv4-compatible
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",  # * NAT64
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",  # * 6to4
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",  # * site-local
    "ff02::1",  # *
]
OUTSIDE = [
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:2800:220:1::1",
    "2a00:1450::1",
    "::ffff:1.1.1.1",
]


@pytest.mark.parametrize("literal", INSIDE)
def test_addresses_that_may_lead_inside_are_refused(literal: str) -> None:
    assert AddressPolicy().refusal("docs.example", 80, ip_address(literal), 80)


@pytest.mark.parametrize("literal", OUTSIDE)
def test_addresses_of_the_open_internet_are_allowed(literal: str) -> None:
    assert AddressPolicy().refusal("docs.example", 80, ip_address(literal), 80) is None


def test_the_standard_library_would_let_some_of_them_in() -> None:
    """The reason for a list of our own; if this fails, the list may have become needless."""
    assert sum(ip_address(literal).is_global for literal in INSIDE) >= 4


@pytest.mark.parametrize("literal", INSIDE)
def test_a_listed_network_opens_all_but_unspecified_and_multicast_addresses(literal: str) -> None:
    address = ip_address(literal)
    everything = AddressPolicy(networks=(ip_network("0.0.0.0/0"), ip_network("::/0")))

    refused = everything.refusal("docs.example", 80, address, 80) is not None

    assert refused == (address.is_unspecified or address.is_multicast)


def test_a_listed_network_covers_mapped_addresses_too() -> None:
    policy = AddressPolicy(networks=(parse_network("10.0.0.0/8"),))

    assert policy.refusal("docs.example", 80, ip_address("::ffff:10.1.2.3"), 80) is None
    assert policy.refusal("docs.example", 80, ip_address("::ffff:11.1.2.3"), 80) is None
    assert policy.refusal("docs.example", 80, ip_address("::ffff:192.168.2.3"), 80)


@pytest.mark.parametrize(
    ("host", "address", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.2", False),
        ("127.0.0.1", "::ffff:127.0.0.1", True),
        ("::1", "::1", True),
        ("10.1.2.3", "10.1.2.3", True),
        ("localhost", "127.0.0.1", True),
        ("localhost", "::1", True),
        ("localhost", "10.0.0.1", False),
        ("localhost.example", "127.0.0.1", False),
    ],
)
def test_a_literal_host_lists_itself_and_localhost_this_machine(host: str, address: str, allowed: bool) -> None:
    assert (AddressPolicy().refusal(host, 8080, ip_address(address), 8080) is None) == allowed


def test_a_connection_goes_to_the_port_of_the_site() -> None:
    assert AddressPolicy().refusal("docs.example", 80, ip_address("1.1.1.1"), 22) == "port 22, which is not the site's"


def test_a_bound_host_is_found_where_it_was_bound_and_nowhere_else() -> None:
    policy = AddressPolicy((Resolve.parse("docs.example:80:127.0.0.1:8081"),))

    assert policy.refusal("docs.example", 80, ip_address("127.0.0.1"), 8081) is None
    assert policy.refusal("docs.example", 80, ip_address("127.0.0.1"), 80)
    assert policy.refusal("docs.example", 80, ip_address("1.1.1.1"), 80)
    assert policy.refusal("docs.example", 443, ip_address("1.1.1.1"), 443)
    assert policy.refusal("other.example", 80, ip_address("127.0.0.1"), 8081)
    assert policy.refusal("other.example", 80, ip_address("1.1.1.1"), 80) is None
    assert policy.leaves_out("docs.example", 443)
    assert not policy.leaves_out("docs.example", 80)
    assert not policy.leaves_out("other.example", 443)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docs.example:80:127.0.0.1", ("docs.example", 80, "127.0.0.1", 80)),
        ("Docs.Example:443:10.0.0.5:8443", ("docs.example", 443, "10.0.0.5", 8443)),
        ("docs.example:80:::1", ("docs.example", 80, "::1", 80)),
        ("docs.example:80:[::1]", ("docs.example", 80, "::1", 80)),
        ("docs.example:80:[fd00::1]:8080", ("docs.example", 80, "fd00::1", 8080)),
        ("docs.example:80:2001:db8::7", ("docs.example", 80, "2001:db8::7", 80)),
    ],
)
def test_resolve_is_read_like_that_of_curl(text: str, expected: tuple[str, int, str, int]) -> None:
    host, port, literal, to_port = expected

    assert Resolve.parse(text) == Resolve(host, port, ip_address(literal), to_port)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "docs.example",
        "docs.example:80",
        "docs.example:http:1.1.1.1",
        "d:80:example",
        "d:0:1.1.1.1",
        "d:80:1.1.1.1:99999",
    ],
)
def test_a_malformed_resolve_is_refused(text: str) -> None:
    with pytest.raises(BadSetting):
        Resolve.parse(text)


def test_a_malformed_network_is_refused() -> None:
    assert parse_network("10.1.2.3/8") == ip_network("10.0.0.0/8")
    with pytest.raises(BadSetting, match="not an address or network"):
        parse_network("intranet")


def test_loopback_is_recognised_in_ipv6_clothes() -> None:
    assert is_loopback(ip_address("::ffff:127.0.0.1"))
    assert is_loopback(ip_address("::1"))
    assert not is_loopback(ip_address("10.0.0.1"))
