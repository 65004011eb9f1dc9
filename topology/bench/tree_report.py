"""What ``hypursuit bench tree`` found, as text that can be kept."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from hypursuit.evaluation.queries import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topology.bench.tree import Economy, TreeResults

_TABLE_2 = {0: 410, 1: 678, 2: 630}
"""KB of labels by level in 1996 [W96 Table 2]."""


def report(results: TreeResults) -> str:
    """Markdown: exactness, economy, speed."""
    return "\n".join((*_exactness(results), *_economy(results), *_labels(results), *_speed(results)))


def _exactness(results: TreeResults) -> Iterator[str]:
    full = results.economies[0]
    yield f"{results.leaves} sites, {results.pages:,} pages, {results.routers} routers, {results.queries:,} queries.\n"
    yield "**Exactness.** Top 10, top 50 and page 2 of every query against one index over all pages, same idf: "
    yield f"{results.compared - len(full.wrong):,} of {results.compared:,} answers equal, URLs, order and scores alike."
    known = f"{results.same_idf:,} of {results.queries:,} queries"
    yield f"The idf known from the root's labels was that of all pages in {known}."
    for query in full.wrong[:5]:
        yield f"- wrong: `{query}`"


def _economy(results: TreeResults) -> Iterator[str]:
    full = results.economies[0]
    yield f"\n**Economy.** Leaves asked for the exact top 10: {_share(full)} on average.\n"
    yield "| budget | " + " | ".join(KINDS) + " | all | share of leaves | answers that differ |"
    yield "|---|" + "---|" * (len(KINDS) + 3)
    for economy in results.economies:
        cells = [f"{mean(economy.asked[kind]):.1f}" for kind in KINDS]
        share = f"{economy.mean_asked / economy.leaves:.1%}"
        row = (f"{economy.share:.3g} of the default", *cells, f"{economy.mean_asked:.1f}", share, len(economy.wrong))
        yield f"| {' | '.join(map(str, row))} |"
    yield f"\n{results.holders:.1f} leaves hold one of the ten best pages. To reach all of them, asking in the order"
    yield "of a ranking and stopping as soon as the last has answered, which nobody can know:\n"
    yield "| ranking | leaves needed |\n|---|---|"
    yield from (f"| {name} | {needed:.1f} |" for name, needed in results.needed.items())
    yield f"| **ours, and sure of it** | **{full.mean_asked:.1f}** |"


def _share(economy: Economy) -> str:
    return f"{economy.mean_asked:.1f} of {economy.leaves} ({economy.mean_asked / economy.leaves:.1%})"


def _labels(results: TreeResults) -> Iterator[str]:
    yield "\n**Labels**, as they travel, in KB.\n"
    yield "| level | routers | mean | largest | budget | 1996 |\n|---|---|---|---|---|---|"
    for level, sizes in sorted(results.economies[0].label_bytes.items()):
        budget = 410 if level == 0 else 678
        then = _TABLE_2.get(level, "")
        yield f"| {level} | {len(sizes)} | {mean(sizes) / 1000:.0f} | {max(sizes) / 1000:.0f} | {budget} | {then} |"


def _speed(results: TreeResults) -> Iterator[str]:
    tree, central = results.tree_ms, results.central_ms
    yield "\n**Speed**, everything in one process, each over one HTTP hop, snippets included.\n"
    yield "| | root of the tree | central index | ratio |\n|---|---|---|---|"
    yield f"| median | {tree[0]:.1f} ms | {central[0]:.1f} ms | {tree[0] / central[0]:.1f} |"
    yield f"| 99th percentile | {tree[1]:.1f} ms | {central[1]:.1f} ms | {tree[1] / central[1]:.1f} |"
    yield f"| answers a second, saturated | {results.tree_rate:.0f} | {results.central_rate:.0f} | |"
    yield f"\nStart of {results.routers} routers from stores: {results.start_seconds:.1f} s. "
    yield f"Memory of the whole tree: {results.memory_mb:.0f} MB."
