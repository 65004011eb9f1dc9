"""Stores into indexes, clusters and labels, several at once; what is there already is kept."""

from __future__ import annotations

import asyncio
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hypursuit.errors import HyPursuitError, StoreUnusable
from routers.leaf_files import SUFFIX, prepare_leaf
from topology.cpu_pool import CpuPool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from topology.serving import ServedRouter
    from topology.shape import RouterName


@dataclass(frozen=True, slots=True)
class Prepared:
    """A leaf that can be served from its files, or why it cannot."""

    name: RouterName
    pages: int = 0
    made: bool = False
    """Whether there was something to make."""
    failure: HyPursuitError | None = None


class PrepareProgress(Protocol):
    """Is told how far leaves are."""

    def preparing(self, total: int) -> None:
        """So many leaves are looked at."""

    def prepared(self, leaf: Prepared) -> None:
        """One of them is done."""


async def prepare_leaves(leaves: Sequence[ServedRouter], progress: PrepareProgress) -> list[Prepared]:
    """Make what leaves serve from, on all cores; a leaf that fails costs only itself."""
    progress.preparing(len(leaves))

    async def one(pool: CpuPool, leaf: ServedRouter) -> Prepared:
        try:
            made = await pool.run(_prepare, leaf)
        except HyPursuitError as failure:
            made = Prepared(leaf.name, failure=failure)
        except BrokenProcessPool:
            trouble = StoreUnusable(f"the process that indexed {leaf.store} died; has the machine enough memory?")
            made = Prepared(leaf.name, failure=trouble)
        progress.prepared(made)
        return made

    async with CpuPool() as pool, asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(pool, leaf)) for leaf in leaves]
    return [task.result() for task in tasks]


def _prepare(leaf: ServedRouter) -> Prepared:
    assert leaf.store is not None  # noqa: S101  only leaves come here
    before = _stamp(leaf.store)
    contents = prepare_leaf(leaf.name, leaf.url, leaf.store, leaf.budget)
    return Prepared(leaf.name, contents.label.pages, made=_stamp(leaf.store) != before)


def _stamp(store: Path) -> int:
    """Changes when the leaf's files are written."""
    kept = store.with_suffix(SUFFIX)
    return kept.stat().st_mtime_ns if kept.exists() else 0
