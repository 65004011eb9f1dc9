from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from hypursuit.query import answer as wire
from routers.http_api import RouterApi
from routers.openapi import description
from routers.problems import STATUS

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_every_route_is_described_and_nothing_else() -> None:
    served = {(route.path, route.method.lower()) for route in RouterApi(None).routes("")}  # type: ignore[arg-type]
    described = {(path, method) for path, item in description()["paths"].items() for method in item}

    assert described == served


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if "$ref" in part else [])
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_every_reference_leads_somewhere() -> None:
    schemas = description()["components"]["schemas"]

    assert {reference.rpartition("/")[2] for reference in references(description())} <= set(schemas)


def test_schemas_are_those_of_the_types_in_use() -> None:
    """Field by field, so that a new one cannot be forgotten."""
    for name, schema in description()["components"]["schemas"].items():
        kind = getattr(wire, name)
        if schema["type"] == "object":
            assert set(schema["properties"]) == set(kind.__struct_fields__), name


def test_parameters_are_the_fields_that_people_give() -> None:
    names = {parameter["name"] for parameter in description()["paths"]["/search"]["get"]["parameters"]}

    assert names == {"q", "limit", "offset", "deadline", "explain"}


def test_every_error_has_its_status_in_the_description() -> None:
    described = {
        int(code) for item in description()["paths"].values() for op in item.values() for code in op["responses"]
    }

    assert {status for status, _ in STATUS.values()} <= described


async def test_it_is_served(grove: Any) -> None:
    grove.leaf("only.test")
    await grove.grow()
    reply = await grove.client("only.test")._send("GET", "/openapi.json", 5.0)

    document = msgspec.json.decode(reply.body)
    assert document == msgspec.json.decode(msgspec.json.encode(description()))
    assert re.fullmatch(r"3\.1\.\d", document["openapi"])
