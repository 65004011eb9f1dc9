from __future__ import annotations

import pytest

from hypursuit.errors import MalformedUrl
from hypursuit.query.query import Scope
from hypursuit.query.scope import covers, covers_host, parse_scope, write_scope


@pytest.mark.parametrize(
    ("host", "authority", "covered"),
    [
        ("python.org", "python.org", True),
        ("python.org", "docs.python.org", True),
        ("python.org", "python.org:8080", True),
        ("python.org", "cpython.org", False),
        ("docs.python.org", "python.org", False),
        ("org", "python.org", True),
        ("python.org:8080", "python.org:8080", True),
        ("python.org:8080", "docs.python.org:8080", True),
        ("python.org:8080", "python.org", False),
        ("[::1]", "[::1]:80", True),
        ("127.0.0.1", "127.0.0.1:4711", True),
    ],
)
def test_a_host_covers_itself_and_hosts_below_it_on_every_port_unless_one_is_named(
    host: str, authority: str, covered: bool
) -> None:
    assert covers_host(Scope(host), authority) is covered


@pytest.mark.parametrize(
    ("path", "url", "covered"),
    [
        ("/", "http://a.org/", True),
        ("/", "https://a.org/x?y", True),
        ("/3", "http://a.org/3", True),
        ("/3", "http://a.org/3/library", True),
        ("/3", "http://a.org/3?x", True),
        ("/3", "http://a.org/30", False),
        ("/3", "http://a.org/3.html", False),
        ("/3/", "http://a.org/3", False),
        ("/3/", "http://a.org/3/", True),
        ("/3/", "http://b.org/3/", False),
    ],
)
def test_a_path_covers_what_is_below_it(path: str, url: str, covered: bool) -> None:
    assert covers(Scope("a.org", path), url) is covered


@pytest.mark.parametrize(
    "scope", [Scope("a.org"), Scope("a.org", "/x_(y)/"), Scope("localhost:81", "/x"), Scope("edu")]
)
def test_a_scope_survives_being_written(scope: Scope) -> None:
    assert parse_scope(write_scope(scope)) == scope


@pytest.mark.parametrize("text", ["", "/", "a.org/?x", "user@a.org", "a b", "http://"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(MalformedUrl):
        parse_scope(text)
