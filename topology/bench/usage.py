"""What this process has used since a moment."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path


class Usage:
    """Counts CPU time from its creation; children that have ended are included."""

    def __init__(self) -> None:
        self._begin = _cpu_seconds()

    def so_far(self) -> dict[str, float]:
        """CPU seconds since then, and the process's peak memory in MB since its start."""
        return {"cpu_seconds": _cpu_seconds() - self._begin, "peak_mb": peak_megabytes()}


def peak_megabytes() -> float:
    """The most resident memory this process ever had.

    Linux hands the peak of the starting process on through getrusage(), so its own account is read there.
    """
    with contextlib.suppress(FileNotFoundError):
        return _status("VmHWM")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def resident_megabytes() -> float:
    """The resident memory of this process now; only where the system tells."""
    return _status("VmRSS")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields[name].split()[0]) / 1024


def _cpu_seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
