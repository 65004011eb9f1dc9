"""The shape of the code: which way imports point, and what the pure part keeps out."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PACKAGES = ("hypursuit", "routers", "topology")
STAGES = ("crawl", "text", "similarity", "clustering", "label", "query", "evaluation")
IMPURE = {
    "aiohttp", "asyncio", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random", "shutil", "signal",
    "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "urllib.request",
}  # fmt: skip
LONGEST_MODULE = 400


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            assert statement.level == 0, f"{path}: imports are absolute"
            yield statement.module or ""
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def in_package(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    """Hypursuit knows nobody, routers know hypursuit, topology knows both."""
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    wrong = [
        (path.name, name) for path in modules(package) for name in imports(path) for p in later if in_package(name, p)
    ]

    assert wrong == []


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_knows_only_earlier_stages(stage: str) -> None:
    later = [f"hypursuit.{other}" for other in STAGES[STAGES.index(stage) + 1 :]]
    folder = ROOT / "hypursuit" / stage
    wrong = [(p.name, name) for p in folder.rglob("*.py") for name in imports(p) for s in later if in_package(name, s)]

    assert wrong == []


def test_every_folder_of_hypursuit_is_a_known_stage() -> None:
    folders = {path.parent.name for path in (ROOT / "hypursuit").glob("*/__init__.py")}

    assert folders == set(STAGES)


def test_hypursuit_is_pure() -> None:
    """No sockets, no event loop, no clock, no files."""
    wrong = [
        (p.name, name) for p in modules("hypursuit") for name in imports(p) for bad in IMPURE if in_package(name, bad)
    ]

    assert wrong == []


def test_numba_is_imported_only_by_kernels() -> None:
    """It takes seconds to import: nothing may wait for it that does not need it."""
    outside = [
        path.name
        for path in modules("hypursuit")
        if not path.name.endswith("_kernels.py") and any(in_package(name, "numba") for name in imports(path))
    ]

    assert outside == []


def test_kernels_are_imported_inside_functions() -> None:
    at_the_top = [
        path.name
        for path in modules("hypursuit")
        if not path.name.endswith("_kernels.py")
        for statement in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.Import | ast.ImportFrom) and re.search(r"_kernels\b", ast.unparse(statement))
    ]

    assert at_the_top == []


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_stay_readable(package: str) -> None:
    long = {
        path.name: lines for path in modules(package) if (lines := len(path.read_text().splitlines())) > LONGEST_MODULE
    }

    assert long == {}


def test_everything_imported_is_declared() -> None:
    """A fresh install has what the packages import: standard library, ours, or a dependency in pyproject."""
    declared = {
        re.split(r"[<>=!\[; ]", need)[0].lower().replace("-", "_")
        for need in importlib.metadata.requires("hypursuit") or []
    }
    provided = importlib.metadata.packages_distributions()
    unknown = set()
    for package in PACKAGES:
        for path in modules(package):
            for name in imports(path):
                top = name.partition(".")[0]
                if top in sys.stdlib_module_names or top in PACKAGES:
                    continue
                owners = {owner.lower().replace("-", "_") for owner in provided.get(top, [top])}
                if not owners & declared:
                    unknown.add(top)

    assert unknown == set(), "declare it in pyproject.toml"
