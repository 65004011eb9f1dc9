"""``hypursuit demo``: this Python's documentation as sites, crawled and clustered."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.markup import escape

from routers.leaf import organise_store
from routers.store import Store
from topology.commands.clusters import cluster_tree, write_picture
from topology.commands.crawl import show
from topology.console import CrawlBars, output, progress_bars
from topology.demo import PORT, CrawledSite, crawl_demo, serving_demo

if TYPE_CHECKING:
    from rich.console import Console

CLUSTERS = 12


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
@click.option("--serve/--no-serve", default=False, help="Go on serving the sites, so that the maps' links open.")
def command(directory: Path, port: int, serve: bool) -> None:
    """Make sites of this Python's documentation, crawl and cluster them.

    Needs no network and no data. The pages are those of the standard library and the installed packages.
    """
    try:
        asyncio.run(_run(directory, port, serve=serve))
    except KeyboardInterrupt:
        if not serve:
            raise


async def _run(directory: Path, port: int, *, serve: bool) -> None:
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
            crawled = await crawl_demo(demo, directory / "stores", CrawlBars(bars))
            show([site.report for site in crawled])
            clustering = bars.add_task("clustering", total=len(crawled), detail="")
            for site in crawled:
                bars.update(clustering, detail=site.site.host)
                await asyncio.to_thread(_organise, console, site, directory / "maps")
                bars.advance(clustering)
            bars.remove_task(clustering)
            _tell_where(console, directory, served=serve)
            if serve:
                bars.stop()
                await asyncio.Event().wait()


def _organise(console: Console, site: CrawledSite, maps: Path) -> None:
    with Store.open(site.report.store) as store:
        root, clusters = store.root, organise_store(store)
    console.print()
    console.print(cluster_tree(root, clusters, CLUSTERS, 1))
    maps.mkdir(parents=True, exist_ok=True)
    write_picture(maps / f"{site.site.host}.svg", clusters.draw(f"{site.site.title} ({site.site.host})", CLUSTERS))


def _tell_where(console: Console, directory: Path, *, served: bool) -> None:
    folder = escape(str(directory))
    console.print(f"\nMaps, to open in a browser:   {folder}/maps/*.svg")
    console.print(f"Finer or coarser clusters:    hypursuit clusters {folder}/stores -k 30")
    console.print(f"How good they are:            hypursuit evaluate clusters {folder}/stores")
    if served:
        console.print("The sites are served until you press Ctrl-C.")
    else:
        console.print(f"Links in the maps work while: hypursuit demo --serve --directory {folder}")
