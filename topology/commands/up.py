"""``hypursuit up``: a list of sites into a running tree of routers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.text import Text

from hypursuit.clustering.lettering import clean
from hypursuit.errors import BadSetting
from topology.commands.crawl import show
from topology.console import json_option, output, print_json, progress_bars, run_until_interrupted
from topology.launch_bars import LaunchBars
from topology.network import Network, network_of, read_network, with_options
from topology.tree_view import tree_view

if TYPE_CHECKING:
    from topology.launch import RunningTree
    from topology.shape import Topology

_STORE = Path("stores")


@click.command()
@click.argument("what", metavar="[network.toml | URL...]", nargs=-1, required=True)
@click.option("--store", type=click.Path(path_type=Path, file_okay=False), help="Folder of stores; ./stores for URLs.")
@click.option("--listen", metavar="HOST:PORT", help="Where the root answers; 127.0.0.1:8080. Port 0: any free one.")
@click.option(
    "--resolve", "resolves", metavar="HOST:PORT:ADDRESS", multiple=True, help="Find a host there; like curl's."
)
@click.option("--max-pages", type=click.IntRange(1), help="Pages per site; the first ones in breadth-first order.")
@click.option("--processes", metavar="N|each", help="1: all in one; N: leaves over N more; each: one per router.")
@click.option("--renew", is_flag=True, help="Ask sites that were crawled before for what has changed.")
@click.option("--dry-run", is_flag=True, help="Print the tree that would be made, and nothing else.")
@json_option
def command(what: tuple[str, ...], renew: bool, dry_run: bool, as_json: bool, **options: Any) -> None:
    """Bring up a search over sites: a tree of routers shaped like DNS.

    Sites are those of a network.toml (its keys: topology/README.md), or the URLs given. What is not crawled yet is
    crawled; stores, indexes and labels that are there are used again. Runs until Ctrl-C.
    """
    network = _network(what, **options)
    for hierarchy in network.hierarchies:
        click.secho(
            f"hierarchy {clean(hierarchy.name)} is fine, but only the DNS-shaped tree is launched yet",
            fg="yellow",
            err=True,
        )
    if dry_run:
        _show_plan(network, as_json=as_json)
        return
    _run(network, renew=renew, as_json=as_json)


def _run(network: Network, *, renew: bool, as_json: bool) -> None:
    from topology.launch import running_tree  # noqa: PLC0415  numpy and all routers: a dry run need not wait for them

    with progress_bars(quiet=as_json) as bars:

        def started(tree: RunningTree) -> None:
            bars.stop()
            _show_tree(tree, as_json=as_json)

        progress = LaunchBars(bars, quiet=as_json)
        run_until_interrupted(running_tree(network, progress, renew=renew), started)


def _network(what: tuple[str, ...], *, processes: str | None, store: Path | None, **options: Any) -> Network:
    files = [word for word in what if word.endswith(".toml") and "://" not in word]
    if files and len(what) > 1:
        raise BadSetting(f"give one network.toml or some URLs, not {files[0]} beside {len(what) - 1} more")
    network = read_network(Path(files[0])) if files else network_of(what, store or _STORE)
    network = with_options(network, store=store, **options)
    return network if processes is None else replace(network, processes=_processes(processes))


def _processes(text: str) -> Any:
    if text == "each" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text if text == "each" else int(text)
    raise click.BadParameter(f"{text!r} is neither a number nor 'each'", param_hint="--processes")


def _show_plan(network: Network, *, as_json: bool) -> None:
    topology = network.topology()
    if as_json:
        print_json({"name": network.name, "routers": _routers(topology)})
    else:
        output().print(tree_view(topology, network.name))


def _show_tree(tree: RunningTree, *, as_json: bool) -> None:
    if as_json:
        print_json(_document(tree))
        return
    console = output()
    reports = [found.report for found in tree.gathered if found.report is not None]
    if reports:
        show(reports)
        console.print()
    console.print(tree_view(tree.topology, tree.network.name, tree.pages))
    failures = [(found.site.root, found.failure) for found in tree.gathered if found.failure and found.pages]
    failures += [(name, error) for name, error in tree.left_out.items()]
    for name, error in failures:
        kept = "" if name in tree.left_out else "; pages of an earlier crawl are used"
        verb = "left out" if name in tree.left_out else "not crawled"
        console.print(Text(f"{verb}: {clean(name)}: {clean(str(error), 400)}{kept}", style="yellow"))
    known = sum(1 for found in tree.gathered if found.report is None and found.failure is None)
    if known:
        console.print(
            f"\n{known} of {len(tree.gathered)} sites were crawled before; --renew asks for what has changed."
        )
    console.print(f"\nSearch it:     hypursuit search WORD --router {escape(tree.url)}")
    console.print(f"[bold]The root answers at {escape(tree.url)}[/]  Ctrl-C stops it.")


def _routers(topology: Topology) -> list[dict[str, Any]]:
    return [
        {"name": r.name, "site": r.site.root if r.site else None, "children": r.children, "parents": r.parents}
        for r in topology.routers
    ]


def _document(tree: RunningTree) -> dict[str, Any]:
    found = {
        router["name"]: router | {"url": tree.urls[router["name"]], "pages": tree.pages.get(router["name"])}
        for router in _routers(tree.topology)
    }
    return {
        "name": tree.network.name,
        "root": tree.url,
        "routers": list(found.values()),
        "left_out": {name: str(error) for name, error in tree.left_out.items()},
        "crawled": [found.site.root for found in tree.gathered if found.report is not None],
        "prepared": [leaf.name for leaf in tree.prepared if leaf.made],
    }
