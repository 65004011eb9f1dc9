"""An answer as a person reads it in a terminal. Every string of it was crawled, or came over the network: hostile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.style import Style
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hypursuit.clustering.lettering import clean, web_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from hypursuit.query.answer import Answer, Explained, Hit

_TITLE = 100
_URL = 300
_SNIPPET = 300
_NAME = 80
_REASON = 200


def show_answer(answer: Answer, *, offset: int = 0) -> RenderableType:
    """The ranked list, the clusters it falls into, what was asked and how certain it is."""
    parts: list[RenderableType] = [_hit(place, hit) for place, hit in enumerate(answer.hits, offset + 1)]
    if answer.clusters:
        parts.append(_clusters(answer, offset))
    parts.append(Text(coverage_line(answer), style="bold" if answer.exact else "bold yellow"))
    parts.extend(Text(line, style="yellow") for line in failure_lines(answer))
    if answer.explain:
        parts.append(_explained(answer))
    return Group(*parts)


def coverage_line(answer: Answer) -> str:
    """Such as ``12 pages match; 6 of 107 sites asked; certainly complete; 14 ms``."""
    coverage = answer.coverage
    least = "" if answer.total_exact else "at least "
    match = "1 page matches" if answer.total == 1 else f"{answer.total} pages match"
    asked = f"{coverage.asked} of {_counted(coverage.leaves, 'site')} asked"
    return f"{least}{match}; {asked}; {_certainty(answer)}; {answer.took_ms:.0f} ms"


def failure_lines(answer: Answer) -> Iterator[str]:
    """Who is missing, and why."""
    for failure in answer.coverage.failed:
        sites = "" if failure.leaves == 1 else f" ({_counted(failure.leaves, 'site')})"
        yield f"no answer from {clean(failure.router, _NAME)}{sites}: {clean(failure.reason, _REASON)}"


def _certainty(answer: Answer) -> str:
    if answer.exact:
        return "certainly complete"
    if answer.complete_above is None:
        return "what is missing is unknown"
    return f"certainly complete only above a score of {answer.complete_above:.3f}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _hit(place: int, hit: Hit) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=4)
    grid.add_column(overflow="fold")
    title = Text(clean(hit.title or hit.url, _TITLE), style=_linked(hit.url, bold=True))
    title.append(f"  {hit.score:.3f}", style="dim")
    grid.add_row(Text(f"{place}."), title)
    grid.add_row("", Text(clean(hit.url, _URL), style="cyan"))
    if hit.snippet:
        grid.add_row("", _snippet(hit))
    for alias in hit.aliases:
        grid.add_row("", Text(f"also at {clean(alias, _URL)}", style="dim"))
    if hit.parts:
        added = " + ".join(f"{clean(word, _NAME)} {part:.3f}" for word, part in hit.parts.items())
        grid.add_row("", Text(f"{hit.score:.3f} = {added}", style="dim"))
    grid.add_row("", "")
    return grid


def _linked(url: str, *, bold: bool) -> Style:
    return Style(bold=bold, link=web_address(url))


def _snippet(hit: Hit) -> Text:
    """Words of the query stand out; white space between the parts stays, though cleaning folds it."""
    text = Text()
    for part in hit.snippet:
        before, after = part.text[:1].isspace(), part.text[-1:].isspace()
        said = clean(part.text, _SNIPPET)
        text.append(" " if before and text.plain[-1:].strip() else "")
        text.append(said, style="bold yellow" if part.match else "")
        text.append(" " if after and said else "")
    return text


def _clusters(answer: Answer, offset: int) -> RenderableType:
    table = Table(box=None, pad_edge=False, show_header=False)
    for cluster in answer.clusters:
        places = ", ".join(str(offset + place + 1) for place in cluster.hits)
        table.add_row(
            Text(clean(cluster.name, _NAME), style="cyan"), Text(clean(cluster.leaf, _NAME), style="dim"), Text(places)
        )
    return Group(Text("Clusters", style="bold"), table, "")


def _explained(answer: Answer) -> Tree:
    tree = Tree(Text(f"{clean(answer.router, _NAME) or 'router'} asked:", style="bold"))
    _add_explained(tree, answer.explain)
    return tree


def _add_explained(branch: Tree, explained: Iterable[Explained]) -> None:
    for one in explained:
        line = Text(clean(one.router, _NAME))
        line.append(f"  {one.decision}", style="bold" if one.decision == "asked" else "dim")
        line.append("  bound unknown" if one.bound is None else f"  bound {one.bound:.3f}", style="dim")
        if one.decision == "asked":
            line.append(f"  {one.hits} hits in {one.took_ms:.1f} ms", style="dim")
        if one.reason:
            line.append(f"  {clean(one.reason, _REASON)}", style="dim")
        _add_explained(branch.add(line), one.children)
