"""Typed messages to bytes and back: JSON for people, MessagePack between routers."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from hypursuit.errors import MalformedRequest

JSON = "application/json"
MSGPACK = "application/msgpack"
PROBLEM = "application/problem+json"
LABEL = "application/vnd.hypursuit.label"
FIGURE_5 = "text/plain"

T = TypeVar("T")

_json = msgspec.json.Encoder()
_msgpack = msgspec.msgpack.Encoder()


def pack(message: object, media_type: str = JSON) -> bytes:
    """A message in one of the two forms."""
    return _msgpack.encode(message) if media_type == MSGPACK else _json.encode(message)


def unpack(body: bytes, kind: type[T], media_type: str = JSON) -> T:
    """A checked message; raises MalformedRequest, which says what is wrong and where."""
    try:
        if media_type == MSGPACK:
            return msgspec.msgpack.decode(body, type=kind)
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedRequest(f"not a {kind.__name__}: {error}") from error


def accepted(accept: str, offered: tuple[str, ...]) -> str:
    """The first of the offered media types that a client accepts best; the first of all if it says nothing usable."""
    best, quality = offered[0], 0.0
    for part in accept.split(","):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = _quality(parameters)
        for known in offered:
            if weight > quality and kind in (known, f"{known.partition('/')[0]}/*", "*/*"):
                best, quality = known, weight
                break
    return best


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
