"""A network brought up: sites crawled, leaves prepared, routers started, labels pushed up to the root."""

from __future__ import annotations

import asyncio
import logging
import shutil
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import networkx as nx

from hypursuit.errors import CrawlFailed, HyPursuitError, TreeFailed
from routers.crawl_report import CrawlProgress, SilentProgress
from topology.doors import Doors, bound_to
from topology.gather import gather_sites
from topology.placement import placements
from topology.prepare import PrepareProgress, prepare_leaves
from topology.serving import serve_until, serving
from topology.tree_plan import Addresses, served_routers
from topology.workers import Worker

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from routers.router import Router
    from topology.gather import Gathered
    from topology.network import Network
    from topology.placement import Placement
    from topology.prepare import Prepared
    from topology.serving import ServedRouter
    from topology.shape import RouterName, Topology

_log = logging.getLogger(__name__)

_GLANCE = 0.05
_PATIENCE = 120.0
"""Seconds without a new label at the root after which a tree that is not complete is given up."""
_WORKERS_AT_ONCE = 8
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class LaunchProgress(CrawlProgress, PrepareProgress, Protocol):
    """Is told how a tree comes up."""


class SilentLaunch(SilentProgress):
    """A launch that nobody watches."""

    def preparing(self, total: int) -> None:
        """Say nothing."""

    def prepared(self, leaf: Prepared) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class RunningTree:
    """A tree of routers that answers; it is stopped by leaving the block that brought it up."""

    network: Network
    topology: Topology
    """Without the sites that failed."""
    urls: Mapping[RouterName, str]
    pages: Mapping[RouterName, int]
    """Leaf → pages it can find."""
    gathered: Sequence[Gathered]
    """What was crawled, and what was there already."""
    prepared: Sequence[Prepared]
    left_out: Mapping[RouterName, HyPursuitError]
    """Sites that have no place in the tree, and why."""
    workers: Sequence[Worker] = field(default=())
    """Processes besides this one."""

    @property
    def url(self) -> str:
        """Of the root."""
        return self.urls[self.topology.root.name]


@asynccontextmanager
async def running_tree(
    network: Network, progress: LaunchProgress | None = None, *, renew: bool = False, revive: bool = True
) -> AsyncIterator[RunningTree]:
    """Bring up the DNS-shaped tree of a network, and stop it when the block ends.

    Whatever is there already is used as it is: stores, indexes, labels. A site that fails is left out and named.

    Args:
        network: its sites and settings.
        progress: is told how it gets on.
        renew: ask sites that were crawled before for what has changed.
        revive: start processes again that die.

    Raises:
        TreeFailed: no site has pages, or a router does not start.
        BadSetting: an address cannot be listened at.
    """
    progress = progress or SilentLaunch()
    async with AsyncExitStack() as stack:
        doors = stack.enter_context(Doors(network.store / "routers"))
        # Before the crawl: that the port is taken should not be learnt an hour later.
        door = doors.bind(network.listen)
        network = replace(network, listen=bound_to(door, network.listen))
        plan = await _planned(network, doors, progress, renew=renew)
        workers = await _start_workers(stack, plan, revive=revive)
        routers = await stack.enter_async_context(serving(plan.served_by(plan.placed[0]), door))
        await _until_complete(routers[plan.topology.root.name], plan.pages)
        yield RunningTree(
            network, plan.topology, plan.urls, plan.pages, plan.gathered, plan.prepared, plan.left_out, workers
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """A tree whose leaves are prepared and whose addresses are taken, before it runs."""

    topology: Topology
    specs: Mapping[RouterName, ServedRouter]
    placed: Sequence[Placement]
    """Processes; the first is this one."""
    doors: Sequence[socket.socket]
    """Of the others, in order."""
    gathered: Sequence[Gathered]
    prepared: Sequence[Prepared]
    left_out: Mapping[RouterName, HyPursuitError]

    @property
    def urls(self) -> dict[RouterName, str]:
        return {name: spec.url for name, spec in self.specs.items()}

    @property
    def pages(self) -> dict[RouterName, int]:
        return {leaf.name: leaf.pages for leaf in self.prepared if leaf.name in self.topology}

    def served_by(self, placement: Placement) -> tuple[ServedRouter, ...]:
        return tuple(self.specs[name] for name in placement.routers if name in self.specs)


async def _planned(network: Network, doors: Doors, progress: LaunchProgress, *, renew: bool) -> _Plan:
    whole = network.topology()
    gathered = await gather_sites(network, progress, renew=renew)
    left_out = _without_pages(whole, gathered)
    topology = _rest(whole, left_out)
    here, *others = placements(topology, network)
    bound = await asyncio.to_thread(doors.bind_all, others)
    placed = [here, *(placement for placement, _ in bound)]
    addresses = Addresses.of(placed)
    specs = served_routers(topology, network, addresses)
    prepared = await prepare_leaves([specs[leaf.name] for leaf in topology.leaves], progress)
    left_out |= {leaf.name: leaf.failure for leaf in prepared if leaf.failure is not None}
    topology = _rest(whole, left_out)
    specs = served_routers(topology, network, addresses)
    await asyncio.to_thread(_forget_labels, topology, specs, [leaf.name for leaf in prepared if leaf.made])
    return _Plan(topology, specs, placed, [door for _, door in bound], gathered, prepared, left_out)


def _without_pages(topology: Topology, gathered: Iterable[Gathered]) -> dict[RouterName, HyPursuitError]:
    names = {leaf.site: leaf.name for leaf in topology.leaves}
    nothing = CrawlFailed("it has no page to index")
    return {names[found.site]: found.failure or nothing for found in gathered if not found.pages}


def _rest(topology: Topology, left_out: Mapping[RouterName, HyPursuitError]) -> Topology:
    rest = topology.without(set(left_out))
    if not rest.leaves:
        first = next(iter(left_out.values()), "none was given")
        raise TreeFailed(f"there is no tree without sites, and none can be used; the first: {first}")
    return rest


def _forget_labels(topology: Topology, specs: Mapping[RouterName, ServedRouter], changed: Iterable[RouterName]) -> None:
    """Drop what routers remember of leaves that have changed: until they are told anew, they are not to answer."""
    above = {name for leaf in changed if leaf in topology for name in nx.ancestors(topology.graph, leaf)}
    for name in above:
        shutil.rmtree(specs[name].folder, ignore_errors=True)


async def _start_workers(stack: AsyncExitStack, plan: _Plan, *, revive: bool) -> list[Worker]:
    workers: list[Worker] = []
    places = asyncio.Semaphore(_WORKERS_AT_ONCE)

    async def start(worker: Worker, door: socket.socket) -> None:
        async with places:
            await worker.start(door)

    async def stop_all() -> None:
        await asyncio.gather(*(worker.stop() for worker in workers))

    stack.push_async_callback(stop_all)
    try:
        async with asyncio.TaskGroup() as group:
            for placement, door in zip(plan.placed[1:], plan.doors, strict=True):
                if routers := plan.served_by(placement):
                    name = routers[0].name if len(routers) == 1 else f"{len(routers)} routers at {placement.listen}"
                    workers.append(Worker(name, partial(serve_until, routers), placement.listen))
                    group.create_task(start(workers[-1], door))
    except* HyPursuitError as failures:
        raise failures.exceptions[0] from None
    if revive:
        keepers = [asyncio.create_task(_keep_alive(worker)) for worker in workers]
        stack.push_async_callback(_cancelled, keepers)
    return workers


async def _cancelled(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_alive(worker: Worker) -> None:
    """Start a process again whenever it dies, the sooner the longer it lived."""
    pause = _FIRST_PAUSE
    clock = asyncio.get_running_loop().time
    while True:
        started = clock()
        if not await worker.ended():
            return
        pause = _FIRST_PAUSE if clock() - started > _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
        _log.warning("%s died; it is started again", worker.name)
        await asyncio.sleep(pause)
        try:
            await worker.start()
        except HyPursuitError as error:
            _log.warning("%s", error)


async def _until_complete(root: Router, pages: Mapping[RouterName, int]) -> None:
    """Wait until the root has the labels of all leaves, as they are now."""
    clock = asyncio.get_running_loop().time
    wanted, known, since = (len(pages), sum(pages.values())), (0, 0), clock()
    while True:
        health = root.health()
        if health.ready and (health.leaves, health.pages) == wanted:
            return
        if (health.leaves, health.pages) != known:
            known, since = (health.leaves, health.pages), clock()
        if clock() - since > _PATIENCE:
            waiting = ", ".join(health.waiting_for) or "routers below"
            raise TreeFailed(f"the root has labels of {known[0]} of {wanted[0]} sites; it waits for {waiting}")
        await asyncio.sleep(_GLANCE)
