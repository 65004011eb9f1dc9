"""The ``hypursuit`` command: finds the sub-command, runs it, turns errors into messages and exit codes.

Exit codes: 0 done; 1 it could not be done, and the message says why; 2 the command was not understood; 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from typing import cast

import click

from hypursuit import __version__
from hypursuit.errors import HyPursuitError

COMMANDS = {
    "bench": "Measure speed and memory against peers, as ratios in one run.",
    "clusters": "Organise the pages of a crawled site and show the tree of clusters.",
    "crawl": "Crawl sites into a store, one file each; run it again to update.",
    "demo": "Make sites of this Python's documentation and bring up a tree over them.",
    "evaluate": "Measure how good the results are.",
    "search": "Search everything below a running router.",
    "serve": "Run one router alone, on a host of its own.",
    "up": "Bring up a search over sites: a tree of routers shaped like DNS.",
}


class _Commands(click.Group):
    """One module per command, imported only when it runs: ``--help`` must not wait for numpy."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        return cast("click.Command", importlib.import_module(f"topology.commands.{cmd_name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="hypursuit")
def hypursuit() -> None:
    """One search over many web sites whose documents stay where they are."""


def main() -> None:
    """Entry point of the console command."""
    try:
        code = hypursuit.main(prog_name="hypursuit", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as usage:
        usage.show(file=sys.stdout)
        code = 0
    except click.ClickException as usage:
        usage.show()
        code = usage.exit_code
    except HyPursuitError as error:
        click.secho(f"hypursuit: {error}", fg="red", err=True)
        code = 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; what was stored stays, run the command again to go on", err=True)
        code = 130
    sys.exit(code if isinstance(code, int) else 0)
