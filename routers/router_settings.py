"""How a router deals with time, load and labels."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypursuit.query.plan import Pace
from routers.breaker import BreakerSettings
from routers.gate import GateSettings


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """Settings of one router; the defaults suit all of them."""

    entering: GateSettings = field(default_factory=GateSettings)
    """Searches that people start here."""
    passing: GateSettings = field(default_factory=lambda: GateSettings(running=64, waiting=256))
    """Searches that other routers started: turning these away would waste what was done for them already."""
    pace: Pace = field(default_factory=Pace)
    share: float = 0.6
    """Of the time left, what a child is given: one that hangs must leave time for others."""
    late: float = 0.25
    """Of a child's time, after which the next wave starts without it."""
    breaker: BreakerSettings = field(default_factory=BreakerSettings)
    quiet: float = 0.3
    """Seconds without a new label from below until the own one is made again."""
    longest_quiet: float = 3.0
    """Seconds after which it is made again in any case."""
    thread_pages: int = 20_000
    """Leaves with more pages search in a thread; smaller ones are done before a thread would have started."""


DEFAULTS = RouterSettings()


def reserve(seconds: float) -> float:
    """What a router keeps back of its time to write the answer and get it across."""
    return min(0.05, 0.1 * seconds)
