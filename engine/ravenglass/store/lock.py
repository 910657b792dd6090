"""One holder at a time may write to what a lock stands for, or several that agreed to share it.

The lock is the operating system's own, on an open file, so it ends with the process that holds it, however
that ends. The file stays; what stands in it only says who took the lock last.
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
"""Offset of the bytes that Windows locks: a locked byte cannot be read, and the text at the start must be."""
_SEATS = 1024
"""Windows has no shared locks: who shares one locks one byte of so many, who wants it alone locks all of them."""
_HOLDER = re.compile(r"process \d+")
_READ = 40
"""Bytes that say who holds a lock, at most."""


class WriteLock:
    """A lock that is held until `release`, or until the process ends. A forked child does not hold it."""

    def __init__(self, path: Path, descriptor: int, *, shared: bool = False) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self.shared = shared
        self._process = os.getpid()

    @classmethod
    def take(cls, path: Path, *, shared: bool = False) -> Self | None:
        """Take the lock on the file at `path`, made if there is none; None if another holder has it. A `shared` one
        leaves room for others that share it.

        Another holder may be in this process too. Raises OSError where the file cannot be made or its file
        system has no locks.
        """
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            _lock(descriptor, shared=shared)
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
        return cls(path, descriptor, shared=shared)

    @property
    def held(self) -> bool:
        return self._descriptor is not None and self._process == os.getpid()

    def share(self) -> None:
        """Let others share the lock from now on. Raises OSError."""
        if self._descriptor is not None and not self.shared:
            _let_in(self._descriptor)
            self.shared = True

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

    def _lock(descriptor: int, *, shared: bool) -> None:
        if not shared:
            _seat(descriptor, 0, _SEATS)
            return
        for number in range(_SEATS):
            try:
                _seat(descriptor, number, 1)
            except OSError as error:
                if error.errno not in _BUSY or number == _SEATS - 1:
                    raise
            else:
                return

    def _seat(descriptor: int, first: int, count: int) -> None:
        os.lseek(descriptor, _FAR + first, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, count)

    def _let_in(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, _SEATS)
        _lock(descriptor, shared=True)

    def _unlock(descriptor: int) -> None:
        """Closing the file, which follows, gives back every byte that it holds."""

else:

    def _lock(descriptor: int, *, shared: bool) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)

    def _let_in(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_SH)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
