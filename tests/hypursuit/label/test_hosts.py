"""A list of hosts may say too much, never too little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.label.hosts import ANYWHERE, coarser, hosts_of, joined_hosts, may_hold
from hypursuit.label.parts import Host
from hypursuit.query.query import Scope
from hypursuit.query.scope import covers

HOSTS = [
    "a.test",
    "b.a.test",
    "c.b.a.test",
    "a.test:81",
    "other.org",
    "x.other.org",
    "localhost:8080",
    "10.0.0.1",
    "[::1]:80",
]
PATHS = ["/", "/d", "/d/", "/d/e.html", "/d/e/f.html", "/de/x", "/d?q=/a/b"]
URLS = st.builds(lambda host, path: f"http://{host}{path}", st.sampled_from(HOSTS), st.sampled_from(PATHS))
SCOPES = st.builds(Scope, st.sampled_from([*HOSTS, "test", "org", "b.a.test:81"]), st.sampled_from(PATHS[:-1]))


@given(st.lists(URLS, min_size=1, max_size=12), SCOPES, st.integers(0, 6))
def test_a_label_may_hold_every_page_that_it_holds(urls: list[str], scope: Scope, steps: int) -> None:
    """However coarse the hosts: if a page is in scope, the label may hold the scope."""
    hosts = hosts_of(urls)
    for _ in range(steps):
        hosts = coarser(hosts)
    if any(covers(scope, url) for url in urls):
        assert may_hold(hosts, scope)


@given(st.lists(URLS, min_size=1, max_size=12))
def test_coarser_hosts_end_at_anywhere(urls: list[str]) -> None:
    hosts = hosts_of(urls)
    for _ in range(8):
        hosts = coarser(hosts)

    assert hosts == (ANYWHERE,)


def test_pages_share_a_folder() -> None:
    urls = ["http://a.test/d/e/1.html", "http://a.test/d/f/2.html", "http://b.test/x"]

    assert hosts_of(urls) == (Host("a.test", "/d/"), Host("b.test", "/"))


@pytest.mark.parametrize(
    ("scope", "held"),
    [
        (Scope("a.test"), True),
        (Scope("test"), True),
        (Scope("est"), False),
        (Scope("x.a.test"), False),
        (Scope("a.test", "/d/e/"), True),
        (Scope("a.test", "/"), True),
        (Scope("a.test", "/f/"), False),
        (Scope("a.test:81"), False),
    ],
)
def test_scopes_elsewhere_are_ruled_out(scope: Scope, held: bool) -> None:
    assert may_hold([Host("a.test", "/d/")], scope) == held


def test_a_host_or_path_too_long_for_the_wire_is_said_less_precisely() -> None:
    assert joined_hosts([Host("a" * 400)]) == (ANYWHERE,)
    assert joined_hosts([Host("a.test", "/" + "b" * 3000 + "/")]) == (Host("a.test", "/"),)
