"""Undo .gz and .zst, told by magic bytes. A damaged stream gives what came out before the damage."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Protocol

import zstandard

from ravenglass.safe.limits import most_unpacked
from ravenglass.sessions.records.progress import Reporter

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK = {"gzip": 1 << 16, "zstd": 1 << 10}
"""Bytes that are undone at once: they become 1,000 times as much at most, those of zstd 32,000 times."""


class _Stream(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def compression(head: bytes) -> str | None:
    """Name of the compression that a file's first bytes announce, or None."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith(_ZSTD) else None


class Sink(Protocol):
    """Takes the decompressed bytes."""

    def write(self, data: bytes, /) -> object: ...
    def tell(self) -> int: ...


class TooLargeError(Exception):
    """What comes out has passed its limit, in bytes; the rest was not undone."""

    def __init__(self, packed: int, most: int) -> None:
        super().__init__()
        self.packed, self.most = packed, most


def decompress(path: Path, name: str, reporter: Reporter, out: Sink) -> str | None:
    """Write all bytes that can be decompressed; a sentence if not all could. Raises OSError, TooLargeError."""
    total = path.stat().st_size
    most = most_unpacked(total)
    stream: _Stream | None = None
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK[name]):
            reporter.report(file.tell(), total)
            while chunk:
                if stream is None:
                    if out.tell() and compression(chunk) != name:
                        return _sentence(path, name, out, "other bytes follow the compressed data")
                    stream = _start(name)
                problem = _feed(stream, chunk, name, out)
                if out.tell() > most:
                    raise TooLargeError(total, most)
                if problem:
                    return _sentence(path, name, out, problem)
                chunk = stream.unused_data if stream.eof else b""
                if stream.eof:
                    stream = None
    if stream is not None:
        return _sentence(path, name, out, "the compressed data is cut")
    return None


def _start(name: str) -> _Stream:
    return zlib.decompressobj(wbits=31) if name == "gzip" else zstandard.ZstdDecompressor().decompressobj()


def _feed(stream: _Stream, chunk: bytes, name: str, out: Sink) -> str | None:
    """Append what the chunk decompresses to; a reason if the stream is damaged."""
    # A failing call returns nothing, so zlib's state is kept to repeat the chunk byte by byte.
    spare = stream.copy() if name == "gzip" else None  # type: ignore[attr-defined]
    try:
        out.write(stream.decompress(chunk))
    except zstandard.ZstdError as error:
        return str(error)
    except zlib.error as error:
        if spare is not None:
            _drain(spare, chunk, out)
        return str(error)
    return None


def _drain(stream: _Stream, chunk: bytes, out: Sink) -> None:
    for index in range(len(chunk)):
        try:
            out.write(stream.decompress(chunk[index : index + 1]))
        except zlib.error:
            return


def _sentence(path: Path, name: str, out: Sink, problem: str) -> str:
    return f"{path.name} is damaged as {name} ({problem}); the {out.tell():,} bytes before the damage were read."
