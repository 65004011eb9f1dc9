"""Link similarity against the literal reading of the equations: remove a page, search again."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np

from hypursuit.similarity.reference import path_lengths
from topology.bench.made_links import made_adjacency
from topology.bench.measurement import Measurement

_ROUNDS = 3
_SEARCHES = 200


def measure(large: bool = False) -> list[Measurement]:
    """1,000 pages against brute force; 3,000 pages; 10,000 with their peak memory if ``large``, about a minute."""
    ours = _run(1_000, _ROUNDS)["cpu"]
    note = (
        f"CPU time, equations 2-5; brute force extrapolated from {_SEARCHES} of its 1,000,000 searches, "
        "one from every page with every page removed, and adding up not counted"
    )
    compared = Measurement("link similarity of 1,000 pages", "s", ours, _brute_force(1_000), "brute force", note=note)
    return [compared, *_alone(3_000, _ROUNDS), *(_alone(10_000, 1) if large else [])]


def _alone(pages: int, rounds: int) -> list[Measurement]:
    results = _run(pages, rounds)
    what = f"link similarity of {pages:,} pages"
    result = f"the result alone takes {pages**2 * 4 / 2**20:,.0f} MB, interpreter and compiler about 170 MB"
    return [
        Measurement(what, "s", results["cpu"], note="CPU time, equations 2-5, one thread"),
        Measurement(what + ", peak memory", "MB", results["peak"], note=result),
    ]


def _run(pages: int, rounds: int) -> dict[str, float]:
    command = [sys.executable, "-m", "topology.bench.link_similarity_worker", str(pages), str(rounds)]
    results: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return results


def _brute_force(pages: int) -> float:
    """Seconds for the shortest paths between all pages in each graph that lacks one page.

    Both directions need the same lengths, so this is the least that a literal program can do.
    """
    adjacency = made_adjacency(pages)
    rows = np.split(adjacency.indices, adjacency.indptr[1:-1])
    graph = {page: {int(target) for target in targets} for page, targets in enumerate(rows)}
    sample = np.random.default_rng(1).integers(0, pages, (_SEARCHES, 2))
    begin = time.process_time()
    for start, avoided in sample:
        path_lengths(graph, int(start), avoiding=int(avoided))
    return (time.process_time() - begin) / _SEARCHES * pages**2
