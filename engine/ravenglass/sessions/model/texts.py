"""Keeps the long texts of large files out of memory: compressed, in a file without a name that ends with the process.

While `keeping(spool)` is in force, every text that is made part of a message is given to the spool if it is long, and
read back when somebody asks for it. It does not read the session file again: that may have been rotated meanwhile, and
not every text stands there as one piece.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import weakref
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import zstandard

from ravenglass.errors import SessionError

_LONG = 400
"""Characters from which a text is kept outside; a reference costs about 100 bytes."""
_BLOCK = 1 << 20
"""Bytes that are compressed together."""
_OPEN_BLOCKS = 8
"""Decompressed blocks that stay in memory."""


_AGAIN = "It is neither shown nor saved; open the session again."


class Spool:
    """Texts by their place. May be used from several threads."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="ravenglass-")  # noqa: SIM115 - it lives as long as the spool
        weakref.finalize(self, self._file.close)
        self._starts: list[int] = []
        self._places: list[tuple[int, int, bytes]] = []
        """Offset, size and digest of every block as it is packed."""
        self._filling = bytearray()
        self._begun = 0
        self._open: dict[int, bytes] = {}
        self._lock = threading.Lock()

    def keep(self, text: str) -> SpooledText:
        """Store a text."""
        data = text.encode("utf-8", "surrogatepass")
        with self._lock:
            kept = SpooledText(self, self._begun + len(self._filling), len(data))
            self._filling += data
            if len(self._filling) >= _BLOCK:
                self._write()
        return kept

    def read(self, offset: int, length: int) -> str:
        """A text that was stored. SessionError where it can no longer be had as it was."""
        with self._lock:
            if offset >= self._begun:
                start = offset - self._begun
                data = bytes(self._filling[start : start + length])
            else:
                index = bisect_right(self._starts, offset) - 1
                start = offset - self._starts[index]
                data = self._block(index)[start : start + length]
        return data.decode("utf-8", "surrogatepass")

    def _write(self) -> None:
        packed = zstandard.ZstdCompressor(level=1).compress(bytes(self._filling))
        self._starts.append(self._begun)
        self._places.append((self._file.seek(0, 2), len(packed), _digest(packed)))
        self._file.write(packed)
        self._begun += len(self._filling)
        self._filling.clear()

    def _block(self, index: int) -> bytes:
        if index in self._open:
            block = self._open.pop(index)
        else:
            block = self._unpacked(*self._places[index])
            while len(self._open) >= _OPEN_BLOCKS:
                del self._open[next(iter(self._open))]
        self._open[index] = block
        return block

    def _unpacked(self, place: int, size: int, digest: bytes) -> bytes:
        try:
            self._file.seek(place)
            packed = self._file.read(size)
        except OSError as error:
            raise SessionError(f"A long text cannot be read back ({error.strerror or error}). {_AGAIN}") from error
        if _digest(packed) != digest:
            raise SessionError(f"The temporary file that keeps long texts was changed. {_AGAIN}")
        return zstandard.ZstdDecompressor().decompress(packed)


def _digest(packed: bytes) -> bytes:
    return hashlib.blake2b(packed, digest_size=16).digest()


class SpooledText:
    """A text in a spool."""

    __slots__ = ("_length", "_offset", "_spool")

    def __init__(self, spool: Spool, offset: int, length: int) -> None:
        self._spool, self._offset, self._length = spool, offset, length

    def read(self) -> str:
        return self._spool.read(self._offset, self._length)


_current: ContextVar[Spool | None] = ContextVar("spool", default=None)


@contextmanager
def keeping(spool: Spool | None) -> Iterator[None]:
    """Texts that are made meanwhile go to this spool; None: they stay in memory."""
    token = _current.set(spool)
    try:
        yield
    finally:
        _current.reset(token)


def held(text: str) -> str | SpooledText:
    """The text itself, or where it is kept."""
    if len(text) < _LONG:
        return text
    spool = _current.get()
    return text if spool is None else spool.keep(text)
