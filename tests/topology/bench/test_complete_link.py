from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from hypursuit.errors import MissingPeer
from topology.bench import complete_link
from topology.bench.complete_link_worker import made_distances, made_neighbours, made_similarity


@pytest.mark.parametrize("way", ["ours", "fastcluster", "fastcluster-ready", "sparse"])
def test_every_way_runs_in_a_process_of_its_own(way: str) -> None:
    if way.startswith("fastcluster"):
        pytest.importorskip("fastcluster")
    command = [sys.executable, "-m", "topology.bench.complete_link_worker", way, "3000"]

    figures = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    # 3,000 pages: a 34 MB square of float32 or triangle of float64; the neighbours take 5 MB.
    assert figures["peak"] > (4 if way == "sparse" else 30)
    assert figures["cpu"] > 0


def test_both_sides_cluster_the_same_pages() -> None:
    np.testing.assert_allclose(squareform(1 - made_similarity(50), checks=False), made_distances(50), atol=1e-6)


def test_made_neighbours_are_as_many_as_said_and_mutual() -> None:
    neighbours = made_neighbours(1000)

    assert (abs(neighbours - neighbours.T)).max() == 0
    assert 200 <= neighbours.nnz / 1000 < 230


def test_without_the_peer_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complete_link, "find_spec", lambda _: None)

    with pytest.raises(MissingPeer, match="fastcluster"):
        complete_link.measure()
