"""A whole site from terms and links to its merge tree, in a process of its own: time and peak memory.

    python -m topology.bench.organise PAGES

prints CPU seconds and MB as JSON. There is no peer: nobody else clusters by terms and links.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
from scipy.sparse import csr_array

from hypursuit.clustering.organise import EXACT_PAGES, Collection, organise
from hypursuit.text.matrix import TermMatrix
from hypursuit.text.terms import Attribute, Term
from topology.bench.made_links import made_adjacency
from topology.bench.measurement import Measurement
from topology.bench.usage import peak_megabytes

_VOCABULARY = 30_000
_TERMS_PER_PAGE = 250
_WARM = 40


def measure(large: bool = False) -> list[Measurement]:
    """2,000 pages; with ``large`` 10,000 exactly and 30,000 by groups, some minutes."""
    return [found for pages in (2_000, 10_000, 30_000)[: 3 if large else 1] for found in _of(pages)]


def _of(pages: int) -> list[Measurement]:
    command = [sys.executable, "-m", "topology.bench.organise", str(pages)]
    run: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    how = "all pairs, exact" if pages <= EXACT_PAGES else "by groups"
    what = f"organising a site of {pages:,} pages"
    return [
        Measurement(what, "s", run["cpu"], note=f"CPU time, terms and links to merge tree, {how}"),
        Measurement(f"{what}, peak memory", "MB", run["peak"], note="interpreter and compiler included"),
    ]


def made_collection(pages: int) -> Collection:
    """Pages in twenty topics, words by rank as in language, links as of a documentation site; the same every time."""
    random = np.random.default_rng(2002)
    rank = (random.pareto(0.9, (pages, _TERMS_PER_PAGE)) * 4).astype(np.int64)
    topic = np.arange(pages) * 20 // pages
    column = np.where(rank < 50, rank, (rank * 20 + topic[:, None])) % _VOCABULARY
    counts = csr_array(
        (np.ones(column.size, np.int32), (np.repeat(np.arange(pages), _TERMS_PER_PAGE), column.ravel())),
        shape=(pages, _VOCABULARY),
    )
    counts.sum_duplicates()
    urls = tuple(f"http://made.example/{page}" for page in range(pages))
    terms = tuple(Term(Attribute.TEXT, f"w{number}") for number in range(_VOCABULARY))
    return Collection(urls, TermMatrix(counts, urls, terms, {}), made_adjacency(pages))


def main(pages: int) -> None:
    """Warm up, organise once, print what it took."""
    organise(made_collection(_WARM))
    collection = made_collection(pages)
    begin = time.process_time()
    organise(collection)
    print(json.dumps({"cpu": time.process_time() - begin, "peak": peak_megabytes()}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
