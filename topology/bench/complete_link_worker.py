"""One clustering in a process of its own, so that its peak memory is its own: prints CPU seconds and MB as JSON.

    python -m topology.bench.complete_link_worker {ours,fastcluster,fastcluster-ready,sparse} PAGES

Every way is warmed up on a few pages first; memory is counted from there, the input included.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.spatial import KDTree

from hypursuit.clustering import merge_tree, sparse_merge_tree
from topology.bench.usage import peak_megabytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_NEIGHBOURS = 200


def made_vectors(pages: int) -> NDArray[np.float32]:
    """(pages, 20) directions, the same every time."""
    vectors: NDArray[np.float32] = np.random.default_rng(1996).random((pages, 20), dtype=np.float32) ** 3
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def made_similarity(pages: int) -> NDArray[np.float32]:
    """(pages, pages) cosines."""
    vectors, similarity = made_vectors(pages), np.empty((pages, pages), dtype=np.float32)
    np.matmul(vectors, vectors.T, out=similarity)
    return similarity


def made_distances(pages: int) -> NDArray[np.float64]:
    """The upper triangle of 1 - cosine that fastcluster takes, filled without the square one ever existing."""
    vectors = made_vectors(pages)
    return _condensed(pages, lambda row: vectors[row] @ vectors[row + 1 :].T)


def made_neighbours(pages: int) -> sparse.csr_array[Any]:
    """(pages, pages) similarities of points in a square to those nearest, about 200 each."""
    places = np.random.default_rng(1996).random((pages, 2))
    wanted = min(_NEIGHBOURS, pages - 1)
    distance, near = (np.asarray(found)[:, 1:].ravel() for found in KDTree(places).query(places, wanted + 1))
    start = np.arange(pages + 1) * wanted
    one_way = sparse.csr_array((np.exp(-distance).astype(np.float32), near.astype(np.int32), start.astype(np.int32)))
    similarity = sparse.csr_array(one_way.maximum(one_way.T))
    similarity.sort_indices()
    return similarity


def _condensed(pages: int, row_of: Callable[[int], NDArray[Any]]) -> NDArray[np.float64]:
    distances = np.empty(pages * (pages - 1) // 2)
    end = 0
    for row in range(pages - 1):
        start, end = end, end + pages - 1 - row
        np.subtract(1, row_of(row), out=distances[start:end])
    return distances


def _fastcluster(distances: NDArray[np.float64]) -> None:
    import fastcluster  # noqa: PLC0415  only its own runs need it

    # Its version 1.3 copies the distances all the same.
    fastcluster.linkage(distances, method="complete", preserve_input=False)


def _fastcluster_from_square(similarity: NDArray[np.float32]) -> None:
    _fastcluster(_condensed(len(similarity), lambda row: similarity[row, row + 1 :]))


WAYS: dict[str, tuple[Callable[[int], Any], Callable[[Any], object]]] = {
    "ours": (made_similarity, lambda similarity: merge_tree(similarity, overwrite=True)),
    "fastcluster": (made_similarity, _fastcluster_from_square),
    "fastcluster-ready": (made_distances, _fastcluster),
    "sparse": (made_neighbours, sparse_merge_tree),
}


def run(way: str, pages: int) -> dict[str, float]:
    """CPU seconds of one clustering; the peak memory of it and its input, which is made before."""
    make, cluster = WAYS[way]
    cluster(make(200))
    base = peak_megabytes()
    given = make(pages)
    _forget_peak()
    begin = time.process_time()
    cluster(given)
    return {"cpu": time.process_time() - begin, "peak": peak_megabytes() - base}


def _forget_peak() -> None:
    """Let the peak count from here, where the system allows that; else making the input counts too."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]))))
