"""Processes that import and describe modules for the demo, watched over: one module's misbehaviour costs one page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from topology.pydoc_pages import ModulePage

if TYPE_CHECKING:
    from topology.pydoc_subjects import PlannedSite

Progress = Callable[[int, int, str], None]
"""Told after every module: how many are done, of how many, and its name. Called from several threads, one at a time."""


def document_modules(
    plan: Iterable[PlannedSite], scratch: Path, progress: Progress, module_timeout: float
) -> tuple[dict[str, ModulePage], dict[str, str]]:
    """Document every module of the plan; gives the pages, and for those that have none the reason.

    Each site has worker processes of its own, so what a module's import changes for others does not depend on the
    number of cores.
    """
    # The longest first, so that no core idles at the end.
    sites = sorted(plan, key=lambda site: -len(site.modules))
    known = sorted({name for site in sites for name in site.modules})
    tally = _Tally(len(known), progress)
    crews = [_Crew(scratch / f"job-{number}", known, tally, module_timeout) for number in range(len(sites))]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
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
    """Workers that document one site's modules, each going on where the one before it fell."""

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
        with _Worker(self._folder, modules, self._known, self._timeout) as worker:
            begun, reached = self._follow(worker)
        if begun is not None:
            self._skip(begun, worker.verdict())
        elif reached == 0:  # it could not even start: going on would never end
            for name in modules:
                self._skip(name, worker.verdict())
            return []
        return modules[reached:]

    def _follow(self, worker: _Worker) -> tuple[str | None, int]:
        """Read a worker's reports to their end; gives the module begun and not ended, and how many were begun."""
        begun, reached = None, 0
        while line := worker.read_report():
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

    def _skip(self, module: str, reason: str) -> None:
        self._skipped[module] = reason
        self._tally.add(module)


class _Worker:
    """A :mod:`topology.pydoc_worker` process, killed if it lets us wait too long for a report or for its end."""

    def __init__(self, folder: Path, modules: list[str], known: list[str], timeout: float) -> None:
        self._timeout, self._timed_out = timeout, False
        job = folder / "job.json"
        facts = {"modules": modules, "known": known, "folder": str(folder / "pages")}
        job.write_text(json.dumps(facts), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "topology.pydoc_worker", str(job)],
            cwd=folder / "empty",
            env=_environment(folder / "empty"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._reports():
            try:
                self._process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                self._kill()
                self._process.wait()

    def read_report(self) -> str:
        """The next line that the worker says; empty once it has ended."""
        watchdog = threading.Timer(self._timeout, self._kill)
        watchdog.start()
        try:
            return self._reports().readline()
        finally:
            watchdog.cancel()

    def verdict(self) -> str:
        """Why it ended, to be asked after its end."""
        if self._timed_out:
            return f"took longer than {self._timeout:g} s"
        return f"ended the interpreter, status {self._process.returncode}"

    def _reports(self) -> IO[str]:
        assert self._process.stdout is not None  # noqa: S101 - asked for above; tells the type checker
        return self._process.stdout

    def _kill(self) -> None:
        self._timed_out = True
        self._process.kill()


def _environment(home: Path) -> dict[str, str]:
    """Only what Python needs to run: no display, no browser, no home of the user's, the same text in every run."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "SYSTEMROOT", "LD_LIBRARY_PATH"}}
    ours = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    fixed = {"PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    # Some packages note when they were built or run, unless this tells them.
    return {**kept, **fixed, "SOURCE_DATE_EPOCH": "0", "PYTHONPATH": path, "HOME": str(home), "TMPDIR": str(home)}
