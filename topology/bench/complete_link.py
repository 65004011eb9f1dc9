"""Complete link against fastcluster: CPU time and peak memory, every run in a fresh process, taking turns."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from statistics import median

from hypursuit.errors import MissingPeer
from topology.bench.measurement import Measurement

_ROUNDS = 3
_WAYS = ("ours", "fastcluster-ready", "fastcluster")
_SPARSE_PAGES = 50_000


def measure(large: bool = False) -> list[Measurement]:
    """10,000 pages, and 20,000 if ``large``, which takes 3 GB; and the sparse way on 50,000."""
    if find_spec("fastcluster") is None:
        raise MissingPeer("fastcluster")
    sizes = (10_000, 20_000) if large else (10_000,)
    return [*(found for pages in sizes for found in _compared(pages)), *_sparse()]


def _compared(pages: int) -> list[Measurement]:
    rounds = [{way: _run(way, pages) for way in _WAYS} for _ in range(_ROUNDS)]

    def middle(way: str, figure: str) -> float:
        return median(results[way][figure] for results in rounds)

    what, ready, square = f"complete link of {pages:,} pages", "fastcluster-ready", "fastcluster"
    cpu, peak = middle("ours", "cpu"), middle("ours", "peak")
    figures = [
        ("", "s", cpu, middle(ready, "cpu"), "CPU time; ours checks its input, the peer's distances are ready-made"),
        (" from a similarity matrix", "s", cpu, middle(square, "cpu"), "CPU time; the peer's distances made from it"),
        (", peak memory", "MB", peak, middle(ready, "peak"), "each with its own input, which it may use up"),
    ]
    return [Measurement(what + more, unit, ours, peer, "fastcluster", note=n) for more, unit, ours, peer, n in figures]


def _sparse() -> list[Measurement]:
    results = _run("sparse", _SPARSE_PAGES)
    what = f"sparse complete link of {_SPARSE_PAGES:,} pages with about 200 neighbours"
    dense = f"a dense matrix alone would take {_SPARSE_PAGES**2 * 4 / 2**20:,.0f} MB"
    return [
        Measurement(what, "s", results["cpu"], note="CPU time"),
        Measurement(what + ", peak memory", "MB", results["peak"], note=f"with its input, kept; {dense}"),
    ]


def _run(way: str, pages: int) -> dict[str, float]:
    command = [sys.executable, "-m", "topology.bench.complete_link_worker", way, str(pages)]
    results: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return results
