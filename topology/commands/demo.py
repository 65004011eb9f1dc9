"""``hypursuit demo``: this Python's documentation as sites, crawled, clustered and searched through a tree."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from hypursuit.query.answer import SearchRequest
from routers.leaf import organise_store
from routers.store import Store
from topology.commands.clusters import cluster_tree, write_picture
from topology.commands.crawl import show
from topology.commands.search import ask
from topology.console import CrawlBars, output, progress_bars
from topology.demo import PORT, ROOT_PORT, CrawledSite, crawl_demo, demo_network, serving_demo
from topology.launch import running_tree
from topology.launch_bars import LaunchBars
from topology.shown_answer import show_answer
from topology.tree_view import tree_view

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from topology.demo import RunningDemo
    from topology.launch import RunningTree

CLUSTERS = 12
SEARCHES = ("regular expression", "title:json OR title:csv", '"event loop" -thread')


@click.command()
@click.option(
    "--directory",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-store"),
    show_default=True,
    help="Where pages, stores and maps go.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Where the sites are served."
)
@click.option(
    "--root-port", type=click.IntRange(1, 65535), default=ROOT_PORT, show_default=True, help="Where the tree answers."
)
@click.option(
    "--serve/--no-serve", default=False, help="Keep the tree and the sites up, to search and to follow links."
)
def command(directory: Path, port: int, root_port: int, serve: bool) -> None:
    """Make sites of this Python's documentation, crawl and cluster them, and bring up a tree of routers over them.

    Needs no network and no data. The pages are those of the standard library and the installed packages.
    """
    try:
        asyncio.run(_run(directory, port, root_port, serve=serve))
    except KeyboardInterrupt:
        if not serve:
            raise


async def _run(directory: Path, port: int, root_port: int, *, serve: bool) -> None:
    console = output()
    with progress_bars(quiet=False) as bars:
        making = bars.add_task("making pages", total=None, detail="")

        def made(done: int, total: int, module: str) -> None:
            bars.update(making, completed=done, total=total, detail=module[:40])

        async with serving_demo(directory / "sites", port=port, progress=made) as demo:
            bars.remove_task(making)
            console.print(
                f"[bold]{len(demo.sites)} sites[/], {sum(site.pages for site in demo.sites)} pages of documentation, "
                f"made from this Python and served on this machine\n"
            )
            await _crawl_and_cluster(demo, directory, console, bars)
            network = demo_network(demo, directory / "stores", root_port)
            async with running_tree(network, LaunchBars(bars, quiet=True)) as tree:
                bars.stop()
                await _show_searches(console, tree)
                _tell_where(console, directory, tree.url if serve else "")
                if serve:
                    await asyncio.Event().wait()


async def _crawl_and_cluster(demo: RunningDemo, directory: Path, console: Console, bars: Progress) -> None:
    crawled = await crawl_demo(demo, directory / "stores", CrawlBars(bars))
    show([site.report for site in crawled])
    clustering = bars.add_task("clustering", total=len(crawled), detail="")
    for site in crawled:
        bars.update(clustering, detail=site.site.host)
        await asyncio.to_thread(_organise, console, site, directory / "maps")
        bars.advance(clustering)
    bars.remove_task(clustering)


async def _show_searches(console: Console, tree: RunningTree) -> None:
    console.print()
    console.print(tree_view(tree.topology, tree.network.name, tree.pages))
    for text in SEARCHES:
        answer = await ask(tree.url, SearchRequest(q=text, limit=3, deadline_ms=10_000))
        console.print(f"\n[bold]$ hypursuit search {escape(shlex.quote(text))} --limit 3[/]\n")
        console.print(show_answer(answer))


def _organise(console: Console, site: CrawledSite, maps: Path) -> None:
    with Store.open(site.report.store) as store:
        root, clusters = store.root, organise_store(store)
    console.print()
    console.print(cluster_tree(root, clusters, CLUSTERS, 1))
    maps.mkdir(parents=True, exist_ok=True)
    write_picture(maps / f"{site.site.host}.svg", clusters.draw(f"{site.site.title} ({site.site.host})", CLUSTERS))


def _tell_where(console: Console, directory: Path, root: str) -> None:
    folder = escape(str(directory))
    console.print(f"\nMaps, to open in a browser:   {folder}/maps/*.svg")
    console.print(f"Finer or coarser clusters:    hypursuit clusters {folder}/stores -k 30")
    console.print(f"How good they are:            hypursuit evaluate clusters {folder}/stores")
    if root:
        console.print(f"Search it yourself:           hypursuit search WORD --router {escape(root)}")
        console.print(f"[bold]The root answers at {escape(root)}[/]  Ctrl-C stops it, and the sites.")
    else:
        console.print(f"Search it yourself, with:     hypursuit demo --serve --directory {folder}")
