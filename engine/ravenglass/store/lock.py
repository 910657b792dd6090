"""One process at a time may write to a workspace.

The lock is the operating system's own, on an open file, so it ends with the process that holds it, however
that ends. The file stays; what stands in it only says who holds the lock.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from ravenglass.safe.private import FILE_MODE

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})
_FAR = 1 << 30
"""Offset of the byte that Windows locks: a locked byte cannot be read, and the text at the start must be."""
_HOLDER = re.compile(r"process \d+")
_READ = 40
"""Bytes that say who holds a lock, at most."""


class WriteLock:
    """A lock that is held until `release`, or until the process ends. A forked child does not hold it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self._process = os.getpid()

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """Take the lock on the file at `path`, made if there is none; None if another holder has it.

        Another holder may be in this process too. Raises OSError where the file cannot be made or its file
        system has no locks.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            _lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno in _BUSY:
                return None
            raise
        with suppress(OSError):  # on a full disk the lock still holds, only nameless
            if _ours(os.read(descriptor, _READ)):  # a file of someone else is locked, but left as it is
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, f"process {os.getpid()}\n".encode())
        return cls(path, descriptor)

    @property
    def held(self) -> bool:
        return self._descriptor is not None and self._process == os.getpid()

    def release(self) -> None:
        """Let others write; releasing twice is no error."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            if self._process == os.getpid():
                _unlock(descriptor)
        finally:
            os.close(descriptor)


def _ours(content: bytes) -> bool:
    """Whether the content of a lock's file is none or one that a holder wrote."""
    return not content or _HOLDER.fullmatch(content.decode("ascii", "replace").strip()) is not None


def holder(path: Path) -> str:
    """Who took the lock last, such as `process 4711`; `another process` where that cannot be read."""
    try:
        text = path.read_bytes()[:_READ].decode("ascii", "replace").strip()
    except OSError:
        return "another process"
    return text if _HOLDER.fullmatch(text) else "another process"


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
