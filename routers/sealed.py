"""Small files that are either whole or not there: written aside, renamed, and checked when read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hypursuit.errors import StoreUnusable
from routers.page_index import write_whole

if TYPE_CHECKING:
    from pathlib import Path

_MARK = b"HyPS1\n"
_DIGEST = 16


def write_sealed(path: Path, content: bytes) -> None:
    """Replace a file as a whole: whoever reads sees the old or the new content, also after a crash.

    Raises:
        StoreUnusable: the disk does not take it.
    """
    write_whole(path, (_MARK, _digest(content), content))


def read_sealed(path: Path) -> bytes | None:
    """The content; None where there is no file or where it is not what was written."""
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be read: {error.strerror}; check its permissions") from error
    start = len(_MARK) + _DIGEST
    content = found[start:]
    if not found.startswith(_MARK) or found[len(_MARK) : start] != _digest(content):
        return None
    return content


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
