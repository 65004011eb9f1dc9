"""``hypursuit serve router.toml``: one router on its own."""

from __future__ import annotations

from pathlib import Path

import click

from topology.console import progress_bars, run_until_interrupted
from topology.launch_bars import LaunchBars
from topology.one_router import read_router, running_router


@click.command()
@click.argument("file", metavar="router.toml", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--renew", is_flag=True, help="Ask a leaf's site, if crawled before, for what has changed.")
def command(file: Path, renew: bool) -> None:
    """Run one router alone, on a host of its own.

    The routers of a network find each other by what stands in their files, and speak HTTP. A leaf:

    \b
        name = "www.mit.edu"
        listen = "0.0.0.0:9001"
        url = "http://leaf.example:9001/"    # how others reach it, if not as it listens
        store = "stores"                     # relative to this file
        [site]                               # keys as of a [[site]] in network.toml
        url = "http://www.mit.edu/"
        [[parent]]
        url = "http://above.example:9000/"
        token = "some long secret"           # as in the parent's file

    A router above others:

    \b
        name = "mit.edu"
        listen = "0.0.0.0:9000"
        [[child]]
        name = "www.mit.edu"
        url = "http://leaf.example:9001/"
        token = "some long secret"           # what it has to show
        hosts = ["www.mit.edu"]              # what it may speak for: hosts, domains, host/path
        [budget]                             # of its label; optional
        bytes = 678000
        clusters = 50

    It runs until Ctrl-C. Started again, it answers from what it stored. All keys: topology/README.md.
    """  # noqa: D301  the mark of click is a real backspace
    router = read_router(file)
    with progress_bars(quiet=False) as bars:

        def started(url: str) -> None:
            bars.stop()
            click.echo(f"{router.served.name} answers at {url}")

        run_until_interrupted(running_router(router, LaunchBars(bars), renew=renew), started)
