"""Routers made from what is known about them and served: the same for a whole tree, a worker of it and one alone."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypursuit.errors import HyPursuitError, LabelRefused, RouterUnavailable
from routers import connections
from routers.child import Child, ChildSpec
from routers.client import RouterClient, make_session
from routers.http_api import make_app
from routers.interior_router import InteriorRouter
from routers.label_push import LabelPush
from routers.leaf_files import prepare_leaf
from routers.leaf_router import LeafRouter

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    import aiohttp

    from hypursuit.label.budget import LabelBudget
    from hypursuit.query.answer import Answer, LabelReceipt, SearchRequest
    from routers.router import Router
    from topology.shape import RouterName


@dataclass(frozen=True, slots=True)
class ParentSpec:
    """A router above, and what it knows this one by."""

    url: str
    token: str
    budget: LabelBudget | None = None
    """Where it accepts less than others."""


@dataclass(frozen=True, slots=True)
class ServedRouter:
    """Everything that the process which runs a router has to know about it."""

    name: RouterName
    url: str
    """Where it answers, for others."""
    path: str
    """Where it is mounted in its process; "" is the top."""
    budget: LabelBudget
    folder: Path
    """Where a router above others keeps labels."""
    store: Path | None = None
    """A leaf's store, crawled; None for a router above others."""
    children: tuple[ChildSpec, ...] = ()
    parents: tuple[ParentSpec, ...] = ()


@asynccontextmanager
async def serving(specs: Sequence[ServedRouter], bound: socket.socket) -> AsyncIterator[dict[RouterName, Router]]:
    """Serve routers on a bound socket while the block runs; routers of the same process talk without HTTP."""
    async with make_session() as session:
        routers = await _build(specs, session)
        app = make_app({spec.path: routers[spec.name] for spec in specs})
        async with connections.serving(app, bound=bound):
            yield routers


async def serve_until(
    specs: Sequence[ServedRouter], bound: socket.socket, stop: asyncio.Event, ready: Callable[[], None]
) -> None:
    """Serve routers until an event is set, and say when they answer."""
    async with serving(specs, bound):
        ready()
        await stop.wait()


class _Neighbour:
    """A router of this process, asked and told as if it were far away."""

    def __init__(self, name: RouterName, routers: dict[RouterName, Router]) -> None:
        self.name = name
        self._routers = routers

    async def search(self, request: SearchRequest, seconds: float | None = None) -> Answer:  # noqa: ARG002  as clients do
        return await self._routers[self.name].search(request)

    async def push_label(
        self,
        child: str,
        encoded: bytes,
        token: str,
        *,
        replaces: str = "",
        seconds: float = 10.0,  # noqa: ARG002
    ) -> LabelReceipt:
        try:
            return await self._routers[self.name].accept_label(child, token, encoded, replaces)
        except LabelRefused:
            raise
        except HyPursuitError as error:  # as it would look from far away: worth another attempt
            raise RouterUnavailable(self.name, f"could not take a label: {error}") from error


async def _build(specs: Sequence[ServedRouter], session: aiohttp.ClientSession) -> dict[RouterName, Router]:
    routers: dict[RouterName, Router] = {}
    names = {spec.url: spec.name for spec in specs}

    def reach(url: str) -> RouterClient | _Neighbour:
        return _Neighbour(names[url], routers) if url in names else RouterClient(url, session)

    for spec in specs:
        pushes = [LabelPush(reach(parent.url), parent.token, parent.budget) for parent in spec.parents]
        if spec.store is not None:
            contents = await asyncio.to_thread(prepare_leaf, spec.name, spec.url, spec.store, spec.budget)
            routers[spec.name] = LeafRouter(contents, pushes=pushes)
        else:
            children = [Child(child, reach(child.url)) for child in spec.children]
            routers[spec.name] = InteriorRouter(
                spec.name, spec.url, children, spec.folder, budget=spec.budget, pushes=pushes
            )
    return routers
