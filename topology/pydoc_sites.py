"""The documentation of the Python that runs this, as several web sites: what the demo crawls.

Nothing is imported here: modules are imported and described by :mod:`topology.pydoc_worker` processes, one per
site, and a module that fails, exits, crashes or hangs there is left out and named.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from hypursuit.errors import BadSetting, DemoFailed
from topology.pydoc_layout import Layout
from topology.pydoc_pages import ModulePage
from topology.pydoc_subjects import PlannedSite, installed_versions, plan_library, plan_packages

Progress = Callable[[int, int, str], None]
"""Told after every module: how many are done, of how many, and its name."""

DOMAIN = "python.localhost"
"""Browsers send every name below localhost to this machine, so the demo's links can be clicked."""
_MANIFEST = "manifest.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site made by :func:`build_pydoc_sites`: ``DIRECTORY/<host>/…``."""

    host: str
    title: str
    pages: int
    skipped: dict[str, str]
    """Modules that could not be documented, with the reason."""


def build_pydoc_sites(
    directory: Path,
    progress: Progress = lambda done, total, module: None,  # noqa: ARG005 - names for the reader
    *,
    port: int = 80,
    domain: str = DOMAIN,
    pages: int = 100,
    packages: int = 8,
    module_timeout: float = 20.0,
) -> list[DemoSite]:
    """Make the sites below ``directory``, or keep those that are there if they were made by the same versions.

    Args:
        directory: Made if missing, and replaced as a whole: it must be empty or hold sites made before.
        progress: Called from several threads, one at a time.
        port: Where the sites will be served; it stands in the links from one site to another.
        domain: What the host names end with.
        pages: The most modules documented per site.
        packages: The most installed distributions documented, besides the standard library.
        module_timeout: Seconds a module may take to import and describe.
    """
    plan = plan_library(domain, pages) + plan_packages(domain, pages, packages)
    fingerprint = _fingerprint(plan, port)
    return _read_manifest(directory, fingerprint) or build_sites(
        plan, directory, progress, port=port, module_timeout=module_timeout, fingerprint=fingerprint
    )


def build_sites(
    plan: list[PlannedSite],
    directory: Path,
    progress: Progress,
    *,
    port: int,
    module_timeout: float,
    fingerprint: str = "",
) -> list[DemoSite]:
    """Make the planned sites; ``directory`` changes only once all of them are complete."""
    directory = directory.resolve()
    _refuse_other_content(directory)
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{directory.name}-", dir=directory.parent) as scratch:
        documented, skipped = _document_all(plan, Path(scratch), progress, module_timeout)
        if not documented:
            raise DemoFailed(f"no module could be documented; the first: {next(iter(skipped.items()), 'none planned')}")
        made = Path(scratch, "sites")
        layout = Layout(plan, documented, port)
        sites = [
            DemoSite(
                site.host,
                site.title,
                layout.write(site, made / site.host),
                {name: skipped[name] for name in site.modules if name in skipped},
            )
            for site in plan
            if any(name in documented for name in site.modules)
        ]
        manifest = {"fingerprint": fingerprint, "sites": [asdict(site) for site in sites]}
        (made / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        shutil.rmtree(directory, ignore_errors=True)
        made.rename(directory)
    return sites


def _document_all(
    plan: Iterable[PlannedSite], scratch: Path, progress: Progress, module_timeout: float
) -> tuple[dict[str, ModulePage], dict[str, str]]:
    """Document every module of the plan; gives the pages, and the reasons for those that have none."""
    sites = sorted(plan, key=lambda site: -len(site.modules))  # the longest first, so that no core idles at the end
    known = sorted({name for site in sites for name in site.modules})
    tally = _Tally(len(known), progress)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
        crews = [_Crew(scratch / f"job-{number}", known, tally, module_timeout) for number in range(len(sites))]
        reasons = list(threads.map(lambda crew, site: crew.document(site.modules), crews, sites))
    skipped = {name: reason for site_reasons in reasons for name, reason in site_reasons.items()}
    pages = (json.loads(file.read_text(encoding="utf-8")) for file in sorted(scratch.glob("job-*/pages/*.json")))
    return {page["name"]: ModulePage(**page) for page in pages if page["name"] not in skipped}, skipped


class _Tally:
    """Counts modules for all threads and passes the count on."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done, self._total, self._progress = 0, total, progress
        self._lock = threading.Lock()

    def add(self, module: str) -> None:
        with self._lock:
            self._done += 1
            self._progress(self._done, self._total, module)


class _Crew:
    """Worker processes that document one site's modules, each going on where the one before it fell."""

    def __init__(self, folder: Path, known: list[str], tally: _Tally, module_timeout: float) -> None:
        self._folder, self._known, self._tally, self._timeout = folder, known, tally, module_timeout
        self._skipped: dict[str, str] = {}

    def document(self, modules: list[str]) -> dict[str, str]:
        """Document the modules; gives those left out, with the reason."""
        for name in ("pages", "empty"):
            (self._folder / name).mkdir(parents=True)
        left = modules
        while left:
            left = self._go_on(left)
        return self._skipped

    def _go_on(self, modules: list[str]) -> list[str]:
        """Run one worker; gives the modules it did not come to."""
        job = self._folder / "job.json"
        folder = str(self._folder / "pages")
        job.write_text(json.dumps({"modules": modules, "known": self._known, "folder": folder}), encoding="utf-8")
        command = [sys.executable, "-P", "-m", "topology.pydoc_worker", str(job)]
        with subprocess.Popen(
            command,
            cwd=self._folder / "empty",
            env=_worker_environment(self._folder / "empty"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        ) as worker:
            begun, reached = self._follow(worker)
        if begun is not None:
            self._skip(begun, self._verdict(worker.returncode))
        elif reached == 0:  # it could not even start: going on would never end
            for name in modules:
                self._skip(name, self._verdict(worker.returncode))
            return []
        return modules[reached:]

    def _follow(self, worker: subprocess.Popen[str]) -> tuple[str | None, int]:
        """Read a worker's reports to their end, killing it if one does not come in time.

        Gives the module begun and not ended, if any, and how many were begun.
        """
        begun, reached = None, 0
        assert worker.stdout is not None  # noqa: S101 - asked for by the caller; tells the type checker
        self._timed_out = False
        while line := self._read_report(worker):
            report = json.loads(line)
            if "begin" in report:
                begun, reached = report["begin"], reached + 1
                continue
            begun = None
            if "skipped" in report:
                self._skip(report["skipped"], report["reason"])
            else:
                self._tally.add(report["done"])
        return begun, reached

    def _read_report(self, worker: subprocess.Popen[str]) -> str:
        watchdog = threading.Timer(self._timeout, self._kill, [worker])
        watchdog.start()
        try:
            assert worker.stdout is not None  # noqa: S101 - see above
            return worker.stdout.readline()
        finally:
            watchdog.cancel()

    def _kill(self, worker: subprocess.Popen[str]) -> None:
        self._timed_out = True
        worker.kill()

    def _verdict(self, status: int) -> str:
        if self._timed_out:
            return f"took longer than {self._timeout:g} s"
        return f"ended the interpreter, status {status}"

    def _skip(self, module: str, reason: str) -> None:
        self._skipped[module] = reason
        self._tally.add(module)


def _worker_environment(home: Path) -> dict[str, str]:
    """Only what Python needs to run: no display, no browser, no home of the user's, the same text in every run."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "SYSTEMROOT", "LD_LIBRARY_PATH"}}
    ours = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    fixed = {
        "PYTHONPATH": path,
        "PYTHONHASHSEED": "0",
        "PYTHONWARNINGS": "ignore",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SOURCE_DATE_EPOCH": "0",
    }
    return {**kept, **fixed, "HOME": str(home), "TMPDIR": str(home)}


def _fingerprint(plan: list[PlannedSite], port: int) -> str:
    """Differs whenever the pages may differ."""
    facts = [_FORMAT, sys.version, platform.platform(), port, installed_versions(plan), [asdict(site) for site in plan]]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _read_manifest(directory: Path, fingerprint: str) -> list[DemoSite]:
    """The sites made before, if they are what would be made now."""
    try:
        manifest = json.loads((directory / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return [DemoSite(**site) for site in manifest["sites"]] if manifest["fingerprint"] == fingerprint else []


def _refuse_other_content(directory: Path) -> None:
    if directory.exists() and any(directory.iterdir()) and not (directory / _MANIFEST).exists():
        raise BadSetting(f"{directory} holds something else: name a new or empty folder for the demo's sites")
