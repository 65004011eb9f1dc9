"""A tree started from its stores in a process of its own: prints seconds until the root answers, and MB, as JSON.

python -m topology.bench.tree_start WEB STORE SITES PAGES PORT
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from topology.bench.tree_corpus import network_over
from topology.bench.usage import resident_megabytes
from topology.launch import running_tree
from topology.network import Listen


async def start(web: Path, store: Path, sites: int, pages: int, port: int) -> dict[str, float]:
    """Bring it up and down again."""
    network = replace(network_over(web, store, sites=sites, pages=pages), listen=Listen(port=port))
    begin = time.perf_counter()
    async with running_tree(network):
        return {"seconds": time.perf_counter() - begin, "mb": resident_megabytes()}


if __name__ == "__main__":
    web, store, *numbers = sys.argv[1:]
    print(json.dumps(asyncio.run(start(Path(web), Path(store), *map(int, numbers)))))
