"""Which router answers where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topology.network import Listen, Network, network_of
from topology.placement import placements, slug

NETWORK = network_of(["a.x.org", "b.x.org", "c.net", "d.net", "d.net:81"], Path("s"))
NAMES = {router.name for router in NETWORK.topology().routers}


def placed(network: Network) -> list[tuple[str, ...]]:
    return [placement.routers for placement in placements(network.topology(), network)]


def test_one_process_has_all_routers_the_root_at_the_top() -> None:
    [placement] = placements(NETWORK.topology(), NETWORK)
    paths = placement.paths()

    assert placement.listen == NETWORK.listen
    assert set(paths) == NAMES
    assert (paths["."], paths["x.org"]) == ("", "/at/x.org")
    assert len(set(paths.values())) == len(NAMES)


def test_workers_share_the_leaves() -> None:
    first, *workers = placements(NETWORK.topology(), replace(NETWORK, processes=2))

    assert set(first.routers) == {".", "x.org", "net", "d.net"}
    assert [len(worker.routers) for worker in workers] == [3, 2]
    assert all(worker.listen == Listen("127.0.0.1", 0) for worker in workers)
    assert {name for worker in workers for name in worker.routers} == NAMES - set(first.routers)


def test_there_are_no_workers_without_leaves() -> None:
    assert len(placed(replace(NETWORK, processes=64))) == 1 + 5


def test_a_process_for_each_router_at_the_address_given() -> None:
    network = replace(NETWORK, processes="each", addresses=(("net", Listen("127.0.0.2", 9000)),))
    found = {placement.routers: placement.listen for placement in placements(network.topology(), network)}

    assert set(found) == {(name,) for name in NAMES}
    assert found[(".",)] == NETWORK.listen
    assert found[("net",)] == Listen("127.0.0.2", 9000)
    assert found[("x.org",)].port == 0


@pytest.mark.parametrize("name", ["mit.edu", "a-b.org"])
def test_plain_names_stay_as_they_are(name: str) -> None:
    assert slug(name) == name


@given(st.lists(st.text(min_size=1), unique=True, max_size=20))
def test_slugs_are_safe_and_differ(names: list[str]) -> None:
    slugs = [slug(name) for name in names]

    assert len(set(slugs)) == len(names)
    assert all(set(made) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") for made in slugs)
    assert not any(made.startswith(".") for made in slugs)
