"""The READMEs say what is there, and what they show runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from topology.cli import COMMANDS
from topology.commands.bench import BENCHMARKS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(path for path in ROOT.rglob("*.md") if not {".venv", "node_modules"} & set(path.parts))
FOLDERS = [
    folder
    for package in ("hypursuit", "routers", "topology")
    for folder in (ROOT / package, *(init.parent for init in (ROOT / package).glob("*/__init__.py")))
    if folder.name not in {"bench", "commands"}
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_the_readme(command: str) -> None:
    assert f"`hypursuit {command}" in README


def test_the_first_two_commands_are_make_demo_and_make_test() -> None:
    commands = re.findall(r"^ {4}(make \w+)", README, re.MULTILINE)

    assert commands[:2] == ["make demo", "make test"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_every_folder_has_a_readme_that_names_its_modules(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in folder.glob("*.py")} - {"__init__.py", "__main__.py"}

    assert {name for name in modules if name not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_in_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_in_pages_runs(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_deviations_name_tests_that_exist() -> None:
    notation = (ROOT / "hypursuit" / "NOTATION.md").read_text(encoding="utf-8")
    there = {path.name for path in (ROOT / "tests").rglob("test_*.py")}

    assert set(re.findall(r"`(test_\w+\.py)`", notation)) - there == set()


def test_every_benchmark_is_listed_by_its_command() -> None:
    help_text = subprocess.run(
        [sys.executable, "-m", "topology", "bench", "--help"], capture_output=True, text=True, check=True
    ).stdout

    assert all(name in help_text for name in BENCHMARKS)
    assert all((ROOT / "topology" / "bench" / f"{module}.py").exists() for module in BENCHMARKS.values())
