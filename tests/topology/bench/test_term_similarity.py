from __future__ import annotations

import numpy as np
import pytest

from hypursuit.errors import MissingPeer
from topology.bench import term_similarity


def test_made_pages_have_rows_of_length_one_and_columns_as_uneven_as_words() -> None:
    weights = term_similarity.made_weights(400)

    np.testing.assert_allclose(weights.multiply(weights).sum(axis=1), 1, rtol=1e-5)
    pages_with = np.sort(np.bincount(weights.indices))[::-1]
    assert pages_with[0] > 0.9 * 400
    assert pages_with[1000] < 0.1 * 400
    assert 300 < weights.nnz / 400 < 600


def test_without_the_peer_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_similarity, "find_spec", lambda _: None)

    with pytest.raises(MissingPeer, match="scikit-learn"):
        term_similarity.measure()
