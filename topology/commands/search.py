"""``hypursuit search QUERY``: ask a running router."""

from __future__ import annotations

import asyncio
import difflib
import re
import sys

import click
import msgspec

from hypursuit.crawl.url import canonical_url
from hypursuit.errors import BadSetting, MalformedUrl, RouterUnavailable
from hypursuit.query.answer import LONGEST_QUERY, MOST_RESULTS, Answer, SearchRequest
from routers.client import RouterClient, make_session
from topology.console import json_option, output, print_json
from topology.shown_answer import show_answer

ROUTER = "http://127.0.0.1:8080/"
_EXCLUDED = re.compile(r"-(?!-|h\Z|\d+\Z)")
_SHIELD = "\0"
"""Cannot stand in an argument of a process, so it cannot be meant."""


class _Words(click.Command):
    """Takes ``-word`` for a word to exclude, which click would read as letters of options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f"{_SHIELD}{word}" if _EXCLUDED.match(word) else word for word in args])


@click.command(cls=_Words, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, required=True)
@click.option("--router", metavar="URL", default=ROUTER, show_default=True, help="Any router of a running network.")
@click.option("--limit", type=click.IntRange(1, MOST_RESULTS), default=10, show_default=True, help="Pages wanted.")
@click.option("--offset", type=click.IntRange(0, MOST_RESULTS), default=0, help="Pages to leave out, best first.")
@click.option(
    "--deadline", type=click.FloatRange(0.001, 60), default=2.0, show_default=True, metavar="SECONDS",
    help="When an answer must be there, complete or not.",
)  # fmt: skip
@click.option("--explain", is_flag=True, help="Show which routers were asked and why, and what made the scores.")
@json_option
def command(
    query: tuple[str, ...], router: str, limit: int, offset: int, deadline: float, explain: bool, as_json: bool
) -> None:
    """Search everything below a router.

    QUERY is words that all have to be there; also OR, -word, "a phrase", (...), title:word, site:host/path. What the
    shell would take apart needs its quotes: '"a phrase" -word'.
    """
    for word in query:
        if word.startswith("--"):  # a single dash excludes a word; two are an option that there is not
            raise click.NoSuchOption(word, possibilities=_suggestions(word))
    text = " ".join(query).replace(_SHIELD, "")
    if len(text) > LONGEST_QUERY:
        raise BadSetting(f"the query has {len(text)} characters; routers take up to {LONGEST_QUERY}")
    request = SearchRequest(q=text, limit=limit, offset=offset, deadline_ms=round(deadline * 1000), explain=explain)
    answer = asyncio.run(ask(router, request))
    if as_json:
        print_json(msgspec.to_builtins(answer))
    else:
        output().print(show_answer(answer, offset=offset))
    if not answer.hits and not answer.exact:
        sys.exit(1)


def _suggestions(word: str) -> list[str]:
    options = [name for option in command.params for name in option.opts if name.startswith("--")]
    return difflib.get_close_matches(word.partition("=")[0], options)


async def ask(router: str, request: SearchRequest) -> Answer:
    """One search of the router at a URL as people type it."""
    try:
        url = canonical_url(router if "://" in router else f"http://{router}")
    except MalformedUrl as error:
        raise BadSetting(f"--router: {router!r} is not the URL of a router: {error.reason}") from error
    async with make_session() as session:
        try:
            return await RouterClient(url, session).search(request)
        except RouterUnavailable as error:
            raise RouterUnavailable(
                url, f"{error.reason}; is it up? Start it with: hypursuit up, or name another one with --router"
            ) from error
