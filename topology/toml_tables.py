"""TOML files into typed tables: wrong keys, types and values refused with the path of the key."""

from __future__ import annotations

import difflib
import re
import tomllib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from hypursuit.errors import BadSetting, HyPursuitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Table = TypeVar("Table", bound=msgspec.Struct)


def read_toml(path: Path, table: type[Table]) -> Table:
    """A file's content as a table, or BadSetting with the file, the key's path and what to do."""
    with at(str(path)):
        content = _parse(path)
        _refuse_unknown_keys(content, msgspec.inspect.type_info(table), "")
        try:
            return msgspec.convert(content, table)
        except msgspec.ValidationError as error:
            raise BadSetting(_readable(str(error))) from error


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names what was probably meant, or else everything that could have been."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]}?"
    return f"known are {', '.join(names[:20])}{', …' if len(names) > 20 else ''}" if names else "none is known"


@contextmanager
def at(place: str) -> Iterator[None]:
    """Say in errors raised inside where in the file they come from."""
    try:
        yield
    except HyPursuitError as error:
        raise BadSetting(f"{place}: {error}") from error


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"is not TOML: {error}") from error


def _refuse_unknown_keys(content: Any, kind: msgspec.inspect.Type, path: str) -> None:
    """Walk tables and lists of tables as far as the types go; what has another type is msgspec's to refuse."""
    if isinstance(kind, msgspec.inspect.StructType) and isinstance(content, dict):
        known = {field.encode_name: field.type for field in kind.fields}
        for key, value in content.items():
            here = f"{path}.{key}" if path else key
            if key not in known:
                raise BadSetting(f"{here}: there is no such key; {nearest(key, known)}")
            _refuse_unknown_keys(value, known[key], here)
    elif isinstance(kind, msgspec.inspect.VarTupleType) and isinstance(content, list):
        for place, item in enumerate(content):
            _refuse_unknown_keys(item, kind.item_type, f"{path}[{place}]")


def _readable(message: str) -> str:
    """``site[0].url: expected `str`, got `int``` of msgspec's words; the path stands at their end, if anywhere."""
    found = re.fullmatch(r"(?s)(.*) - at `\$\.?(.*)`", message)
    if found is None:
        return message
    said, path = found.groups()
    return f"{path}: {said[0].lower()}{said[1:]}"
