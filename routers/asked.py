"""Which searches a router has been asked for of late, and by whom: against circles and double work."""

from __future__ import annotations

from collections import OrderedDict


class AskedBefore:
    """Remembers the first asker of each query, for a while.

    The first asker may ask again (another round, or a retry); everybody else is told that the query is known. What was
    forgotten too early costs work, never correctness: parents fold hits of the same URL.
    """

    def __init__(self, seconds: float = 60.0, most: int = 20_000) -> None:
        self._seconds, self._most = seconds, most
        self._askers: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._askers)

    def by_another(self, query_id: str, asker: str, now: float) -> bool:
        """Note that ``asker`` asks; True if another one was first."""
        self._forget(now)
        first, _ = self._askers.setdefault(query_id, (asker, now))
        return first != asker

    def _forget(self, now: float) -> None:
        while self._askers:
            _, noted = self._askers[next(iter(self._askers))]
            if len(self._askers) < self._most and now - noted < self._seconds:
                return
            self._askers.popitem(last=False)
