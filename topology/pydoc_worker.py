"""Imports modules one after the other and writes down what they say: the demo's subprocess.

Importing arbitrary modules may print, warn, open windows, exit or hang. So this runs apart, without input, output,
display, network or children, and reports each module before and after on a pipe that no module knows of; who reads
the pipe kills it if it hangs. An error while a module is described ends this process: its successor goes on
behind that module.

    python -m topology.pydoc_worker JOB.json     {"modules": […], "known": […], "folder": "…"}
"""

from __future__ import annotations

import dataclasses
import json
import os
import pydoc
import sys
from pathlib import Path
from typing import TextIO

from topology.pydoc_pages import describe_module

_REFUSED = frozenset(
    {
        "socket.connect",
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "webbrowser.open",
    }
)
"""Audit events that reach beyond this process."""


def main() -> None:
    """Do the job named on the command line."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    report = _keep_output_for_reports()
    sys.addaudithook(_refuse_to_reach_out)
    known, folder = frozenset(job["known"]), Path(job["folder"])
    for name in job["modules"]:
        _say(report, begin=name)
        _say(report, **_document(name, known, folder))
    report.flush()
    os._exit(0)  # exit handlers and threads of whatever was imported are nothing to wait for


def _document(name: str, known: frozenset[str], folder: Path) -> dict[str, str]:
    try:
        pydoc.safeimport(name)
    except pydoc.ErrorDuringImport as error:
        said = f"{type(error.value).__name__}: {error.value}"
        return {"skipped": name, "reason": " ".join(said.split())[:120]}
    # Not what safeimport returns: a package's function may hide the module of the same name.
    module = sys.modules.get(name)
    if module is None:
        return {"skipped": name, "reason": "importing it gave no module"}
    page = describe_module(module, name, known)
    if not (page.summary or page.body or hasattr(module, "__path__")):
        return {"skipped": name, "reason": "it says nothing"}
    (folder / f"{name}.json").write_text(json.dumps(dataclasses.asdict(page)), encoding="utf-8")
    return {"done": name}


def _keep_output_for_reports() -> TextIO:
    """Keep the standard output to ourselves; modules get the null device in its place."""
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return report


def _say(report: TextIO, **facts: str) -> None:
    report.write(json.dumps(facts) + "\n")
    report.flush()


def _refuse_to_reach_out(event: str, _: object) -> None:
    if event in _REFUSED:
        raise PermissionError(f"{event} while documentation is made")


if __name__ == "__main__":
    main()
