"""A file that only grows, line by line. What could not be written is kept and written when it can be."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ravenglass.safe.private import append, folders
from ravenglass.store.durable import sync_folder

_BLOCK = 1 << 16


def whole_lines(data: bytes) -> bytes:
    """Bytes up to the last line ending: a writer that was killed may have left a part of a line behind it."""
    return data[: data.rfind(b"\n") + 1]


class Journal:
    """Lines of one file. `flush` writes all of the new ones or, as far as the disk lets it, none. What a killed writer
    left of a line at the end of the file is cut off."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """`fresh`: the file must not be there yet."""
        self.path = path
        self._fresh = fresh
        self._waiting = bytearray()
        self._end: int | None = None
        """Where the file's last whole line ends, once this journal has written to it."""

    @property
    def waiting(self) -> int:
        """Bytes that are not in the file yet."""
        return len(self._waiting)

    def add(self, lines: bytes) -> None:
        """Add whole lines, each with its ending; `flush` writes them."""
        self._waiting += lines

    def sync(self) -> None:
        """Write what waits and have all of the file survive a power cut. Raises OSError."""
        self.flush()
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        sync_folder(self.path.parent)

    def flush(self) -> None:
        """Write what waits. Raises OSError; then the file ends where it ended before."""
        if not self._waiting:
            return
        folders(self.path.parent)
        with append(self.path, fresh=self._fresh) as file:
            self._fresh = False
            end = _end_of_lines(file) if self._end is None else self._end
            self._end = end
            os.ftruncate(file.fileno(), end)
            rest = memoryview(bytes(self._waiting))
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError as error:
                with suppress(OSError):  # then the next flush cuts it off
                    os.ftruncate(file.fileno(), end)
                raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._end = end + len(self._waiting)
        self._waiting.clear()


def _end_of_lines(file: BinaryIO) -> int:
    """Where the last whole line of a file ends."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
