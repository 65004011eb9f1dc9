"""``hypursuit evaluate``: how good the results are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.table import Table

from hypursuit.clustering.signals import Method
from hypursuit.crawl.url import canonical_url
from hypursuit.errors import BadSetting
from hypursuit.evaluation.clusters import SiteComparison, category_table, compare_methods, url_directories
from routers.leaf import read_collection
from routers.store import Store
from topology.console import find_stores, json_option, output, print_json, progress_bars, store_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN_CLASSES = 4
_MEASURES = (("adjusted Rand", "adjusted_rand"), ("V-measure", "v_measure"), ("B³", "b3"))


@click.group()
def command() -> None:
    """Measure how good the results are."""


@command.command()
@store_argument
@click.option("--table", type=click.Path(path_type=Path, dir_okay=False), help="URL and class of pages, tab between.")
@click.option(
    "--depth", type=click.IntRange(1), help="Levels of the URL's directories that make a class; all if not given."
)
@click.option("-k", "--clusters", type=click.IntRange(2), default=30, show_default=True, help="How many clusters.")
@json_option
def clusters(stores: tuple[Path, ...], table: Path | None, depth: int | None, clusters: int, as_json: bool) -> None:
    """Compare clusters by terms, links and hybrid with the site's own order of its pages.

    The truth is the directory of each page's URL, or a table. Prints adjusted Rand index, V-measure and B³, and
    the categories of each cluster as in Table 1 of the 1996 paper. "plain" is that paper's own hybrid.
    """
    found = find_stores(stores)
    classes = None if table is None else read_classes(table)
    documents = []
    with progress_bars(quiet=as_json) as bars:
        task = bars.add_task("", total=len(found) * len(Method), detail="")
        for path in found:
            with Store.open(path) as store:
                root, collection = store.root, read_collection(store)
            urls = collection.urls
            truth: Sequence[str | None] = (
                url_directories(urls, depth) if classes is None else [classes.get(url) for url in urls]
            )

            def told(method: Method, root: str = root) -> None:
                bars.update(task, advance=1, description=root, detail=f"by {method}")

            compared = compare_methods(collection, truth, clusters, told=told)
            if as_json:
                documents.append(_document(root, compared, truth))
            else:
                _show(root, compared, truth)
    if as_json:
        print_json(documents)


def read_classes(table: Path) -> dict[str, str]:
    """URL → class from a file with one of each on a line, separated by a tab."""
    try:
        lines = table.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(
            f"cannot read {table}: {error}; it should be UTF-8 text, a URL, a tab and a class a line"
        ) from error
    classes: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        url, tab, name = line.partition("\t")
        if not tab or not name.strip():
            raise BadSetting(f"{table}, line {number}: there is no tab between a URL and a class")
        classes[canonical_url(url.strip())] = name.strip()
    return classes


def _show(root: str, compared: SiteComparison, truth: Sequence[str | None]) -> None:
    console = output()
    console.print(
        f"[bold]{escape(root)}[/]  {compared.pages} pages, {compared.judged} of them in {compared.classes} classes, "
        f"{compared.clusters} clusters"
    )
    figures = Table(box=None, pad_edge=False, header_style="bold")
    figures.add_column("similarity")
    for heading, _ in _MEASURES:
        figures.add_column(heading, justify="right")
    best = {name: max(getattr(result.agreement, name) for result in compared.results) for _, name in _MEASURES}
    for result in compared.results:
        values = [getattr(result.agreement, name) for _, name in _MEASURES]
        marks = [
            "[bold green]" if value == best[name] else "" for value, (_, name) in zip(values, _MEASURES, strict=True)
        ]
        cells = [f"{mark}{value:.3f}" for mark, value in zip(marks, values, strict=True)]
        figures.add_row(result.method.value, *cells)
    console.print(figures)
    console.print(_categories(compared, truth))


def _categories(compared: SiteComparison, truth: Sequence[str | None]) -> Table:
    """Table 1: what each cluster consists of, one column per method."""
    shown = (Method.TERMS, Method.LINKS, Method.HYBRID)
    columns = [category_table(truth, compared.of(method).membership) for method in shown]
    table = Table(pad_edge=False, header_style="bold", show_lines=True)
    table.add_column("#", justify="right")
    for method in shown:
        table.add_column(method.value, ratio=1, overflow="fold")
    for row in range(max(map(len, columns))):
        table.add_row(str(row + 1), *(_cell(column[row]) if row < len(column) else "" for column in columns))
    return table


def _cell(entries: list[tuple[str, int]]) -> str:
    shown = [f"{name or '/'} ({count})" for name, count in entries[:_SHOWN_CLASSES]]
    if len(entries) > _SHOWN_CLASSES:
        shown.append(f"{len(entries) - _SHOWN_CLASSES} more")
    return escape(", ".join(shown))


def _document(root: str, compared: SiteComparison, truth: Sequence[str | None]) -> dict[str, Any]:
    return {
        "site": root,
        "pages": compared.pages,
        "judged": compared.judged,
        "classes": compared.classes,
        "clusters": compared.clusters,
        "methods": {
            result.method.value: {
                "agreement": result.agreement,
                "link_trust": result.link_trust,
                "categories": [dict(entries) for entries in category_table(truth, result.membership)],
            }
            for result in compared.results
        },
    }
