"""From host names to a tree: tables of what is expected, and what holds for every list of sites."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypursuit.crawl.scope import Site
from hypursuit.errors import BadSetting
from topology.dns_tree import dns_tree, levels, nests
from topology.shape import ROOT, RouterSpec, Topology


def tree_of(*urls: str) -> Topology:
    return dns_tree(map(Site.of, urls))


def nested(topology: Topology, name: str = ROOT) -> dict[str, Any]:
    """The tree as nested dictionaries; a leaf is an empty one."""
    return {child: nested(topology, child) for child in topology[name].children}


def leaves(*names: str) -> dict[str, Any]:
    return {name: {} for name in names}


def test_the_tree_of_the_paper() -> None:
    """Four levels, as in Figure 1 of the 1996 paper: edu, mit.edu, lcs.mit.edu, and the sites below."""
    topology = tree_of(
        "www.psrg.lcs.mit.edu", "www.tns.lcs.mit.edu", "web.mit.edu", "www.stanford.edu", "www.inria.fr", "www.acm.org"
    )

    assert nested(topology) == {
        "edu": {
            "mit.edu": {"lcs.mit.edu": leaves("www.psrg.lcs.mit.edu", "www.tns.lcs.mit.edu"), "web.mit.edu": {}},
            "www.stanford.edu": {},
        },
        "www.inria.fr": {},
        "www.acm.org": {},
    }
    assert topology.levels() == 5


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        pytest.param(["docs.python.org"], leaves("docs.python.org"), id="one site"),
        pytest.param(["a.b.org", "c.b.org"], leaves("a.b.org", "c.b.org"), id="the root stands for the only domain"),
        pytest.param(
            ["a.b.c.d.org", "x.net", "y.net"],
            leaves("a.b.c.d.org") | {"net": leaves("x.net", "y.net")},
            id="chains of one child",
        ),
        pytest.param(
            ["bbc.co.uk", "itv.co.uk", "ox.ac.uk"],
            {"co.uk": leaves("bbc.co.uk", "itv.co.uk"), "ox.ac.uk": {}},
            id="a public suffix is one level",
        ),
        pytest.param(
            ["ann.github.io", "bob.github.io", "pkg.io", "dev.io"],
            {"github.io": leaves("ann.github.io", "bob.github.io"), "io": leaves("pkg.io", "dev.io")},
            id="private suffixes are suffixes",
        ),
        pytest.param(
            ["python.org", "docs.python.org", "x.net"],
            {"python.org": leaves("python.org/", "docs.python.org"), "x.net": {}},
            id="a site that is also a domain",
        ),
        pytest.param(
            ["wiki", "localhost", "ci.corp", "git.corp"],
            leaves("wiki", "localhost") | {"corp": leaves("ci.corp", "git.corp")},
            id="local names",
        ),
        pytest.param(
            ["10.0.0.1", "10.0.0.2", "http://[2001:db8::1]/", "x.org"],
            leaves("10.0.0.1", "10.0.0.2", "[2001:db8::1]", "x.org"),
            id="IP addresses have no domains",
        ),
        pytest.param(
            ["10.0.0.1", "10.0.0.1:8080", "http://[::1]:81/", "http://[::1]:82/"],
            {"10.0.0.1": leaves("10.0.0.1/", "10.0.0.1:8080"), "[::1]": leaves("[::1]:81", "[::1]:82")},
            id="ports of addresses",
        ),
        pytest.param(
            ["h.org", "h.org:8080", "h.org:8080/a", "x.net"],
            {"h.org": leaves("h.org/") | {"h.org:8080": leaves("h.org:8080/", "h.org:8080/a")}, "x.net": {}},
            id="ports of a host",
        ),
        pytest.param(
            ["h.org/a/x/", "h.org/a/y/", "h.org/b/", "x.net"],
            {"h.org": {"h.org/a": leaves("h.org/a/x", "h.org/a/y"), "h.org/b": {}}, "x.net": {}},
            id="paths of a host",
        ),
        pytest.param(
            ["h.org/a/", "h.org/a//b/", "x.net"],
            {"h.org/a": leaves("h.org/a/", "h.org/a//b"), "x.net": {}},
            id="doubled slashes",
        ),
        pytest.param(["https://h.org/", "h.org:8443"], leaves("h.org/", "h.org:8443"), id="https"),
        pytest.param(["bücher.example", "x.example"], leaves("xn--bcher-kva.example", "x.example"), id="other scripts"),
    ],
)
def test_shapes(urls: list[str], expected: dict[str, Any]) -> None:
    assert nested(tree_of(*urls)) == expected


def test_hundreds_of_sites_below_one_router_are_fine() -> None:
    topology = tree_of(*(f"s{i}.example.org" for i in range(800)), "x.net")

    assert len(topology["example.org"].children) == 800
    assert topology.levels() == 3


def test_the_same_site_twice_is_refused_with_both_addresses() -> None:
    with pytest.raises(BadSetting, match=r"http://x\.org/ and https://x\.org/ are the same site"):
        tree_of("http://x.org/", "https://x.org/")


labels = st.sampled_from(["a", "b", "www", "x1"])
hosts = st.one_of(
    st.tuples(
        st.lists(labels, max_size=3), st.sampled_from(["org", "co.uk", "uk", "localhost", "corp", "github.io"])
    ).map(lambda parts: ".".join((*parts[0], parts[1]))),
    st.sampled_from(["127.0.0.1", "10.0.0.1", "[::1]", "[2001:db8::2]"]),
)
paths = st.lists(st.sampled_from(["a", "b", "~c", "a/", "x.y/z"]), max_size=3).map(lambda parts: "/".join((*parts, "")))
addresses = st.builds(lambda h, p, path: f"http://{h}{p}/{path}", hosts, st.sampled_from(["", ":81", ":8080"]), paths)
site_lists = st.lists(addresses.map(Site.of), min_size=1, max_size=25, unique_by=lambda site: levels(site)[-1])


@given(site_lists)
def test_every_site_is_exactly_one_leaf(sites: list[Site]) -> None:
    topology = dns_tree(sites)

    assert sorted(leaf.site.root for leaf in topology.leaves if leaf.site) == sorted(site.root for site in sites)
    assert all(len(router.parents) == 1 for router in topology.routers if router.name != ROOT)
    assert [router.name for router in topology.roots] == [ROOT]


@given(site_lists)
def test_names_nest_and_differ(sites: list[Site]) -> None:
    topology = dns_tree(sites)

    assert len({router.name for router in topology.routers}) == len(topology)
    assert all(nests(child, router.name) for router in topology.routers for child in router.children)


@given(site_lists)
def test_no_router_has_a_single_child_but_the_root_over_a_single_site(sites: list[Site]) -> None:
    topology = dns_tree(sites)

    single = [router.name for router in topology.interior if len(router.children) == 1]
    assert single == ([ROOT] if len(sites) == 1 else [])


@given(site_lists, st.randoms())
def test_the_order_of_the_sites_does_not_matter(sites: list[Site], random: Any) -> None:
    mixed = list(sites)
    random.shuffle(mixed)

    assert dns_tree(mixed) == dns_tree(sites)


@given(site_lists)
def test_it_is_a_tree_listed_from_the_top(sites: list[Site]) -> None:
    topology = dns_tree(sites)
    places = {router.name: place for place, router in enumerate(topology.routers)}

    assert nx.is_arborescence(topology.graph)
    assert all(places[router.name] < places[child] for router in topology.routers for child in router.children)


@given(site_lists, st.data())
def test_without_some_leaves_nothing_empty_is_left(sites: list[Site], choice: st.DataObject) -> None:
    topology = dns_tree(sites)
    names = [leaf.name for leaf in topology.leaves]
    left_out = choice.draw(st.sets(st.sampled_from(names)))
    rest = topology.without(left_out)

    assert {leaf.name for leaf in rest.leaves} == set(names) - left_out
    assert all(router.children for router in rest.interior if router.name != ROOT)


def test_a_circle_of_routers_is_refused_with_the_way_around() -> None:
    a, b = RouterSpec("a", children=("b",), parents=("b",)), RouterSpec("b", children=("a",), parents=("a",))

    with pytest.raises(BadSetting, match="in a circle: a → b → a"):
        Topology((a, b))


def test_a_leaf_may_have_several_parents() -> None:
    """Two hierarchies over one leaf: what issue 4 builds on."""
    site = Site.of("x.org")
    topology = Topology(
        (
            RouterSpec("dns", children=("x.org",)),
            RouterSpec("subject", children=("x.org",)),
            RouterSpec("x.org", parents=("dns", "subject"), site=site),
        )
    )

    assert [router.name for router in topology.roots] == ["dns", "subject"]
    assert topology.root.name == "dns"


@pytest.mark.parametrize(
    ("routers", "message"),
    [
        ((RouterSpec("a", children=("b",)), RouterSpec("b")), "a names b as a child"),
        ((RouterSpec("a"), RouterSpec("b", parents=("a",))), "b names a as a parent"),
        ((RouterSpec("a"), RouterSpec("a")), "same name"),
        ((RouterSpec("b", parents=("a",)), RouterSpec("a", children=("b",))), "top down"),
        (
            (RouterSpec("a", children=("b",), site=Site.of("x.org")), RouterSpec("b", parents=("a",))),
            "a has a site, so it cannot have children",
        ),
    ],
)
def test_a_topology_that_contradicts_itself_is_refused(routers: tuple[RouterSpec, ...], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        Topology(routers)


@pytest.mark.parametrize(
    ("child", "parent", "below"),
    [
        ("mit.edu", "edu", True),
        ("mit.edu", ".", True),
        ("summit.edu", "mit.edu", False),
        ("mit.edu/", "mit.edu", True),
        ("mit.edu:80/a", "mit.edu:80", True),
        ("mit.edu/a.edu", "a.edu", False),
        ("mit.edu", "mit.edu", False),
        ("[::1]:80", "[::1]", True),
    ],
)
def test_nesting_of_names(child: str, parent: str, below: bool) -> None:
    assert nests(child, parent) is below
