"""Work in other processes: its results, its errors, and what is left when it is cut short."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from topology.cpu_pool import CpuPool


def running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def gone(pid: int) -> bool:
    """Whether a process goes within a generous time."""
    for _ in range(1000):
        if not running(pid):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_functions_run_in_other_processes() -> None:
    async with CpuPool(2) as pool:
        results = await asyncio.gather(*(pool.run(pow, 2, n) for n in range(5)))
        pid = await pool.run(os.getpid)

    assert results == [1, 2, 4, 8, 16]
    assert pid != os.getpid()
    assert await gone(pid)


async def test_errors_come_back() -> None:
    async with CpuPool(1) as pool:
        with pytest.raises(ZeroDivisionError):
            await pool.run(divmod, 1, 0)
        assert await pool.run(divmod, 7, 2) == (3, 1)


async def test_work_that_kills_its_process_costs_only_itself() -> None:
    """Of three kinds of work under way one is fatal; the others are done again by themselves."""
    async with CpuPool(2) as pool:
        fatal = asyncio.ensure_future(pool.run(os._exit, 3))
        others = await asyncio.gather(*(pool.run(pow, 3, n) for n in range(4)))
        with pytest.raises(BrokenProcessPool):
            await fatal

    assert others == [1, 3, 9, 27]


async def test_leaving_does_not_wait_for_work_under_way() -> None:
    async with CpuPool(1) as pool:
        pid = await pool.run(os.getpid)
        asleep = asyncio.ensure_future(pool.run(time.sleep, 600))
        await asyncio.sleep(0.05)

    assert await gone(pid)
    with pytest.raises((BrokenProcessPool, asyncio.CancelledError)):
        await asleep


PARENT = """
import asyncio, os, time
from topology.cpu_pool import CpuPool

async def main():
    async with CpuPool(1) as pool:
        print(await pool.run(os.getpid), flush=True)
        await pool.run(time.sleep, 600)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """Even if that is killed and can do nothing about it."""
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert running(child)
        os.kill(parent.pid, signal.SIGKILL)

        assert asyncio.run(gone(child))
