"""Which router answers where: in which process, at which address, below which path. No I/O."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topology.network import Listen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topology.network import Network
    from topology.shape import RouterName, Topology

MOUNTED = "/at/"
"""Path that routers are mounted below, all but the first of a process."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A process: the address it listens at and the routers it runs. The first of them answers at ``/``."""

    listen: Listen
    routers: tuple[RouterName, ...]

    def paths(self) -> dict[RouterName, str]:
        """Where each router is mounted, without a final slash."""
        first, *others = self.routers
        return {first: ""} | {name: MOUNTED + slug(name) for name in others}


def placements(topology: Topology, network: Network) -> tuple[Placement, ...]:
    """How the routers are spread over processes; the first one has the root."""
    root = topology.root.name
    if network.processes == 1:
        others = tuple(router.name for router in topology.routers if router.name != root)
        return (Placement(network.listen, (root, *others)),)
    free = Listen(network.listen.host, 0)
    if network.processes == "each":
        given = {root: network.listen} | dict(network.addresses)
        names = (root, *(router.name for router in topology.routers if router.name != root))
        return tuple(Placement(given.get(name, free), (name,)) for name in names)
    above = tuple(router.name for router in topology.interior if router.name != root)
    return (Placement(network.listen, (root, *above)), *_shares(topology, network.processes, free))


def _shares(topology: Topology, processes: int, free: Listen) -> Iterator[Placement]:
    leaves = [leaf.name for leaf in topology.leaves]
    for start in range(min(processes, len(leaves))):
        # Every so many-th: neighbours in the tree are often asked together, so they are not to share a process.
        yield Placement(free, tuple(leaves[start::processes]))


def slug(name: RouterName) -> str:
    """A router's name as one segment of a path and as a file name; different names give different ones."""
    if re.fullmatch(r"[a-z0-9-][a-z0-9.-]*", name):
        return name
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._-")[:100]
    return f"{safe}-{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}".lstrip("-")
