"""Sockets of a tree: all bound before any router starts, so that every address is known; the same at each start."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import msgspec

from hypursuit.errors import BadSetting, StoreUnusable
from routers.sealed import read_sealed, write_sealed
from topology.network import Listen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from topology.placement import Placement

_FILE = "ports"


def bind(listen: Listen) -> socket.socket:
    """A socket bound to an address, not listening yet; raises BadSetting where that cannot be."""
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((listen.host, listen.port))
    except OSError as error:
        bound.close()
        raise BadSetting(f"cannot listen at {listen}: {error.strerror}; give another address with --listen") from error
    return bound


def bound_to(door: socket.socket, listen: Listen) -> Listen:
    """The address with the port that the socket really has."""
    return Listen(listen.host, int(door.getsockname()[1]))


class Doors:
    """A socket for every process of a tree; closed with the block, wherever they still are open.

    Processes that may take any free port take the one of the last start if they can: labels name addresses, and so
    need not be made anew.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for door in self._open:
            door.close()

    def bind(self, listen: Listen) -> socket.socket:
        """One more."""
        door = bind(listen)
        self._open.append(door)
        return door

    def bind_all(self, placed: Sequence[Placement]) -> list[tuple[Placement, socket.socket]]:
        """One for each process, with its address as it is."""
        last = self._last()
        found = []
        for placement in placed:
            door = self._again(placement, last)
            found.append((replace(placement, listen=bound_to(door, placement.listen)), door))
        self._remember(found)
        return found

    def _again(self, placement: Placement, last: dict[str, int]) -> socket.socket:
        port = last.get(placement.routers[0], 0)
        if placement.listen.port == 0 and port:
            try:
                return self.bind(Listen(placement.listen.host, port))
            except BadSetting:
                pass  # somebody else has it now
        return self.bind(placement.listen)

    def _last(self) -> dict[str, int]:
        content = read_sealed(self._file)
        return {} if content is None else msgspec.json.decode(content, type=dict[str, int])

    def _remember(self, found: Sequence[tuple[Placement, socket.socket]]) -> None:
        ports = self._last() | {placement.routers[0]: placement.listen.port for placement, _ in found}
        try:
            write_sealed(self._file, msgspec.json.encode(ports))
        except OSError as error:
            raise StoreUnusable(f"{self._file} cannot be written: {error.strerror}; check the disk") from error
