"""Short readable names for clusters: words and phrases that set their pages apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hypursuit.clustering.lettering import clean
from hypursuit.clustering.name_candidates import LONGEST_NAME, Candidate, NameCandidates
from hypursuit.clustering.title_phrases import MOST_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from hypursuit.clustering.tree import ClusterTree
    from hypursuit.text.matrix import TermMatrix

_ENOUGH_COVERED = 0.7
_LEAST_GAIN = 0.3


def name_clusters(
    tree: ClusterTree, matrix: TermMatrix, titles: Sequence[str], cuts: Iterable[int] = (5, 30, 100)
) -> dict[int, str]:
    """Names for all clusters of the given cuts, by their number in the tree.

    A name has one to three words, spelled as on the pages. It is made of phrases from titles and of single words,
    chosen by how much more often the cluster's pages have them than the rest of the site and than the rest of the
    next coarser cluster; what stands on every page thus never names a part of the site, while the cluster of all
    pages is named by it. Within a cut no two names are equal; a cluster has the same name in all cuts it is part
    of, and a name has a word that the name of the next coarser cluster has not, if there is any to be had.

    Args:
        tree: the clusters; page i is row i of the matrix.
        matrix: term frequencies of the pages.
        titles: (n_pages,) as written.
        cuts: numbers of clusters, e.g. those of the levels that will be shown.
    """
    candidates = NameCandidates(matrix, titles)
    names: dict[int, _Name] = {}
    coarser: tuple[int, ...] = ()
    for k in sorted(set(cuts)):
        clusters = tree.clusters(k)
        holder = _holders(tree, clusters, coarser)
        taken = {key for cluster in clusters if cluster in names for key in names[cluster].marks()}
        # The largest choose first: their names are read most.
        for cluster in sorted(set(clusters) - names.keys(), key=lambda c: (-tree.size(c), c)):
            outer = holder.get(cluster)
            within = None if outer is None else tree.members(outer)
            barred = frozenset[str]() if outer is None else names[outer].stems
            proposals = _proposals(candidates, tree.members(cluster), within)
            names[cluster] = _first_free(proposals, taken, barred)
            taken |= names[cluster].marks()
        coarser = clusters
    return {cluster: name.shown for cluster, name in names.items()}


@dataclass(frozen=True, slots=True)
class _Name:
    shown: str
    stems: frozenset[str]

    def marks(self) -> set[str]:
        """What no other name may share: a reader would take "Mailing lists" and "mailing, list" for the same."""
        return {self.shown.casefold(), " ".join(sorted(self.stems)) or self.shown.casefold()}


def _holders(tree: ClusterTree, clusters: Sequence[int], coarser: Sequence[int]) -> dict[int, int]:
    """Cluster → the different, coarser one that contains it."""
    of_page = np.full(tree.pages, -1, np.intp)
    for outer in coarser:
        of_page[tree.members(outer)] = outer
    found = {cluster: int(of_page[tree.members(cluster)[0]]) for cluster in clusters}
    return {cluster: outer for cluster, outer in found.items() if outer not in (-1, cluster)}


def _proposals(
    candidates: NameCandidates, members: NDArray[np.intp], within: NDArray[np.intp] | None
) -> Iterator[_Name]:
    """Names for a cluster, best first; where words run out, its pages' titles and addresses; it never ends.

    A page by itself goes by its title.
    """
    if len(members) == 1 and (title := candidates.title(int(members[0]))):
        yield _Name(title, frozenset())
    found = candidates.best(members, within)
    combined = [_complemented(found), found[:1]] if found else []
    combined += [[found[0], other] for other in found if _fits(found[:1], other)]
    combined += [[candidate] for candidate in found[1:]]
    combined += [[first, second] for first in found[1:] for second in found if _fits([first], second)]
    for parts in combined:
        shown = candidates.capitalised(", ".join(part.shown for part in parts))
        yield _Name(clean(shown, LONGEST_NAME), frozenset(stem for part in parts for stem in part.stems))
    fallbacks = [shown for page in members for shown in candidates.fallbacks(int(page))] or ["Pages"]
    yield from (_Name(shown, frozenset()) for shown in fallbacks)
    number = 2
    while True:
        yield _Name(f"{clean(fallbacks[0], LONGEST_NAME - 8)} ({number})", frozenset())
        number += 1


def _complemented(found: Sequence[Candidate]) -> list[Candidate]:
    """The best candidate, with others beside it as long as they speak for pages that it leaves out."""
    parts, covered = [found[0]], found[0].covered.copy()
    while covered.mean() < _ENOUGH_COVERED:
        beside = [(_gain(other, covered), other) for other in found if _fits(parts, other)]
        gain, chosen = max(beside, key=lambda entry: entry[0], default=(0.0, found[0]))
        if gain < _LEAST_GAIN * found[0].score:
            break
        parts.append(chosen)
        covered |= chosen.covered
    return parts


def _gain(other: Candidate, covered: NDArray[np.bool_]) -> float:
    """Its score, less what it repeats."""
    new = (other.covered & ~covered).sum() / max(other.covered.sum(), 1)
    return round(float(other.score * new), 9)


def _fits(parts: Sequence[Candidate], other: Candidate) -> bool:
    """Whether it may stand beside the others: short enough together, and saying nothing twice."""
    length = sum(len(part.shown) + 2 for part in parts) + len(other.shown)
    n_words = sum(part.n_words for part in parts) + other.n_words
    repeated = any(part.stems & other.stems for part in parts)
    return n_words <= MOST_WORDS and length <= LONGEST_NAME and not repeated


def _first_free(proposals: Iterator[_Name], taken: set[str], barred: frozenset[str]) -> _Name:
    """The first proposal that nobody has and that says more than the parent's name; failing that, the first."""
    spare: _Name | None = None
    for name in proposals:
        if name.marks() & taken:
            continue
        if not name.stems:  # words have run out: better the parent's words than a title cut short
            return spare or name
        if name.stems != barred:
            return name
        spare = spare or name
    raise AssertionError("proposals never end")
