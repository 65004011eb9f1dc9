"""Our crawler beside Scrapy: pages per CPU second on the same site, everything a crawl does included.

Ours parses titles, headings, links with their places and regions, recognises duplicates and stores all of it so that
no kill loses a page; Scrapy extracts links, title and text and writes lines of JSON.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from hypursuit.errors import CrawlFailed, MissingPeer
from topology.bench.made_site import make_site
from topology.bench.measurement import Measurement
from topology.static_sites import LOOPBACK, serving_process

_CONCURRENCY = 8
_ROUNDS = 3
_CRAWLERS = {
    "ours": ["topology.bench.our_crawl"],
    "idiomatic": ["topology.bench.scrapy_crawl", "idiomatic"],
    "tuned": ["topology.bench.scrapy_crawl", "tuned"],
}


@dataclass(frozen=True, slots=True)
class CrawlCost:
    """What one crawl in a process of its own used, imports excluded."""

    pages: int
    cpu_seconds: float
    peak_mb: float


def measure(pages: int = 1500) -> list[Measurement]:
    """Crawl a made site of so many pages with each crawler in turn, several times over; medians."""
    if importlib.util.find_spec("scrapy") is None:
        raise MissingPeer("scrapy")
    with tempfile.TemporaryDirectory() as scratch:
        costs = _crawl_in_turns(Path(scratch), pages)
    speed = {name: pages / median(cost.cpu_seconds for cost in runs) for name, runs in costs.items()}
    memory = {name: median(cost.peak_mb for cost in runs) for name, runs in costs.items()}
    what, note = f"crawl of {pages} pages", "extraction and storage included"
    unit = "pages per CPU second"
    return [
        Measurement(what, unit, speed["ours"], speed["idiomatic"], "Scrapy", higher_is_better=True, note=note),
        Measurement(what, unit, speed["ours"], speed["tuned"], "Scrapy, tuned", higher_is_better=True, note=note),
        Measurement(f"{what}, peak memory", "MB", memory["ours"], memory["idiomatic"], "Scrapy"),
    ]


def _crawl_in_turns(scratch: Path, pages: int) -> dict[str, list[CrawlCost]]:
    """Interleaved, so that whatever else the machine does meets all of them alike."""
    make_site(scratch / "sites" / LOOPBACK, pages)
    costs: dict[str, list[CrawlCost]] = {name: [] for name in _CRAWLERS}
    with serving_process(scratch / "sites") as port:
        for turn in range(_ROUNDS):
            for name, command in _CRAWLERS.items():
                url = f"http://{LOOPBACK}:{port}/index.html"
                cost = _crawl([*command, str(_CONCURRENCY), url, str(scratch / f"{name}-{turn}")])
                if cost.pages != pages:
                    raise CrawlFailed(f"the {name} crawl kept {cost.pages} pages of {pages}: no comparison")
                costs[name].append(cost)
    return costs


def _crawl(command: list[str]) -> CrawlCost:
    told = subprocess.run([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True, check=True)
    return CrawlCost(**json.loads(told.stdout))
