from __future__ import annotations

import re
from pathlib import Path

from hypursuit.crawl.outcome import Outcome
from routers.store_file import SCHEMA

FOLDER = Path(__file__).parents[2] / "routers"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_column_of_the_schema_is_explained() -> None:
    for table, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", SCHEMA, re.DOTALL):
        [row] = re.findall(rf"^\| `{table}` \|.*$", README, re.MULTILINE)
        names = set(re.findall(r"^    (\w+) ", columns, re.MULTILINE)) - {"id"}
        assert {name for name in names if f"`{name}`" not in row} == set(), table


def test_every_outcome_is_named() -> None:
    assert [outcome for outcome in Outcome if f"`{outcome.value}`" not in README] == []


def test_every_module_is_named() -> None:
    modules = {path.name for path in FOLDER.glob("*.py")} - {"__init__.py"}

    assert {name for name in modules if f"`{name}`" not in README} == set()
