"""Files that are there as a whole or not at all, whatever ends the program and whenever.

A file is written under a temporary name in its own folder, forced to the disk and renamed; then the folder is
forced to the disk too. What a killed writer left behind has a name that readers never look at.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ravenglass.safe.private import create
from ravenglass.safe.private import folder as private_folder

_SUFFIX = ".ravenglass"
"""Nobody else's: files of this name are removed."""
_TEMPORARY = re.compile(rf"\..+\.[0-9a-f]{{8}}{re.escape(_SUFFIX)}\Z", re.DOTALL)
_NAME_CHARS = 40
"""Of the file's own name in that of its temporary one."""


def write_whole(path: Path, chunks: Iterable[bytes], *, replace: bool = True) -> int:
    """Write `chunks` to `path`, whose folder exists, and return the size in bytes. Only the owner may read it.

    A file that is there is replaced; with `replace=False` that is a FileExistsError. Raises OSError; then nothing of
    the new file is left, and an old one is as it was unless the failure came after the rename.
    """
    temporary = path.with_name(f".{path.name[:_NAME_CHARS]}.{secrets.token_hex(4)}{_SUFFIX}")
    try:
        with create(temporary) as stream:
            for chunk in chunks:
                stream.write(chunk)
            stream.flush()
            os.fsync(stream.fileno())
            size = stream.tell()
        put(temporary, path, replace=replace)
    except BaseException:
        _discard(temporary)
        raise
    try:
        sync_folder(path.parent)
    except OSError:
        # The name may not outlive a power cut, so the file is not acknowledged and must not be found later.
        _discard(path)
        raise
    return size


def put(written: Path, path: Path, *, replace: bool) -> None:
    """Rename a file that is written. Without `replace`, FileExistsError where the name is taken. Raises OSError."""
    if replace:
        written.replace(path)
        return
    try:
        os.link(written, path)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError, AttributeError) as error:  # a file system without second names
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        written.replace(path)
    else:
        written.unlink()


def make_folder(path: Path) -> None:
    """Make a folder and those above it, for the owner alone, so that they outlive a power cut. Raises OSError."""
    missing: list[Path] = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        private_folder(folder)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Force a folder's list of names to the disk. Windows has no such call and needs none. Raises OSError."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def leftovers(folder: Path) -> Iterator[Path]:
    """Files in a folder that writers were killed over. Those of a writer at work look the same: hold the lock."""
    with os.scandir(folder) as found:
        for entry in found:
            if _TEMPORARY.match(entry.name) and entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def _discard(path: Path) -> None:
    with suppress(OSError):  # the failure that brought us here is the one to tell of
        path.unlink(missing_ok=True)
