from __future__ import annotations

import asyncio
from math import inf

import pytest

from hypursuit.errors import Overloaded
from routers.asked import AskedBefore
from routers.gate import Gate, GateSettings


class Work:
    """Something that goes on until it is let go, and knows how many are at it."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.done = gate, asyncio.Event()
        self.order: list[int] = []
        self.running = self.most = 0

    async def do(self, number: int = 0, until: float = inf) -> None:
        """Pass the gate and stay there."""
        async with self.gate.passed(until):
            self.order.append(number)
            self.running += 1
            self.most = max(self.most, self.running)
            await self.done.wait()
            self.running -= 1


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_no_more_than_allowed_run_and_the_rest_waits_its_turn() -> None:
    work = Work(Gate("gate", GateSettings(running=2, waiting=3)))
    tasks = [asyncio.create_task(work.do(number)) for number in range(5)]
    await settle()
    assert (work.running, work.gate.waiting) == (2, 3)

    with pytest.raises(Overloaded):
        await work.do()

    work.done.set()
    await asyncio.gather(*tasks)
    assert (work.order, work.most, work.gate.waiting) == ([0, 1, 2, 3, 4], 2, 0)
    await work.do()


async def test_who_cannot_be_served_in_time_is_told_when_its_time_is_up() -> None:
    work = Work(Gate("gate", GateSettings(running=1, waiting=5)))
    first = asyncio.create_task(work.do())
    await settle()

    with pytest.raises(Overloaded):
        await work.do(until=asyncio.get_running_loop().time() + 0.02)

    work.done.set()
    await first
    assert work.gate.waiting == 0


async def test_who_gives_up_waiting_leaves_no_gap() -> None:
    """Cancelled in the queue, or in the very moment in which its turn came."""
    work = Work(Gate("gate", GateSettings(running=1, waiting=5)))
    first, second, third = (asyncio.create_task(work.do(number)) for number in range(3))
    await settle()
    second.cancel()
    await settle()
    work.done.set()
    await settle()
    third.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)

    async with asyncio.timeout(1):
        await work.do(9)
    assert work.order[-1] == 9
    assert work.running == 0


async def test_an_error_inside_gives_the_turn_back() -> None:
    gate = Gate("gate", GateSettings(running=1, waiting=0))
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            async with gate.passed(inf):
                raise ZeroDivisionError


def test_the_first_asker_may_ask_again_and_nobody_else() -> None:
    asked = AskedBefore()

    assert [asked.by_another("q1", asker, 0.0) for asker in ("a", "a", "b", "a")] == [False, False, True, False]
    assert not asked.by_another("q2", "b", 0.0)


def test_what_was_asked_is_forgotten_after_a_while_and_never_piles_up() -> None:
    asked = AskedBefore(seconds=60.0, most=100)
    for number in range(1000):
        asked.by_another(f"q{number}", "a", 0.0)
    assert len(asked) == 100
    assert asked.by_another("q999", "b", 59.0)

    assert not asked.by_another("q999", "b", 61.0)
    assert len(asked) == 1
