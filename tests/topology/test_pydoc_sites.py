from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from hypursuit.errors import BadSetting, DemoFailed
from topology.pydoc_sites import build_pydoc_sites, build_sites
from topology.pydoc_subjects import LIBRARY, PlannedSite, find_modules, plan_library, plan_packages

if TYPE_CHECKING:
    from pathlib import Path

# Modules that misbehave, each in its own way, between two that behave.
STRANGE_PACKAGE = {
    "__init__.py": '"""A package of odd modules."""',
    "a_good.py": '"""The first.\n\nSee json.decoder.JSONDecoder and strange.z_last."""\nclass Thing: "A thing."',
    "b_exits.py": "import sys\nsys.exit(3)",
    "c_crashes.py": "import os\nos._exit(7)",
    "d_hangs.py": "import time\ntime.sleep(1000)",
    "e_talks.py": '"""Prints."""\nimport sys\nprint("{}")\nsys.stderr.write("!")\nassert sys.stdin.read() == ""',
    "f_reaches_out.py": "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "g_spawns.py": "import subprocess\nsubprocess.run(['true'])",
    "h_fails.py": "raise ValueError('no\\nluck')",
    "i_lies.py": '"""Undescribable."""\nclass Odd:\n    def __call__(self): pass\n'
    "    @property\n    def __name__(self): raise OSError\nodd = Odd()",
    "index.py": '"""Named like an index page."""',
    "j_empty.py": "",
    "j_deaf.py": "import os, time\nos.closerange(0, 100)\ntime.sleep(1000)",
    "k_leaks.py": '"""Shows the environment."""\nimport os\ndef home(where=os.environ, what=object(), n=3): "Where?"',
    "l_hostile.py": '"""<script>alert(1)</script>"""\nimport json\n__all__ = ["JSONDecoder", "f"]\n'
    'from json.decoder import JSONDecoder\ndef f(x="<i>"): "<b>bold</b>"',
    "z_last.py": '"""The last."""\nfrom strange.a_good import Thing\nclass Child(Thing): "Inherits."',
}


@pytest.fixture
def strange_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the package and its modules, which workers find on Python's path."""
    folder = tmp_path / "lib" / "strange"
    folder.mkdir(parents=True)
    for name, text in STRANGE_PACKAGE.items():
        (folder / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder.parent))
    return ["strange", *(f"strange.{name[:-3]}" for name in sorted(STRANGE_PACKAGE) if name != "__init__.py")]


def ignore_progress(done: int, total: int, module: str) -> None:
    """For tests that do not look at it."""


def small_plan() -> list[PlannedSite]:
    return [
        PlannedSite("net.library.test", "Net", {"Messages": ["json", "json.decoder", "json.encoder"]}),
        PlannedSite("data.library.test", "Data", {"Types": ["heapq", "enum"], "Numbers": ["numbers", "fractions"]}),
    ]


def build(plan: list[PlannedSite], directory: Path, port: int = 8711) -> dict[str, str]:
    """Build and read everything back: text by ``host/path``."""
    build_sites(plan, directory, ignore_progress, port=port, module_timeout=60)
    return {str(file.relative_to(directory)): file.read_text() for file in directory.rglob("*.html")}


def test_every_module_is_on_one_site_under_its_topic_and_package(tmp_path: Path) -> None:
    assert sorted(build(small_plan(), tmp_path / "sites")) == [
        "data.library.test/index.html",
        "data.library.test/numbers/fractions.html",
        "data.library.test/numbers/index.html",
        "data.library.test/numbers/numbers.html",
        "data.library.test/types/enum.html",
        "data.library.test/types/heapq.html",
        "data.library.test/types/index.html",
        "net.library.test/index.html",
        "net.library.test/messages/index.html",
        "net.library.test/messages/json/decoder.html",
        "net.library.test/messages/json/encoder.html",
        "net.library.test/messages/json/index.html",
    ]


def test_every_link_leads_to_a_page_and_to_a_place_in_it(tmp_path: Path) -> None:
    pages = build(small_plan(), tmp_path / "sites")
    links = [(page, link) for page, text in pages.items() for link in re.findall(r'href="([^"]*)"', text)]
    for page, link in links:
        parts = urlsplit(link)
        assert parts.port in {None, 8711}
        target = f"{parts.hostname or page.partition('/')[0]}{parts.path}"
        target += "index.html" if target.endswith("/") else ""
        assert target in pages, (page, link)
        assert not parts.fragment or f'id="{parts.fragment}"' in pages[target], (page, link)

    assert len(links) > 30


def test_a_class_links_to_its_base_on_another_page_and_a_module_to_those_it_uses(tmp_path: Path) -> None:
    fractions = build(small_plan(), tmp_path / "sites")["data.library.test/numbers/fractions.html"]

    assert 'Based on <a href="/numbers/numbers.html#Rational">Rational</a>' in fractions
    assert '<a href="/numbers/numbers.html">numbers</a>' in fractions.partition("<h2>See also</h2>")[2]


def test_names_in_docstrings_link_to_what_is_there_and_only_to_that(tmp_path: Path) -> None:
    plan = [*small_plan(), PlannedSite("files.test", "Files", {"": ["io", "marshal", "pickle"]})]
    json = build(plan, tmp_path / "sites")["net.library.test/messages/json/index.html"]

    assert ':mod:`<a href="http://files.test:8711/marshal.html">marshal</a>`' in json
    assert "\n    &gt;&gt;&gt; io.getvalue()" in json  # a variable of the example that is named like a module


def test_sites_link_to_each_other_with_the_port_they_are_served_on(tmp_path: Path) -> None:
    on_8711 = build(small_plan(), tmp_path / "sites")["net.library.test/index.html"]
    on_80 = build(small_plan(), tmp_path / "other", port=80)["net.library.test/index.html"]

    assert 'href="http://data.library.test:8711/"' in on_8711
    assert 'href="http://data.library.test/"' in on_80


def test_the_same_versions_give_the_same_bytes(tmp_path: Path) -> None:
    plan = [*small_plan(), PlannedSite("os.test", "Os", {"": ["os", "tempfile", "time", "socket", "numpy"]})]

    assert build(plan, tmp_path / "first") == build(plan, tmp_path / "second")


def test_a_misbehaving_module_is_named_and_costs_only_its_own_page(tmp_path: Path, strange_package: list[str]) -> None:
    plan = [PlannedSite("strange.test", "Strange", {"": strange_package})]
    done: list[str] = []
    (site,) = build_sites(plan, tmp_path / "sites", lambda *told: done.append(told[2]), port=80, module_timeout=5)

    assert site.skipped == {
        "strange.b_exits": "SystemExit: 3",
        "strange.c_crashes": "ended the interpreter, status 7",
        "strange.d_hangs": "took longer than 5 s",
        "strange.f_reaches_out": "PermissionError: socket.connect while documentation is made",
        "strange.g_spawns": "PermissionError: subprocess.Popen while documentation is made",
        "strange.h_fails": "ValueError: no luck",
        "strange.i_lies": "ended the interpreter, status 1",
        "strange.j_deaf": "took longer than 5 s",
        "strange.j_empty": "it says nothing",
    }
    assert sorted(done) == strange_package
    pages = {str(file.relative_to(tmp_path / "sites/strange.test")) for file in tmp_path.glob("sites/*/**/*.html")}
    assert pages == {
        "index.html",
        "strange/index.html",
        *(f"strange/{name}.html" for name in ("a_good", "e_talks", "index-module", "k_leaks", "l_hostile", "z_last")),
    }


def test_docstrings_cannot_break_out_and_the_environment_does_not_leak(
    tmp_path: Path, strange_package: list[str]
) -> None:
    chosen = ["strange", "strange.k_leaks", "strange.l_hostile"]
    pages = build([PlannedSite("strange.test", "Strange", {"": chosen})], tmp_path / "sites")
    hostile = pages["strange.test/strange/l_hostile.html"]

    assert "<script>" not in "".join(pages.values())
    assert "<b>bold" not in hostile
    assert "x='&lt;i&gt;'" in hostile
    assert "home(where=…, what=…, n=3)" in pages["strange.test/strange/k_leaks.html"]


def test_what_is_only_re_exported_is_linked_to_where_it_is_described(
    tmp_path: Path, strange_package: list[str]
) -> None:
    plan = [*small_plan(), PlannedSite("strange.test", "Strange", {"": ["strange", "strange.l_hostile"]})]
    page = build(plan, tmp_path / "sites")["strange.test/strange/l_hostile.html"]

    elsewhere = page.partition("<h2>Names from other modules</h2>")[2]
    assert '<a href="http://net.library.test:8711/messages/json/decoder.html#JSONDecoder">JSONDecoder</a>' in elsewhere


def test_a_second_build_keeps_the_pages_and_another_port_remakes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topology.pydoc_subjects.LIBRARY", {"data": {"Data types": "heapq bisect"}})
    sites = tmp_path / "sites"

    def build_small(port: int) -> tuple[list[str], int]:
        seen: list[str] = []
        build_pydoc_sites(sites, lambda *told: seen.append(told[2]), port=port, packages=0)
        return sorted(seen), (sites / "data.library.python.localhost/index.html").stat().st_mtime_ns

    first, made = build_small(8711)
    second, kept = build_small(8711)
    third, remade = build_small(8712)

    assert first == third == ["bisect", "heapq"]
    assert second == []
    assert made == kept < remade


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")

    with pytest.raises(BadSetting, match="holds something else"):
        build(small_plan(), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_nothing_documented_is_an_error_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(DemoFailed, match="no_such_module"):
        build([PlannedSite("none.test", "None", {"": ["no_such_module"]})], tmp_path / "sites")
    assert not (tmp_path / "sites").exists()


def test_planning_imports_no_package_and_no_distutils() -> None:
    code = (
        "import sys; from topology.pydoc_subjects import plan_library, plan_packages\n"
        "library = {module for site in plan_library('test', 500) for module in site.modules}\n"
        "packages = {module for site in plan_packages('test', 500, 500) for module in site.modules}\n"
        "print(len(library) > 300 and len(packages) > 300, packages & set(sys.modules), 'distutils' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "True set() False"


def test_the_known_bad_modules_private_ones_and_tests_are_never_planned() -> None:
    found = find_modules(["antigravity", "this", "idlelib", "test", "unittest", "lib2to3", "encodings", "_io"])

    assert "unittest.mock" in found
    assert "encodings" in found
    bad = re.compile(r"^(antigravity|this|idlelib|test|encodings\.)|\b(_\w*|tests?|__main__)$")
    assert [name for name in found if bad.search(name)] == []


def test_a_capped_site_keeps_the_package_of_every_module_it_keeps() -> None:
    for site in [*plan_library("test", 20), *plan_packages("test", 20, 5)]:
        kept = set(site.modules)
        assert 0 < len(kept) <= 20
        assert all(name.rpartition(".")[0] in {"", *kept} for name in kept)


def test_no_module_has_two_subjects() -> None:
    names = [name for topics in LIBRARY.values() for listed in topics.values() for name in listed.split()]

    assert len(names) == len(set(names))
