"""When the next request to a site may start."""

from __future__ import annotations

import asyncio
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Pacer:
    """Spaces the requests to one site, and holds all of them back when the site asks for it."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._next = -math.inf
        self._queue = asyncio.Lock()

    async def turn(self) -> None:
        """Wait until a request may start, and take that place."""
        loop = asyncio.get_running_loop()
        if not self._queue.locked() and self._next <= loop.time():
            self._next = loop.time() + self.delay
            return
        async with self._queue:
            # The site may be held back further while this request waits.
            while (wait := self._next - loop.time()) > 0:  # noqa: ASYNC110  it is time that is waited for
                await asyncio.sleep(wait)
            self._next = loop.time() + self.delay

    def hold(self, seconds: float) -> None:
        """Let no request start for a while."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or an HTTP date; None where it says nothing usable."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
