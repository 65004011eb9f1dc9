"""What a module says about itself, as HTML: pydoc's reading of it, in plain sections with headings.

Runs in the demo's subprocess, on modules imported there. Links to other modules are written ``pydoc:module#name``;
who lays out the sites gives them their addresses.
"""

from __future__ import annotations

import html
import inspect
import pydoc
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import ModuleType

PAGE_BUDGET = 100_000
"""Characters of a page after which members are only named."""
_DOC_BUDGET = 4_000
_SIGNATURE_BUDGET = 300
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DOTTED = re.compile(r"(?<=:mod:`)\w+(?=`)|(?<![\w./@-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![/\w@-])")
_SPECIAL_METHODS = frozenset({"__init__", "__call__", "__enter__", "__exit__", "__iter__", "__getitem__", "__len__"})


@dataclass(slots=True)
class ModulePage:
    """The inside of a module's page."""

    name: str
    summary: str
    body: str
    see_also: list[str] = field(default_factory=list)
    """Other documented modules whose names this one uses, sorted."""


def describe_module(module: ModuleType, name: str, known: Collection[str]) -> ModulePage:
    """Describe a module under the name it was imported by.

    What it only re-exports from another of the ``known`` modules is named and linked to there, not repeated.
    """
    doc = pydoc.getdoc(module)
    summary, rest = pydoc.splitdoc(doc)
    return _Writer(module, name, known).page(summary or _first_sentence(doc), rest)


class _Writer:
    def __init__(self, module: ModuleType, name: str, known: Collection[str]) -> None:
        self._module, self._name, self._known = module, name, known
        self._parts: list[str] = []
        self._size = 0

    def page(self, summary: str, rest: str) -> ModulePage:
        members = dict(_public_members(self._module))
        own = {key: value for key, value in members.items() if self._is_own(value)}
        if rest:
            self._write(f'<div class="doc">{self._linked(rest)}</div>')
        self._section("Classes", own, inspect.isclass, self._class)
        self._section("Functions", own, _is_function, self._function)
        self._section("Constants", own, _is_constant, self._constant)
        self._names_from_elsewhere({key: value for key, value in members.items() if key not in own})
        return ModulePage(self._name, summary, "".join(self._parts), self._see_also())

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)

    def _section(
        self, title: str, members: dict[str, Any], kind: Callable[[Any], bool], write: Callable[[str, Any], None]
    ) -> None:
        chosen = [(key, value) for key, value in members.items() if kind(value)]
        if not chosen:
            return
        self._write(f"<h2>{title}</h2>\n")
        for count, (key, value) in enumerate(chosen):
            if self._size > PAGE_BUDGET:
                self._write(f"<p>Also: {', '.join(html.escape(key) for key, _ in chosen[count:])}.</p>\n")
                return
            write(key, value)

    def _class(self, key: str, cls: type) -> None:
        bases = ", ".join(self._name_link(base) for base in cls.__bases__ if base is not object)
        self._write(f'<h3 id="{html.escape(key)}">class {html.escape(key)}</h3>\n')
        if bases:
            self._write(f"<p>Based on {bases}.</p>\n")
        self._doc(vars(cls).get("__doc__"))
        methods = [(name, value) for name, value in sorted(vars(cls).items()) if _is_shown_method(name, value)]
        if methods:
            self._write("<dl>\n" + "".join(self._method(name, value) for name, value in methods) + "</dl>\n")

    def _method(self, name: str, value: Any) -> str:
        inner = inspect.unwrap(value.__func__ if isinstance(value, classmethod | staticmethod) else value)
        signature = "" if isinstance(inner, property) else self._linked(_signature(inner))
        doc = inspect.cleandoc(_text_of(value))[:_DOC_BUDGET]
        return f"<dt><b>{name}</b>{signature}</dt>\n<dd>{self._linked(doc)}</dd>\n"

    def _function(self, key: str, function: Any) -> None:
        self._write(f'<h3 id="{html.escape(key)}">{html.escape(key)}</h3>\n')
        self._write(f"<p><code>{html.escape(key)}{self._linked(_signature(function))}</code></p>\n")
        self._doc(_text_of(function))

    def _constant(self, key: str, value: Any) -> None:
        self._write(f'<p id="{html.escape(key)}"><code>{html.escape(key)}</code>: {_shown_value(value)}</p>\n')

    def _doc(self, doc: object) -> None:
        if isinstance(doc, str) and doc:
            self._write(f'<div class="doc">{self._linked(inspect.cleandoc(doc).strip()[:_DOC_BUDGET])}</div>\n')

    def _names_from_elsewhere(self, members: dict[str, Any]) -> None:
        if not members:
            return
        self._write("<h2>Names from other modules</h2>\n<ul>\n")
        for key, value in members.items():
            text = _first_line(_text_of(value))
            link = f'<a href="pydoc:{_home(value)}#{html.escape(key)}">{html.escape(key)}</a>'
            self._write(f"<li>{link} {html.escape(text)}</li>\n")
        self._write("</ul>\n")

    def _see_also(self) -> list[str]:
        used = {value.__name__ if inspect.ismodule(value) else _home(value) for value in vars(self._module).values()}
        return sorted(name for name in used if name is not None and name in self._known and name != self._name)

    def _is_own(self, value: Any) -> bool:
        home = _home(value)
        return home == self._name or home not in self._known

    def _name_link(self, cls: type) -> str:
        name = html.escape(cls.__qualname__)
        if cls.__module__ not in self._known:
            return name
        return f'<a href="pydoc:{html.escape(cls.__module__)}#{name}">{name}</a>'

    def _linked(self, text: str) -> str:
        """Escaped, with names of known modules and of what is in them made links: dotted ones, and :mod: roles."""
        return _DOTTED.sub(self._dotted_link, html.escape(_ADDRESS.sub("", text), quote=False))

    def _dotted_link(self, match: re.Match[str]) -> str:
        name, rest = match[0], ""
        while name and name not in self._known:
            name, _, last = name.rpartition(".")
            rest = last
        if not name or name == self._name:
            return match[0]
        return f'<a href="pydoc:{name}{"#" if rest else ""}{rest}">{match[0]}</a>'


def _public_members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What a module offers, sorted by name: ``__all__`` if it has one, else what it or its package defines."""
    listed = getattr(module, "__all__", None)
    for key, value in sorted(vars(module).items(), key=lambda member: member[0]):
        if key.startswith("_") or inspect.ismodule(value) or not pydoc.visiblename(key, listed, module):
            continue
        if listed is not None or inspect.isbuiltin(value) or _is_home(_home(value), module):
            yield key, value


def _is_home(home: str | None, module: ModuleType) -> bool:
    """Whether what comes from ``home`` is the module's own; a package also speaks for what is below it."""
    if home is None or home == module.__name__:
        return True
    return hasattr(module, "__path__") and home.startswith(f"{module.__name__}.")


def _home(value: Any) -> str | None:
    """The module that a class, function or the like says it comes from; None for plain values."""
    home = getattr(value, "__module__", None) if inspect.isclass(value) or _is_function(value) else None
    return home if isinstance(home, str) else None


def _is_function(value: Any) -> bool:
    """Routines, and what libraries wrap them in: ufuncs, dispatchers, partial objects with a name."""
    if inspect.isclass(value):
        return False
    return inspect.isroutine(value) or (callable(value) and isinstance(getattr(value, "__name__", None), str))


def _is_constant(value: Any) -> bool:
    return not inspect.isclass(value) and not _is_function(value) and not inspect.ismodule(value)


def _is_shown_method(name: str, value: Any) -> bool:
    if name.startswith("_") and name not in _SPECIAL_METHODS:
        return False
    return inspect.isroutine(value) or isinstance(value, property | classmethod | staticmethod)


def _signature(value: Any) -> str:
    try:
        told = inspect.signature(value)
    except (ValueError, TypeError):  # built-ins that do not tell
        return "(…)"
    parameters = [
        parameter
        if parameter.default is inspect.Parameter.empty or _is_plain(parameter.default)
        # Its text may hold the environment, a path, the time: nothing to publish, and never twice the same.
        else parameter.replace(default=_ELIDED)
        for parameter in told.parameters.values()
    ]
    text = str(told.replace(parameters=parameters))
    return text if len(text) <= _SIGNATURE_BUDGET else text[:_SIGNATURE_BUDGET] + "…"


class _Elided:
    def __repr__(self) -> str:
        return "…"


_ELIDED = _Elided()


def _is_plain(value: Any) -> bool:
    """Whether the value's text is short and the same in every run."""
    if isinstance(value, str):
        return len(value) <= 60 and "/" not in value
    return value is None or type(value) in {bool, int, float, bytes} or value == ()


def _shown_value(value: Any) -> str:
    if _is_plain(value):
        return f"<code>{html.escape(_ADDRESS.sub('', repr(value)))}</code>"
    return f"a {html.escape(type(value).__name__)}"


def _text_of(value: Any) -> str:
    doc = getattr(value, "__doc__", None)
    return doc if isinstance(doc, str) else ""


def _first_sentence(doc: str) -> str:
    """Of a text whose first line is no summary by itself."""
    sentence = re.split(r"(?<=[.:])\s", " ".join(doc.partition("\n\n")[0].split()), maxsplit=1)[0]
    return sentence if len(sentence) <= 160 else f"{sentence[:160].rpartition(' ')[0]} …"


def _first_line(doc: str) -> str:
    return pydoc.splitdoc(inspect.cleandoc(doc))[0] if doc else ""
