"""The labels that a router has from its children, and its own, on disk: a restarted router serves from them at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypursuit.errors import MalformedLabel
from hypursuit.label.wire import decode
from routers.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.label.content import ContentLabel

_SUFFIX = ".label"


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label and the very bytes it came as."""

    label: ContentLabel
    encoded: bytes

    @classmethod
    def of(cls, encoded: bytes, limit: int) -> StoredLabel:
        """Read and check; raises MalformedLabel."""
        return cls(decode(encoded, limit), encoded)

    @property
    def etag(self) -> str:
        """Names these bytes, as HTTP does."""
        return f'"{hashlib.blake2b(self.encoded, digest_size=16).hexdigest()}"'


class LabelStore:
    """A folder with one file per label. What is damaged is as good as missing: the child sends it again."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit

    def load(self, name: str) -> StoredLabel | None:
        """The label kept under a name."""
        encoded = read_sealed(self._path(name))
        try:
            return None if encoded is None else StoredLabel.of(encoded, self._limit)
        except MalformedLabel:
            return None

    def keep(self, name: str, stored: StoredLabel) -> None:
        """Keep a label; once this returns it survives the death of the process and of the machine."""
        write_sealed(self._path(name), stored.encoded)

    def note(self, name: str, words: bytes) -> None:
        """Keep a few words of one's own."""
        write_sealed(self._path(name), words)

    def noted(self, name: str) -> bytes | None:
        """The words kept under a name."""
        return read_sealed(self._path(name))

    def _path(self, name: str) -> Path:
        # Names come from configuration and may hold anything; a digest keeps different ones apart and out of "..".
        safe = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in name)[:80].strip(".")
        return self._folder / f"{safe}-{hashlib.blake2b(name.encode(), digest_size=4).hexdigest()}{_SUFFIX}"
