"""The OpenAPI 3.1 description, from the very types that the server and the client use."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from hypursuit.query.answer import Answer, Health, LabelReceipt, Problem, SearchRequest
from routers.wire import FIGURE_5, JSON, LABEL, MSGPACK, PROBLEM

_TYPES = (Answer, Health, LabelReceipt, Problem, SearchRequest)
_PLACE = "#/components/schemas/{name}"
_PARAMETERS = {"q": "q", "limit": "limit", "offset": "offset", "deadline_ms": "deadline", "explain": "explain"}
"""Fields of a search → parameters of its URL."""

Json = dict[str, Any]


@cache
def description() -> Json:
    """The document; do not change it."""
    references, schemas = msgspec.json.schema_components(_TYPES, ref_template=_PLACE)
    by_type = dict(zip(_TYPES, references, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "HyPursuit router",
            "version": version("hypursuit"),
            "description": "The same at every level: a router answers for all that lies below it.",
        },
        "paths": _paths(by_type, schemas),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"child": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths(types: dict[Any, Json], schemas: Json) -> Json:
    messages = {JSON: {"schema": types[Answer]}, MSGPACK: {"schema": types[Answer]}}
    request = {JSON: {"schema": types[SearchRequest]}, MSGPACK: {"schema": types[SearchRequest]}}
    binary = {"schema": {"type": "string", "format": "binary"}}
    forms = {LABEL: binary, FIGURE_5: {"schema": {"type": "string"}}, JSON: {"schema": {"type": "object"}}}
    health = {JSON: {"schema": types[Health]}}
    child = {"name": "child", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "/search": {
            "get": _operation("The best pages below", messages, 400, 503, parameters=_parameters(schemas)),
            "post": _operation(
                "The same for routers, with what the query carries", messages, 400, 408, 413, 415, 503, body=request
            ),
        },
        "/label": {"get": _operation("The content label of all that lies below", forms, 503)},
        "/labels/{child}": {
            "put": _operation(
                "A child hands in its label",
                {JSON: {"schema": types[LabelReceipt]}},
                *(401, 403, 408, 409, 412, 413, 415, 422),
                parameters=[child],
                body={LABEL: binary},
                secured=True,
            )
        },
        "/healthz": {"get": _operation("Whether the router is up", health)},
        "/readyz": {"get": _ready(health)},
        "/openapi.json": {"get": _operation("This description", {JSON: {"schema": {"type": "object"}}})},
    }


def _operation(
    summary: str,
    content: Json,
    *errors: int,
    parameters: list[Json] | None = None,
    body: Json | None = None,
    secured: bool = False,
) -> Json:
    problem = {"description": "A problem, by RFC 9457", "content": {PROBLEM: {"schema": _reference("Problem")}}}
    operation: Json = {
        "summary": summary,
        "responses": {"200": {"description": summary, "content": content}} | {str(error): problem for error in errors},
    }
    if parameters:
        operation["parameters"] = parameters
    if body:
        operation["requestBody"] = {"required": True, "content": body}
    if secured:
        operation["security"] = [{"child": []}]
    return operation


def _ready(content: Json) -> Json:
    operation = _operation("Whether the router can answer for all below it", content)
    operation["responses"]["503"] = {"description": "Not yet", "content": content}
    return operation


def _parameters(schemas: Json) -> list[Json]:
    """The fields of a search that people give, as parameters of a URL."""
    search = schemas["SearchRequest"]
    return [
        {"name": name, "in": "query", "required": field in search["required"], "schema": search["properties"][field]}
        for field, name in _PARAMETERS.items()
    ]


def _reference(name: str) -> Json:
    return {"$ref": _PLACE.format(name=name)}
