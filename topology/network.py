"""What an operator says about a network: ``network.toml`` read into frozen settings, checked once, here.

Unknown keys are refused with the nearest known one named; every message begins with the file and the key's path.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hypursuit.crawl.addresses import AddressPolicy, Resolve, parse_network
from hypursuit.crawl.scope import Site
from hypursuit.errors import BadSetting
from routers.crawl_settings import CrawlLimits, CrawlSettings, Politeness
from topology.dns_tree import dns_tree
from topology.hierarchy import Hierarchy, read_hierarchies
from topology.network_file import BudgetTable, NetworkFile
from topology.toml_tables import at, nearest, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hypursuit.crawl.addresses import Network as IpNetwork
    from topology.network_file import CrawlKeys, SiteTable
    from topology.shape import RouterName, Topology

Processes = int | Literal["each"]


@dataclass(frozen=True, slots=True)
class Listen:
    """Where a router, or all of them, wait for requests."""

    host: str = "127.0.0.1"
    port: int = 8080
    """0 for any free one."""

    @classmethod
    def parse(cls, text: str) -> Listen:
        """Read ``HOST:PORT`` or ``HOST``; IPv6 addresses in brackets."""
        host, colon, port = text.strip().rpartition(":")
        if not colon or text.strip().endswith("]"):
            host, port = text.strip(), str(cls().port)
        named = host and not host.isdigit() and (host[0] == "[" or ":" not in host)
        if not (named and port.isascii() and port.isdigit() and int(port) < 65536):
            raise BadSetting(f"{text!r} is not HOST:PORT such as 127.0.0.1:8080")
        return cls(host.strip("[]"), int(port))

    @property
    def url(self) -> str:
        """The address as a URL; where every address is listened at, that of this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104  read, not bound
        return f"http://{_bracketed(host)}:{self.port}/"

    def __str__(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class NetworkSite:
    """A site of the network and how it is crawled."""

    site: Site
    settings: CrawlSettings


@dataclass(frozen=True, slots=True)
class Network:
    """Everything about a network that an operator can say; :class:`NetworkFile` explains each part."""

    sites: tuple[NetworkSite, ...]
    name: str = "network"
    listen: Listen = field(default_factory=Listen)
    store: Path = Path("stores")
    """Folder of stores, indexes and labels."""
    processes: Processes = 1
    budgets: BudgetTable = field(default_factory=BudgetTable)
    addresses: tuple[tuple[RouterName, Listen], ...] = ()
    """Where single routers listen, with a process for each."""
    hierarchies: tuple[Hierarchy, ...] = ()
    """Besides DNS."""

    def topology(self) -> Topology:
        """The DNS-shaped tree over its sites."""
        return dns_tree(entry.site for entry in self.sites)


def read_network(path: Path) -> Network:
    """Read a network's file; folders in it are relative to the file.

    Raises:
        BadSetting: the file cannot be read, or something in it makes no sense.
    """
    tables = read_toml(path, NetworkFile)
    with at(str(path)):
        return _network(tables, path.parent)


def network_of(
    urls: Iterable[str], store: Path, *, resolves: Iterable[str] = (), max_pages: int | None = None
) -> Network:
    """A network of some sites, everything else as usual."""
    limits = CrawlLimits(pages=max_pages)
    settings = CrawlSettings(limits, addresses=AddressPolicy(tuple(map(Resolve.parse, resolves))))
    sites = tuple(NetworkSite(site, settings) for site in dict.fromkeys(map(Site.of, urls)))
    network = Network(sites, store=store)
    network.topology()  # refuses the same site under two addresses
    return network


def with_options(
    network: Network, *, listen: str | None, store: Path | None, resolves: Iterable[str], max_pages: int | None
) -> Network:
    """A network with what the command line says on top of its file."""
    bound = tuple(map(Resolve.parse, resolves))

    def changed(entry: NetworkSite) -> NetworkSite:
        settings = entry.settings
        limits = settings.limits if max_pages is None else replace(settings.limits, pages=max_pages)
        addresses = replace(settings.addresses, resolves=(*bound, *settings.addresses.resolves))
        return replace(entry, settings=replace(settings, limits=limits, addresses=addresses))

    return replace(
        network,
        sites=tuple(map(changed, network.sites)),
        listen=network.listen if listen is None else Listen.parse(listen),
        store=store or network.store,
    )


def _network(tables: NetworkFile, folder: Path) -> Network:
    general = tables.network
    sites = tuple(_sites(tables))
    with at("site"):
        topology = dns_tree(entry.site for entry in sites)
    with at("network.listen"):
        listen = Listen.parse(general.listen)
    return Network(
        sites,
        general.name,
        listen,
        folder / general.store,
        general.processes,
        tables.budget,
        tuple(_addresses(tables, topology)),
        read_hierarchies(tables.hierarchy, topology),
    )


def _sites(tables: NetworkFile) -> Iterator[NetworkSite]:
    with at("network.allow_addresses"):
        networks = tuple(map(parse_network, tables.network.allow_addresses))
    for place, table in enumerate(tables.site):
        with at(f"site[{place}]"):
            yield site_of(table, tables.network, networks)


def site_of(table: SiteTable, defaults: CrawlKeys, networks: tuple[IpNetwork, ...] = ()) -> NetworkSite:
    """A site as a file describes it; ``defaults`` are for what it does not say."""
    with at("url"):
        site = Site.of(table.url, table.below)
    with at("resolve"):
        resolves = () if table.resolve is None else (_resolve(site, table.resolve),)
    return NetworkSite(site, _crawl(table, defaults, AddressPolicy(resolves, networks)))


def _crawl(table: SiteTable, defaults: CrawlKeys, addresses: AddressPolicy) -> CrawlSettings:
    def wanted(key: str) -> Any:
        own = getattr(table, key)
        return getattr(defaults, key) if own is None else own

    return CrawlSettings(
        limits=CrawlLimits(wanted("max_pages"), wanted("max_depth"), wanted("max_bytes"), wanted("max_seconds")),
        politeness=Politeness(delay=wanted("delay"), concurrency=wanted("concurrency")),
        addresses=addresses,
    )


def _resolve(site: Site, address: str) -> Resolve:
    """The site's own host and port, bound to ADDRESS or ADDRESS:PORT."""
    return Resolve.parse(f"{_bracketed(site.host)}:{site.connect_port(site.root)}:{address}")


def _addresses(tables: NetworkFile, topology: Topology) -> Iterator[tuple[RouterName, Listen]]:
    if tables.router and tables.network.processes != "each":
        raise BadSetting('router: addresses of single routers need processes = "each" in [network]')
    seen: set[RouterName] = set()
    for place, table in enumerate(tables.router):
        with at(f"router[{place}].name"):
            if table.name not in topology:
                known = (router.name for router in topology.routers)
                raise BadSetting(f"there is no router {table.name!r} in this tree; {nearest(table.name, known)}")
            if table.name in seen:
                raise BadSetting(f"{table.name!r} has an address already")
        seen.add(table.name)
        with at(f"router[{place}].listen"):
            yield table.name, Listen.parse(table.listen)
