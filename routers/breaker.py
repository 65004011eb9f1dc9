"""A circuit breaker: a child that keeps failing is left alone, and tried again now and then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Circuit(Enum):
    """How a child is dealt with."""

    CLOSED = "closed"
    """It is asked."""
    OPEN = "open"
    """It is not."""
    TRIAL = "trial"
    """One query is let through to see whether it works again."""


@dataclass(frozen=True, slots=True)
class BreakerSettings:
    """When to give up on a child, and when to try again."""

    failures: int = 3
    """In a row, until the circuit opens."""
    first_pause: float = 0.1
    """Seconds until the first trial; doubled after each that fails."""
    longest_pause: float = 1.0
    longest_trial: float = 10.0
    """A trial that nobody has heard of for so long counts as failed, so that the circuit can never stay stuck."""


DEFAULTS = BreakerSettings()


class Breaker:
    """Counts failures in a row. Times are any clock's that never goes back; the breaker has none of its own.

    Every ``admits`` that is true is to be followed by one of ``succeeded``, ``failed`` or ``abandoned``.
    """

    def __init__(self, settings: BreakerSettings = DEFAULTS) -> None:
        self._settings = settings
        self._failures = 0
        self._pause = settings.first_pause
        self._next_trial = 0.0
        self.circuit = Circuit.CLOSED

    def admits(self, now: float) -> bool:
        """Whether the child may be asked; where it is a trial, that starts now."""
        if self.circuit is Circuit.CLOSED:
            return True
        if now < self._next_trial:
            return False
        # Also the way out of a trial that never ended.
        self.circuit = Circuit.TRIAL
        self._next_trial = now + self._settings.longest_trial
        return True

    def succeeded(self) -> None:
        """The child answered; whatever was before is forgotten."""
        self._failures, self._pause = 0, self._settings.first_pause
        self.circuit = Circuit.CLOSED

    def failed(self, now: float) -> None:
        """The child gave nothing usable."""
        self._failures += 1
        if self.circuit is Circuit.TRIAL:
            self._pause = min(2 * self._pause, self._settings.longest_pause)
            self._open(now)
        elif self.circuit is Circuit.CLOSED and self._failures >= self._settings.failures:
            self._open(now)
        # Queries that were under way when the circuit opened may fail later; they must not put off the trial.

    def abandoned(self, now: float) -> None:
        """The query was given up before the child could answer, which says nothing about the child."""
        if self.circuit is Circuit.TRIAL:
            self._open(now)

    def _open(self, now: float) -> None:
        self.circuit = Circuit.OPEN
        self._next_trial = now + self._pause
