"""Which hosts, and which paths of theirs, lie below a router. A list of hosts may say too much, never too little."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from hypursuit.label.parts import LONGEST_ADDRESS, LONGEST_TEXT, Host

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANYWHERE = Host(".")


def hosts_of(urls: Iterable[str]) -> tuple[Host, ...]:
    """The hosts of pages, each with the folder that all its pages are below."""
    folders: dict[str, str] = {}
    for url in urls:
        split = urlsplit(url)
        host = split.netloc.rpartition("@")[2]
        folder = split.path.rpartition("/")[0] + "/"
        folders[host] = _common(folders[host], folder) if host in folders else folder
    return joined_hosts(Host(host, path) for host, path in folders.items())


def joined_hosts(hosts: Iterable[Host]) -> tuple[Host, ...]:
    """Each host once, with the folder that everything said about it is below; sorted."""
    folders: dict[str, str] = {}
    for known in hosts:
        host, path = _acceptable(known)
        folders[host] = _common(folders[host], path) if host in folders else path
    return tuple(Host(host, folders[host]) for host in sorted(folders))


def coarser(hosts: Sequence[Host]) -> tuple[Host, ...]:
    """Fewer or shorter entries that cover the same: without paths, then by their domains, at last one for anything."""
    if any(known.path != "/" for known in hosts):
        return joined_hosts(Host(known.host) for known in hosts)
    longest = max((known.host.strip(".").count(".") for known in hosts), default=0)
    return joined_hosts(
        Host("." + _parent(known.host)) if known.host.strip(".").count(".") == longest else known for known in hosts
    )


class Place(Protocol):
    """A host, or a domain with all hosts below it, and a path that pages are to be under."""

    @property
    def host(self) -> str: ...  # noqa: D102

    @property
    def path(self) -> str: ...  # noqa: D102


def may_hold(hosts: Iterable[Host], place: Place) -> bool:
    """Whether pages of the place may be on one of the hosts."""
    wanted = place.host.lower()
    return any(_meets(known.host, wanted) and _paths_meet(known.path, place.path) for known in hosts)


def _meets(known: str, wanted: str) -> bool:
    if known.startswith("."):
        domain, name = known[1:], _without_port(wanted)
        return not domain or name == domain or name.endswith(known) or domain.endswith("." + name)
    name = known if _without_port(wanted) != wanted else _without_port(known)
    return name == wanted or name.endswith("." + wanted)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _paths_meet(known: str, wanted: str) -> bool:
    return known.startswith(wanted) or wanted.startswith(known)


def _parent(host: str) -> str:
    """The domain one step up; nothing above a top-level domain, an address or a name with a port."""
    name = host.strip(".")
    return name.partition(".")[2] if _without_port(name).rpartition(".")[2].isalpha() and ":" not in name else ""


def _common(left: str, right: str) -> str:
    """The deepest folder that holds both folders."""
    steps = zip(left.split("/")[:-1], right.split("/")[:-1], strict=False)
    return "/".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], steps)) + "/"


def _acceptable(known: Host) -> tuple[str, str]:
    """What fits the wire: what is too long is said less precisely."""
    host = known.host.lower() if len(known.host) <= LONGEST_TEXT else ANYWHERE.host
    encodable = known.path.isascii() or known.path.encode("utf-8", "replace").decode() == known.path
    return host, known.path if len(known.path) <= LONGEST_ADDRESS and encodable else "/"
