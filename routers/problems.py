"""Errors as answers: every one is a problem+json, made in one place."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiohttp import web

from hypursuit.errors import (
    ForeignLabel,
    HyPursuitError,
    LabelChanged,
    LabelOutdated,
    LabelRefused,
    MalformedLabel,
    MalformedQuery,
    MalformedRequest,
    NotAuthorised,
    Overloaded,
    RouterUnavailable,
)
from hypursuit.query.answer import Problem
from routers.wire import PROBLEM, pack

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_log = logging.getLogger(__name__)

STATUS: dict[type[HyPursuitError], tuple[int, str]] = {
    MalformedQuery: (400, "The query cannot be read"),
    MalformedRequest: (400, "The request cannot be understood"),
    NotAuthorised: (401, "Not this child's token"),
    ForeignLabel: (403, "The label is not this child's to give"),
    LabelOutdated: (409, "A later label is known"),
    LabelChanged: (412, "The label has changed meanwhile"),
    LabelRefused: (422, "The label is refused"),
    MalformedLabel: (422, "Not a content label"),
    Overloaded: (503, "Too many searches"),
    RouterUnavailable: (503, "Not ready"),
}
"""Error → status and title; of an error not listed here its nearest base, or 500."""


def problem(error: HyPursuitError) -> Problem:
    """An error as it is told to clients."""
    known = next((kind for kind in type(error).__mro__ if kind in STATUS), None)
    status, title = STATUS[known] if known else (500, "Something is wrong here")
    return Problem(
        title=title,
        status=status,
        detail=str(error),
        position=error.position if isinstance(error, MalformedQuery) else None,
        version=error.current if isinstance(error, LabelOutdated) else None,
    )


def respond(told: Problem, headers: dict[str, str] | None = None) -> web.Response:
    """A problem as a response."""
    return web.Response(status=told.status, body=pack(told), content_type=PROBLEM, headers=headers)


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever a handler raises into a problem; what nobody foresaw is logged and told without details."""
    try:
        return await handler(request)
    except Overloaded as error:
        return respond(problem(error), {"Retry-After": str(error.retry_after)})
    except NotAuthorised as error:
        return respond(problem(error), {"WWW-Authenticate": 'Bearer realm="labels"'})
    except HyPursuitError as error:
        return respond(problem(error))
    except web.HTTPException as error:
        kept = {name: error.headers[name] for name in ("Allow", "Location") if name in error.headers}
        return respond(Problem(title=error.reason, status=error.status, detail=error.text or ""), kept)
    except (asyncio.CancelledError, ConnectionError):
        raise
    except Exception:  # noqa: BLE001  the last resort of a server: one broken request must not be told its traceback
        _log.exception("a request for %s failed", request.rel_url)
        return respond(Problem(title="Something is wrong here", status=500))
