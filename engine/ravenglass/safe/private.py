"""Files and folders that only their owner may read, from their first byte on and whatever the umask allows."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
_OTHERS: Final = 0o077


def create(path: Path) -> BinaryIO:
    """A new file, open for writing. FileExistsError where the name is taken, by a link too; OSError."""
    return _opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, "wb")


def append(path: Path, *, fresh: bool = False) -> BinaryIO:
    """A file, made where it is missing (`fresh`: it must be), open for reading and writing at its end, unbuffered:
    a buffer would try to write its rest once more when the file is closed. OSError."""
    exclusive = os.O_EXCL if fresh else 0
    return _opened(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | exclusive, "r+b", buffering=0)


def folder(path: Path) -> None:
    """Make a folder; one that is there stays as it is. OSError."""
    with suppress(FileExistsError):
        path.mkdir(mode=FOLDER_MODE)
        return
    if not path.is_dir():
        raise NotADirectoryError(20, "it is no folder", str(path))


def folders(path: Path) -> None:
    """Make a folder and those above it. OSError."""
    if not path.is_dir():
        folders(path.parent)
        folder(path)


def tighten(path: Path) -> None:
    """Take a file or folder that is there from the eyes of others. Whose it is not stays as it is, a link too."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)


def _opened(path: Path, flags: int, mode: str, buffering: int = -1) -> BinaryIO:
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, FILE_MODE), mode, buffering)  # type: ignore[return-value]
