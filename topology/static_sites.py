"""Folders of files served as web sites, told apart by host name, all on one loopback port.

The demo, the examples, the benchmarks and the tests crawl through this: the front door of a real server.
``python -m topology.static_sites ROOT`` runs it as a process of its own and prints its port.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote

from aiohttp import web

from hypursuit.errors import BadSetting

LOOPBACK = "127.0.0.1"


class StaticSites:
    """Serves ``ROOT/<host>/…``, or the folders given by host name, while the ``async with`` block runs.

    Files are served as they are, with validators and conditional answers; a folder answers with its index.html,
    after a redirect if its slash is missing. A path is percent-decoded exactly once, so a file whose *name* holds
    percent signs is reached by links that encode them. Nothing outside a site's folder is ever served, links
    of the file system included.
    """

    def __init__(self, root: Path | Mapping[str, Path], port: int = 0) -> None:
        folders = root if isinstance(root, Mapping) else _folders_below(root)
        self._folders = {host.lower(): folder.resolve() for host, folder in folders.items()}
        self._port = port
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, LOOPBACK, self._port).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The sites' host names, sorted."""
        return tuple(sorted(self._folders))

    @property
    def port(self) -> int:
        """The port that all sites share; 0 before the start if the system is to choose."""
        return self._port

    def url(self, host: str, path: str = "") -> str:
        """The address of a page; ``path`` is a file name below the site's folder, not yet percent-encoded."""
        return f"http://{host}:{self._port}/{quote(path)}"

    def resolve_entries(self) -> list[str]:
        """What ``--resolve`` takes, so that every site is found here under two addresses.

        ``http://host/``, as the world and the links between the sites know it, and ``http://host:port/``, which
        also browsers find if the name ends in .localhost.
        """
        return [
            entry
            for host in self.hosts
            for entry in (f"{host}:80:{LOOPBACK}:{self._port}", f"{host}:{self._port}:{LOOPBACK}")
        ]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        folder = self._folders.get(_host_name(request.host))
        # Not request.path: it is normalised, and its decoding is not ours to rely on.
        raw_path = request.raw_path.partition("?")[0]
        found = None if folder is None else locate(folder, unquote(raw_path))
        if found is None:
            raise web.HTTPNotFound(text=f"no such page: {request.host}{raw_path}\n")
        if found.is_dir():
            # Relative on purpose: the path //other.example/dir must not become a way to another host.
            return web.Response(status=301, headers={"Location": f"./{raw_path.rpartition('/')[2]}/"})
        return web.FileResponse(found)


def locate(folder: Path, path: str) -> Path | None:
    """What a decoded path names below ``folder``: a file, or None if there is none.

    A path ending in a slash names the index.html of a folder. Without the slash the folder itself is returned, if
    it has an index.html.
    """
    parts = path.split("/")
    if ".." in parts or "\0" in path or "\\" in path:
        return None
    named = folder.joinpath(*(part for part in parts if part))
    try:
        file = (named / "index.html" if named.is_dir() or path.endswith("/") else named).resolve()
        if not (file.is_relative_to(folder) and file.is_file()):
            return None
    except OSError:  # names longer than the file system takes
        return None
    return named if named.is_dir() and not path.endswith("/") else file


@contextlib.contextmanager
def serving_process(root: Path) -> Iterator[int]:
    """Serve ``ROOT/<host>/…`` from another process, so that its CPU time is not ours; gives the port.

    The process also ends when this one dies, however it dies.
    """
    command = [sys.executable, "-m", "topology.static_sites", str(root), "--until-eof"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None  # noqa: S101 - asked for above; tells the type checker
            yield int(server.stdout.readline())
        finally:
            server.terminate()


def _folders_below(root: Path) -> dict[str, Path]:
    if not root.is_dir():
        raise BadSetting(f"{root} is not a folder of sites: it should hold one folder per host name")
    return {folder.name: folder for folder in root.iterdir() if folder.is_dir()}


def _host_name(host: str) -> str:
    return host.rpartition(":")[0].lower() if host.rpartition(":")[2].isdigit() else host.lower()


async def _serve(root: Path, port: int, until_eof: bool) -> None:
    async with StaticSites(root, port) as sites:
        print(sites.port, flush=True)
        if until_eof:
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        else:
            await asyncio.Event().wait()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m topology.static_sites", description=__doc__)
    parser.add_argument("root", type=Path, help="the folder whose sub-folders are named by host")
    parser.add_argument("--port", type=int, default=0, help="0, the default: any free one")
    parser.add_argument("--until-eof", action="store_true", help="stop when standard input ends")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.root, options.port, options.until_eof))


if __name__ == "__main__":
    main()
