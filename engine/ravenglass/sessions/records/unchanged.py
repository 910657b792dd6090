"""Tells whether a part of a file is still what was read of it the first time: by a digest of every block."""

from __future__ import annotations

import hashlib
import io
import threading
from typing import BinaryIO, Final

_BLOCK: Final = 1 << 17
"""Bytes under one digest: a record is checked by reading the blocks that it stands in."""
_DIGEST: Final = 16


class Blocks:
    """Digests of what was read from the beginning of a file on. May be used from several threads."""

    def __init__(self) -> None:
        self._whole: list[bytes] = []
        self._open = hashlib.blake2b(digest_size=_DIGEST)
        self._lock = threading.Lock()
        self.end = 0
        """Bytes from the beginning that are known."""

    def feed(self, offset: int, data: bytes | memoryview) -> None:
        """Bytes as they were read at a place. What is known already, or does not go on from there, is passed over."""
        with self._lock:
            skipped = self.end - offset
            if not 0 <= skipped < len(data):
                return
            rest = memoryview(data)[skipped:]
            while rest:
                room = _BLOCK - self.end % _BLOCK
                piece, rest = rest[:room], rest[room:]
                self._open.update(piece)
                self.end += len(piece)
                if self.end % _BLOCK == 0:
                    self._whole.append(self._open.digest())
                    self._open = hashlib.blake2b(digest_size=_DIGEST)

    def around(self, offset: int, length: int) -> tuple[int, int]:
        """First byte and byte after the last of the blocks that tell of a place; at least the place itself."""
        end = offset + length
        return offset - offset % _BLOCK, max(end, min(self.end, -(-end // _BLOCK) * _BLOCK))

    def hold(self, begin: int, data: bytes) -> bool:
        """Whether `data`, read from `begin` on as `around` says, is what was read before."""
        with self._lock:
            for start in range(0, len(data), _BLOCK):
                number, piece = (begin + start) // _BLOCK, data[start : start + _BLOCK]
                if number < len(self._whole):
                    known = self._whole[number]
                elif number == len(self._whole):
                    known, piece = self._open.digest(), piece[: self.end - number * _BLOCK]
                else:
                    return True  # not read before
                if hashlib.blake2b(piece, digest_size=_DIGEST).digest() != known:
                    return False
        return True


class _Feeding(io.RawIOBase):
    """A file whose bytes are fed to the blocks as they are read."""

    def __init__(self, file: BinaryIO, blocks: Blocks) -> None:
        self._file, self._blocks = file, blocks
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._blocks.feed(self._place, data)
        self._place += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def feeding(file: BinaryIO, blocks: Blocks, buffer: int) -> BinaryIO:
    """A stream over an unbuffered file, from its beginning; closing it closes the file."""
    return io.BufferedReader(_Feeding(file, blocks), buffer)
