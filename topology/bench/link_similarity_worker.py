"""Link similarity in a process of its own, so that its peak memory is its own: prints seconds and MB as JSON.

python -m topology.bench.link_similarity_worker PAGES ROUNDS
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from hypursuit.similarity import link_similarity
from topology.bench.made_links import made_adjacency
from topology.bench.usage import peak_megabytes

if TYPE_CHECKING:
    from scipy import sparse


def main() -> None:
    """Compile on a few pages, then measure; the memory of the interpreter and the compiler is counted too."""
    pages, rounds = int(sys.argv[1]), int(sys.argv[2])
    link_similarity(made_adjacency(60))
    adjacency = made_adjacency(pages)
    print(json.dumps({"cpu": median(_seconds(adjacency) for _ in range(rounds)), "peak": peak_megabytes()}))


def _seconds(adjacency: sparse.csr_array) -> float:
    begin = time.process_time()
    link_similarity(adjacency)
    return time.process_time() - begin


if __name__ == "__main__":
    main()
