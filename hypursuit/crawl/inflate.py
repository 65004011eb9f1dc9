"""Decompression that stops at a limit: a few kilobytes can stand for gigabytes."""

from __future__ import annotations

import zlib

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class TooLarge(ValueError):
    """A body is larger, after decompression, than the reader takes."""


class BadEncoding(ValueError):
    """A body is not what its Content-Encoding says, or is in an encoding nobody asked for."""


class Inflater:
    """Collects a body piece by piece, decompressing on the way, and never holds more than ``limit`` bytes of it.

    What arrives is limited as well: a compressed stream can go on for ever without producing anything.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        self._encoding = encoding.strip().lower()
        if self._encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise BadEncoding(f"content encoding {encoding[:40]!r} was not asked for")
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self.received = 0
        """Bytes as they came, before decompression."""
        self._stream: zlib._Decompress | None = None
        self._plain = self._encoding in {"", "identity"}

    def feed(self, chunk: bytes) -> None:
        """Take the next piece; raises TooLarge or BadEncoding."""
        self.received += len(chunk)
        if self._plain:
            self._parts.append(chunk)
        if self.received > self._limit:
            raise TooLarge(f"more than {self._limit} bytes")
        if not self._plain:
            self._inflate(chunk)

    def _inflate(self, chunk: bytes) -> None:
        while chunk:
            if self._stream is None:
                if not self._begins_stream(chunk):
                    return
                self._stream = self._open(chunk)
            piece = self._decompress(self._stream, chunk)
            self._parts.append(piece)
            self._size += len(piece)
            if self._size > self._limit:
                raise TooLarge(f"more than {self._limit} bytes after decompression")
            chunk = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            if self._stream.eof:
                self._stream = None

    def _begins_stream(self, chunk: bytes) -> bool:
        """Whether a further gzip member follows; other bytes behind the end are padding, to be ignored."""
        return not self._parts or (self._encoding != "deflate" and chunk.startswith(_GZIP_MAGIC))

    def _open(self, chunk: bytes) -> zlib._Decompress:
        if self._encoding != "deflate":
            return zlib.decompressobj(_GZIP)
        # "deflate" means a zlib wrapper, but many servers send the bare stream.
        wrapped = chunk[0] & 0x0F == 8 and (len(chunk) < 2 or (chunk[0] << 8 | chunk[1]) % 31 == 0)
        return zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)

    def _decompress(self, stream: zlib._Decompress, chunk: bytes) -> bytes:
        try:
            return stream.decompress(chunk, self._limit - self._size + 1)
        except zlib.error as error:
            raise BadEncoding(f"body is not {self._encoding}: {error}") from error

    def finish(self) -> bytes:
        """The whole body; raises BadEncoding where a compressed one was cut short."""
        if self._stream is not None:
            raise BadEncoding(f"{self._encoding} body ends too early")
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    def beginning(self) -> bytes:
        """As much of the body as the limit allows, for readers that make do with that."""
        return b"".join(self._parts)[: self._limit]


def gunzip(body: bytes, limit: int) -> bytes:
    """A gzip file's content; raises TooLarge or BadEncoding."""
    inflater = Inflater("gzip", limit)
    inflater.feed(body)
    return inflater.finish()
