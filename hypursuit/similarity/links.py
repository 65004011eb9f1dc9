"""Link similarity of all pairs of pages [W96 eq. 2-5], exact: avoiding paths and level averages included."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.errors import BadSetting
from hypursuit.similarity.link_graph import LinkGraph, read_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypursuit.similarity.ancestor_kernels import Layers
    from hypursuit.similarity.link_graph import SparseMatrix

    FloatMatrix = NDArray[np.float32]
    LengthMatrix = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LinkWeights:
    """W_d, W_a and W_s of [W96 eq. 5], which the paper leaves open."""

    descendants: float = 1.0
    ancestors: float = 1.0
    paths: float = 1.0

    def __post_init__(self) -> None:
        if not all(isfinite(weight) and weight >= 0 for weight in astuple(self)):
            raise BadSetting(f"link weights must be finite and not negative: {self}")

    @classmethod
    def even(cls) -> LinkWeights:
        """Every part spans [0, 1]: averages over levels cannot pass 1/4 + 1/16 + ... = 1/3, paths reach 1."""
        return cls(descendants=3.0, ancestors=3.0, paths=1.0)


_EQUAL = LinkWeights()
_MOST_CHANGES = 8_000_000
"""Corrections for avoiding paths held at once, 17 bytes each. Sites need about 100 per page; chains of pages can need
so many that the pairs are worked off in stripes."""


def link_similarity(adjacency: SparseMatrix, weights: LinkWeights = _EQUAL, *, longest_path: int = 62) -> FloatMatrix:
    """The three parts of link similarity, weighted and added up [W96 eq. 5].

    Args:
        adjacency: (n, n) sparse, any format; a value at [i, j] that is not zero is a link from page i to page j.
            Links of a page to itself are dropped, parallel links count once.
        weights: factors of the parts, each 1 if left out.
        longest_path: more links than that, and 2**-length is taken as 0; at most 254. Who is an ancestor, a proper
            one, and on which level is not affected. Each part errs by at most 2**-longest_path; by default that is
            2e-19, less than the rounding of the sums, which are kept in double.

    Returns:
        (n, n), symmetric, not negative, at most ``(descendants + ancestors) / 3 + paths``. The diagonal is zero:
        the paper does not define a page's similarity to itself, and no clustering asks for it. Single precision
        resolves 1e-7 and takes 400 MB for 10,000 pages; the only other n² matrix is one of path lengths, a byte each.
    """
    if not 1 <= longest_path <= 254:
        raise BadSetting(f"the longest path to count has 1 to 254 links, not {longest_path}")
    graph = read_graph(adjacency)
    similarity = np.zeros((graph.pages, graph.pages), np.float32)
    far = longest_path + 1
    if weights.paths or weights.ancestors:
        lengths = _path_lengths(graph, far)
        _add_paths(lengths, far, weights.paths, similarity)
        _add_ancestors(graph, lengths, far, weights.ancestors, similarity)
        del lengths
    if weights.descendants:
        turned = graph.reverse()
        _add_ancestors(turned, _path_lengths(turned, far), far, weights.descendants, similarity)
    return similarity


def path_similarity(adjacency: SparseMatrix) -> FloatMatrix:
    """2**-length of the shortest path there plus the same for the way back, at most 1 [W96 eq. 2]."""
    return link_similarity(adjacency, LinkWeights(descendants=0.0, ancestors=0.0))


def ancestor_similarity(adjacency: SparseMatrix) -> FloatMatrix:
    """Proper common ancestors, averaged by level, at most 1/3 [W96 eq. 3].

    An ancestor x of pages i and j counts 2**-(length to i avoiding j + length to j avoiding i), divided by the
    number of common ancestors whose shorter of the two lengths is the same. One that reaches i only through j, or
    j only through i, counts nothing and is not counted.
    """
    return link_similarity(adjacency, LinkWeights(descendants=0.0, paths=0.0))


def descendant_similarity(adjacency: SparseMatrix) -> FloatMatrix:
    """Proper common descendants, averaged by level, at most 1/3: equation 3 with links turned round [W96 eq. 4]."""
    return link_similarity(adjacency, LinkWeights(ancestors=0.0, paths=0.0))


def _path_lengths(graph: LinkGraph, far: int) -> LengthMatrix:
    """lengths[j, x] counts the links on a shortest path x -> j, up to ``far``; 0 without one and for x = j."""
    from hypursuit.similarity import link_kernels  # noqa: PLC0415 - numba takes long to import

    pages, words = graph.pages, _words(graph.pages)
    lengths = np.zeros((pages, pages), np.uint8)
    fresh = np.zeros((pages, words), np.uint64)
    every = np.arange(pages)
    fresh[every, every // 64] = np.uint64(1) << (every % 64).astype(np.uint64)
    reached, grown = fresh.copy(), np.empty_like(fresh)
    is_fresh, is_grown = np.ones(pages, np.bool_), np.empty(pages, np.bool_)
    for length in range(1, pages):
        if not link_kernels.advance(
            graph.source_start, graph.sources, reached, fresh, grown, is_fresh, is_grown, lengths, min(length, far)
        ):
            break
        fresh, grown, is_fresh, is_grown = grown, fresh, is_grown, is_fresh
    return lengths


def _add_paths(lengths: LengthMatrix, far: int, weight: float, similarity: FloatMatrix) -> None:
    from hypursuit.similarity import link_kernels  # noqa: PLC0415 - numba takes long to import

    if weight:
        link_kernels.add_paths(lengths, _decay(far, far), weight, similarity)


def _add_ancestors(graph: LinkGraph, lengths: LengthMatrix, far: int, weight: float, similarity: FloatMatrix) -> None:
    from hypursuit.similarity import ancestor_kernels, detour_kernels  # noqa: PLC0415 - numba takes long to import

    pages = graph.pages
    if not weight or pages < 3:
        return
    decay, layers = _decay(far, pages + far), _split_layers(lengths)
    first, width = 0, pages
    while first < pages:
        last = min(first + width, pages)
        # One page has two changes for each level and other page at most: a stripe of one always fits.
        budget = max(_MOST_CHANGES, 2 * pages * far)
        detours = detour_kernels.find_detours(graph, lengths, decay, far, first, last, budget)
        if detours.start[-1] < 0:
            width //= 2
            continue
        ancestor_kernels.add_common_ancestors(lengths, layers, detours, decay, first, last, weight, similarity)
        first = last


def _split_layers(lengths: LengthMatrix) -> Layers:
    from hypursuit.similarity import ancestor_kernels  # noqa: PLC0415 - numba takes long to import

    pages, words = len(lengths), _words(len(lengths))
    sizes = ancestor_kernels.layer_sizes(lengths, int(lengths.max()) + 1)
    # Per pair of pages a list costs its length; a bit set costs a pass over its words for each bit set of the other
    # page, but eight words at a time, each twenty times faster than looking up a page.
    levels = np.count_nonzero(sizes, axis=1).mean()
    longest_list = 2 + int(levels * words / 160)
    listed = sizes[sizes <= longest_list].sum()
    members = np.empty(listed, np.uint16 if pages <= 2**16 else np.uint32)
    return ancestor_kernels.split_layers(lengths, sizes, longest_list, members, words)


def _words(pages: int) -> int:
    """64-bit words of a set of pages: whole vector registers of eight."""
    return -(-pages // 512) * 8


def _decay(far: int, longest: int) -> NDArray[np.float64]:
    """2**-length for lengths up to ``longest``, 0 from ``far`` on."""
    decay = np.zeros(longest + 1)
    decay[:far] = np.exp2(-np.arange(far, dtype=np.float64))
    return decay
