"""The documentation of the Python that runs this, as several web sites: what the demo crawls.

Nothing is imported here: that happens in processes of :mod:`topology.pydoc_crew`, and a module that fails, exits,
crashes or hangs there is left out and named.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from hypursuit.errors import BadSetting, DemoFailed
from topology.pydoc_crew import Progress, document_modules
from topology.pydoc_layout import Layout
from topology.pydoc_subjects import PlannedSite, plan_library, plan_packages

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
        documented, skipped = document_modules(plan, Path(scratch), progress, module_timeout)
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


def _fingerprint(plan: list[PlannedSite], port: int) -> str:
    """Differs whenever the pages may differ; the versions of packages stand in the titles of their sites."""
    facts = [_FORMAT, sys.version, platform.platform(), port, [asdict(site) for site in plan]]
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
