"""Which hosts a child speaks for: checked against its labels and against every URL it answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hypursuit.label.parts import Host

if TYPE_CHECKING:
    from collections.abc import Iterable

ANYWHERE = Host(".")


class Grant:
    """Hosts with paths; a host that starts with a dot stands for all below that domain and the domain itself."""

    def __init__(self, hosts: Iterable[Host]) -> None:
        self.hosts = tuple(hosts)
        self._exact: dict[str, list[str]] = {}
        self._domains: list[Host] = []
        for known in self.hosts:
            if known.host.startswith("."):
                self._domains.append(known)
            else:
                self._exact.setdefault(known.host.lower(), []).append(known.path)

    def covers(self, url: str) -> bool:
        """Whether a page may be shown on the child's word."""
        split = urlsplit(url)
        if split.scheme not in ("http", "https") or not split.netloc:
            return False
        return self._covers(split.netloc.lower(), split.path or "/")

    def foreign(self, claimed: Iterable[Host]) -> Host | None:
        """The first host of a label that is none of the granted; labels of small budgets may name their domains."""
        for known in claimed:
            if known.host.startswith("."):
                if not any(_is_below(granted.host, known.host) for granted in self.hosts):
                    return known
            elif not self._covers(known.host.lower(), known.path):
                return known
        return None

    def _covers(self, host: str, path: str) -> bool:
        if any(_is_in(path, folder) for folder in self._exact.get(host, ())):
            return True
        return any(_is_below(host, known.host) and _is_in(path, known.path) for known in self._domains)


def _is_in(path: str, folder: str) -> bool:
    return folder == "/" or path == folder.rstrip("/") or path.startswith(folder if folder[-1] == "/" else folder + "/")


def _is_below(host: str, domain: str) -> bool:
    """Whether a host, or all that a domain stands for, is in a domain with a leading dot."""
    if domain == ".":
        return True
    name = host if host.startswith(".") else host.rpartition(":")[0] or host
    return name == domain or name == domain[1:] or name.endswith(domain)
