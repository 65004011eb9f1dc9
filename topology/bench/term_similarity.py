"""Term similarity against scikit-learn and scipy: CPU time on the same made pages, taking turns."""

from __future__ import annotations

import time
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hypursuit.errors import MissingPeer
from hypursuit.similarity import term_similarity
from topology.bench.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDS = 3
_TERMS = 100_000
_WORDS_PER_PAGE = 500


def measure(large: bool = False) -> list[Measurement]:
    """3,000 pages, or 10,000 if ``large``."""
    if find_spec("sklearn") is None:
        raise MissingPeer("scikit-learn")
    from sklearn.metrics.pairwise import linear_kernel  # noqa: PLC0415  a peer of the benchmark only

    weights = made_weights(10_000 if large else 3_000)
    ways: dict[str, Callable[[Any], object]] = {
        "ours": term_similarity,
        # cosine_similarity() would copy and normalise rows that have length 1 already: this is its faster half.
        "scikit-learn linear_kernel": lambda rows: linear_kernel(rows, dense_output=True),
        "scipy @": lambda rows: (rows @ rows.T).toarray(),
    }
    term_similarity(weights[:100])  # compile outside the clock
    seconds = {name: median(times) for name, times in _take_turns(ways, weights).items()}
    what = f"term similarity of {weights.shape[0]:,} pages, {weights.nnz / weights.shape[0]:.0f} terms each"
    return [
        Measurement(what, "s", seconds["ours"], seconds[peer], peer, note="CPU time of all threads, float32")
        for peer in list(ways)[1:]
    ]


def made_weights(pages: int) -> sparse.csr_matrix[Any]:
    """(pages, 100,000) float32 rows of length 1; words as frequent as in language, pages as uneven as on the web."""
    random = np.random.default_rng(1996)
    share = np.cumsum(1 / (np.arange(_TERMS) + 6.0))  # the commonest words are stop words and left out
    words = random.lognormal(np.log(_WORDS_PER_PAGE), 0.6, pages).astype(np.intp) + 1
    term = np.searchsorted(share, random.random(words.sum()) * share[-1])
    page = np.repeat(np.arange(pages), words)
    counts = sparse.csr_array((np.ones(len(term)), (page, term)), shape=(pages, _TERMS))  # repeated words add up
    length = np.sqrt(counts.multiply(counts).sum(axis=1))
    counts.data /= np.repeat(length, np.diff(counts.indptr))
    # The older class: scikit-learn releases that we still allow know no other.
    return sparse.csr_matrix(counts.astype(np.float32))


def _take_turns(ways: dict[str, Callable[[Any], object]], weights: object) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            begin = time.process_time()
            way(weights)
            seconds[name].append(time.process_time() - begin)
    return seconds
