"""The folder an engine leaves behind: who may write to it, and which version of the program wrote it.

`workspace.json` holds {"format", "version", "readable_by"}; a program older than `version` may still look if
its own version is at least `readable_by`. A folder without that file is empty, or the reference implementation's.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from ravenglass.errors import StoreError
from ravenglass.store.durable import leftovers, make_folder, write_whole
from ravenglass.store.lock import WriteLock, holder

VERSION: Final = 1
"""Version of the workspace's layout that this program writes."""

VERSION_FILE: Final = "workspace.json"
LOCK_FILE: Final = ".lock"
_FORMAT: Final = "ravenglass-workspace"
_PATIENCE_S: Final = 2.0
_PAUSE_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class _Written:
    version: int
    readable_by: int


class Workspace:
    """An open workspace, for writing if its lock was to be had, else for reading.

    Who saves a run has it alone. Engines share it: each writes files of its own session only, and the archive's files
    are never written twice.
    """

    def __init__(self, root: Path, lock: WriteLock | None, read_only: str = "") -> None:
        self.root = root
        self._lock = lock
        self._read_only = read_only
        self._tidied: set[Path] = set()

    @classmethod
    def open(cls, root: Path, *, writable: bool = True, shared: bool = False) -> Self:
        """Open the workspace in the folder `root`, which is made where it is missing and `writable` asked for.

        Where another process writes, or nothing can be written, it is open for reading and `read_only` says why.
        `shared`: others that share it may write as well; until `share` is called it may be held alone, a moment that
        others wait for. Opened with `writable=False` nothing is written at all. StoreError if a newer program wrote it
        in a way that this one cannot read; then it is left as it is.
        """
        reason = _version_problem(root)
        if not writable:
            return cls(root, None, reason or f"The workspace {root} was opened for reading only.")
        if reason:
            return cls(root, None, reason)
        try:
            make_folder(root)
            lock = _shared_lock(root / LOCK_FILE) if shared else WriteLock.take(root / LOCK_FILE)
        except OSError as error:
            return cls(root, None, f"The workspace {root} is open for reading only: {_why(error)}.")
        if lock is None:
            who = holder(root / LOCK_FILE)
            return cls(root, None, f"The workspace {root} is open for reading only: {who} is writing to it.")
        try:
            return cls._locked(root, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _locked(cls, root: Path, lock: WriteLock) -> Self:
        # Looked at again: a newer program may have written between the first look and the lock.
        reason = _version_problem(root)
        if not reason and not (root / VERSION_FILE).exists():
            content = {"format": _FORMAT, "version": VERSION, "readable_by": VERSION}
            try:
                write_whole(root / VERSION_FILE, [json.dumps(content).encode() + b"\n"])
            except OSError as error:
                reason = f"The workspace {root} is open for reading only: {_why(error)}."
        if reason:
            lock.release()
            return cls(root, None, reason)
        opened = cls(root, lock)
        opened.tidy(root)
        return opened

    @property
    def writable(self) -> bool:
        return self._lock is not None and self._lock.held

    @property
    def read_only(self) -> str:
        """The sentence that says why nothing can be written; empty while writing is possible."""
        if self.writable:
            return ""
        return self._read_only or f"The workspace {self.root} is closed, or was opened by another process."

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user about what happened on opening."""
        return (self._read_only,) if self._read_only else ()

    def tidy(self, folder: Path) -> None:
        """Remove what killed writers left in a folder and those right below it: once, and only while nobody shares the
        lock, so that it is never the file of a writer at work. What cannot be removed does no harm."""
        if not self.writable or self._lock is None or self._lock.shared or folder in self._tidied:
            return
        self._tidied.add(folder)
        with suppress(OSError):
            below = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
            for left in [left for place in (folder, *below) for left in leftovers(place)]:
                left.unlink()

    def share(self) -> None:
        """Let others that share it in. Raises OSError."""
        if self._lock is not None:
            self._lock.share()

    def close(self) -> None:
        """Let others write; closing twice is no error."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _shared_lock(path: Path) -> WriteLock | None:
    """The lock: alone if nobody has it, else shared, else None. Who opens it shared holds it alone for a moment only,
    so a busy one is tried again for a while. Raises OSError."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        lock = WriteLock.take(path) or WriteLock.take(path, shared=True)
        if lock is not None or time.monotonic() > end:
            return lock
        time.sleep(_PAUSE_S)


def _version_problem(root: Path) -> str:
    """Why the workspace can only be read, or the empty string. StoreError if it cannot even be read."""
    path = root / VERSION_FILE
    try:
        written = _read(path)
    except FileNotFoundError:
        return ""
    except NotADirectoryError as error:
        raise StoreError(f"{root} is no folder, so it is no workspace; it was left as it is.") from error
    except (OSError, ValueError) as error:
        return (
            f"The workspace {root} is open for reading only: {path.name} does not say which version wrote it "
            f"({_why(error)})."
        )
    if written.version <= VERSION:
        return ""
    newer = (
        f"was written by a newer Ravenglass (its layout has version {written.version}, this program knows {VERSION})"
    )
    if written.readable_by <= VERSION:
        return f"The workspace {root} is open for reading only: it {newer}."
    raise StoreError(f"The workspace {root} {newer}; it was left as it is. Update Ravenglass to open it.")


def _read(path: Path) -> _Written:
    value = json.loads(path.read_bytes())
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise ValueError("it has another format")
    version, readable_by = value.get("version"), value.get("readable_by", value.get("version"))
    if type(version) is not int or type(readable_by) is not int:
        raise ValueError("it holds no version number")
    return _Written(version, readable_by)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
