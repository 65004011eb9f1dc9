"""One line of a benchmark: ours beside a peer, in the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured, for us and for the peer.

    Machines are shared and noisy: only ``ratio`` means anything away from the run that printed it.
    """

    what: str
    unit: str
    """Of ``ours`` and ``peer``: "s", "MB", "pages per CPU second"."""
    ours: float
    peer: float | None = None
    peer_name: str = ""
    higher_is_better: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer; below 1 is worse."""
        if self.peer is None:
            return None
        return self.ours / self.peer if self.higher_is_better else self.peer / self.ours
