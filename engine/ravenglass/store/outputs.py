"""Files that a person asked for by name: whole or not at all, for the owner alone, and never over what is there unless
the person said so."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ravenglass.errors import RavenglassError
from ravenglass.store.durable import write_whole

_STREAMS: Final = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise RavenglassError where `path` may not be written because something is there; before work is done for it."""
    if is_stream(path):
        return
    if path.is_dir() and not path.is_symlink():
        raise RavenglassError(f"{path} is a folder, so no file was written there; name a file.")
    if not force and os.path.lexists(path):
        raise RavenglassError(f"{path} exists already and was left as it is; --force replaces it.")


def write_output(path: Path, chunks: Iterable[bytes], *, force: bool = False) -> None:
    """Write `chunks` to `path`. A pipe or device is written to as it is. Raises RavenglassError."""
    refuse_existing(path, force=force)
    try:
        if is_stream(path):
            with path.open("wb") as stream:
                stream.writelines(chunks)
        else:
            write_whole(path, chunks, replace=force)
    except FileExistsError as error:
        raise RavenglassError(f"{path} exists already and was left as it is; --force replaces it.") from error
    except BrokenPipeError:
        raise
    except OSError as error:
        why = "File name too long" if error.errno == errno.ENAMETOOLONG else error.strerror or error
        raise RavenglassError(f"{path} cannot be written ({why}); nothing of it is left.") from error


def is_stream(path: Path) -> bool:
    """Whether writing to `path` replaces nothing: a pipe, a terminal, one of the process's own files."""
    if path.parent in _STREAMS:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
