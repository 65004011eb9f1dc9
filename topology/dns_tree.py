"""From the addresses of sites to a tree of routers shaped like DNS.

``http://www.psrg.lcs.mit.edu/`` stands below ``lcs.mit.edu``, ``mit.edu`` and ``edu`` [W96 "network"], as far as these
have something else below them: a router with one child would only cost a hop. Ports and paths go on where names end,
so that several sites of one host come together below it.
"""

from __future__ import annotations

import re
from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

import networkx as nx
from publicsuffixlist import PublicSuffixList

from hypursuit.errors import BadSetting
from topology.shape import ROOT, RouterName, Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hypursuit.crawl.scope import Site


def dns_tree(sites: Iterable[Site]) -> Topology:
    """The tree over some sites: one leaf each, a root over everything, no other router with a single child.

    Depends on the set of sites only, not on their order. The public suffix is one level: below ``co.uk`` domains are
    registered, below ``uk`` and ``co`` nothing is won. Where a site shares its address with a router above others
    (``python.org`` beside ``docs.python.org``), the leaf's name has a final slash.

    Raises:
        BadSetting: two of the sites are the same one.
    """
    owners = _owners(sites)
    graph: nx.DiGraph[RouterName] = nx.DiGraph()
    graph.add_node(ROOT)
    for site in owners.values():
        nx.add_path(graph, [ROOT, *levels(site)])
    for name in [name for name in owners if graph.succ[name]]:
        graph.add_edge(name, f"{name}/")
        owners[f"{name}/"] = owners.pop(name)
    _collapse_chains(graph, keep=owners)
    return Topology.of(graph, owners)


def levels(site: Site) -> list[RouterName]:
    """Names from the top of the tree down to a site, the root left out: suffix, domains, host, port, path."""
    host = f"[{site.host}]" if ":" in site.host else site.host
    address = host if site.port is None else f"{host}:{site.port}"
    whole = address + site.prefix
    # Doubled slashes are part of the segment after them, so that every level has another name.
    ends = (end.start() for end in re.finditer(r"(?<!/)/", whole))
    return [*dict.fromkeys([*_domains(site.host, host), address, *(whole[:end] for end in ends), whole])]


def nests(child: RouterName, parent: RouterName) -> bool:
    """Whether a name lies below another: in DNS, or on the same host by port or path."""
    if parent == ROOT or child.startswith((f"{parent}:", f"{parent}/")):
        return child != parent
    host = child if child.startswith("[") else re.split(r"[:/]", child, maxsplit=1)[0]
    return host.endswith(f".{parent}")


def _owners(sites: Iterable[Site]) -> dict[RouterName, Site]:
    owners: dict[RouterName, Site] = {}
    for site in sites:
        name = levels(site)[-1]
        if name in owners:
            raise BadSetting(f"{owners[name].root} and {site.root} are the same site; name it once")
        owners[name] = site
    return dict(sorted(owners.items()))


def _domains(host: str, shown: str) -> Iterator[RouterName]:
    """A host and the domains that it lies in, its public suffix first; an IP address lies in none."""
    if not _is_address(host):
        suffix = _suffixes().publicsuffix(host) or host
        inner = host.removesuffix(suffix).rstrip(".")
        yield suffix
        labels = inner.split(".") if inner else []
        for start in range(len(labels) - 1, 0, -1):
            yield ".".join((*labels[start:], suffix))
    yield shown


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _suffixes() -> PublicSuffixList:
    """The list inside the package; reading it takes a moment. Names of no known TLD have their last label as suffix."""
    return PublicSuffixList(accept_unknown=True)


def _collapse_chains(graph: nx.DiGraph[RouterName], keep: Iterable[RouterName]) -> None:
    """Take out routers with one child, lowest first; of the root and its only child the root stays."""
    sites = set(keep)
    for name in list(nx.topological_sort(graph.reverse(copy=True))):
        if name in sites or name == ROOT or len(graph.succ[name]) > 1:
            continue
        graph.add_edges_from([(parent, child) for parent in graph.pred[name] for child in graph.succ[name]])
        graph.remove_node(name)
    only = [*graph.succ[ROOT]]
    if len(only) == 1 and only[0] not in sites:
        graph.add_edges_from([(ROOT, child) for child in graph.succ[only[0]]])
        graph.remove_node(only[0])
