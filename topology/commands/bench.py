"""``hypursuit bench``: speed and memory against peers."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape
from rich.table import Table

from hypursuit.errors import BadSetting, MissingPeer
from topology.console import json_option, output, print_json, working

if TYPE_CHECKING:
    from topology.bench.measurement import Measurement

BENCHMARKS = {
    "parse": "parse",
    "terms": "term_similarity",
    "links": "link_similarity",
    "complete-link": "complete_link",
    "organise": "organise",
    "crawl": "crawl",
}
TREE = "tree"


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*BENCHMARKS, TREE]))
@click.option("--large", is_flag=True, help="Also the sizes that take minutes and gigabytes.")
@click.option(
    "--web", type=click.Path(path_type=Path, file_okay=False), help="For tree: a folder of sites, one per host."
)
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="For tree: keep the stores here.")
@click.option(
    "--sites", type=click.IntRange(2), default=112, show_default=True, help="For tree: so many, largest first."
)
@click.option("--queries", type=click.IntRange(6), default=1020, show_default=True, help="For tree.")
@json_option
def command(
    names: tuple[str, ...], large: bool, web: Path | None, store: Path | None, sites: int, queries: int, as_json: bool
) -> None:
    """Measure speed and memory against peers, as ratios in one run.

    Without a NAME all benchmarks but the tree's run: parse, terms, links, complete-link, organise, crawl. Peers come
    with pip install 'hypursuit[bench]'; a benchmark without its peer is left out and says so.

    tree brings up a tree of routers over real sites and compares it with one index over all pages: exactness,
    leaves asked, speed. It needs --web and takes some minutes.
    """
    if TREE in names:
        _measure_tree(web, store, sites, queries, as_json=as_json)
    if names == (TREE,):
        return
    found: list[Measurement] = []
    for name in [name for name in names if name != TREE] or BENCHMARKS:
        module = importlib.import_module(f"topology.bench.{BENCHMARKS[name]}")
        with working(f"measuring {name}", quiet=as_json):
            try:
                found.extend(
                    module.measure(large=large)
                    if "large" in inspect.signature(module.measure).parameters
                    else module.measure()
                )
            except MissingPeer as missing:
                if names:
                    raise
                click.echo(f"{name} left out: {missing}", err=True)
    if as_json:
        print_json([{**_fields(measurement), "ratio": measurement.ratio} for measurement in found])
    else:
        output().print(_table(found))


def _measure_tree(web: Path | None, store: Path | None, sites: int, queries: int, *, as_json: bool) -> None:
    if web is None:
        raise BadSetting("bench tree runs on real sites: give a folder with one sub-folder of HTML per host with --web")
    from topology.bench.tree import measure_tree  # noqa: PLC0415  brings in everything
    from topology.bench.tree_report import report  # noqa: PLC0415

    def told(what: str) -> None:
        click.echo(what, err=True)

    with tempfile.TemporaryDirectory() as spare:
        results = asyncio.run(measure_tree(web, store or Path(spare), told, sites=sites, queries=queries))
    if as_json:
        print_json(results)
    else:
        click.echo(report(results))


def _fields(measurement: Measurement) -> dict[str, object]:
    names = inspect.signature(type(measurement)).parameters
    return {name: getattr(measurement, name) for name in names}


def _table(found: list[Measurement]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, right in (
        ("what", False),
        ("ours", True),
        ("peer", True),
        ("", False),
        ("times better", True),
        ("note", False),
    ):
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for measurement in found:
        peer = "" if measurement.peer is None else _quantity(measurement.peer, measurement.unit)
        ratio = "" if measurement.ratio is None else f"[bold]{measurement.ratio:.3g}[/]"
        ours = _quantity(measurement.ours, measurement.unit)
        table.add_row(
            escape(measurement.what), ours, peer, escape(measurement.peer_name), ratio, escape(measurement.note)
        )
    return table


def _quantity(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
