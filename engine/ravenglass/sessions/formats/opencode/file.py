"""Opens an SQLite database for reading only, with what stands in its write-ahead log, and changes no byte beside it.

An SQLite reader of a database with a write-ahead log writes to the `-shm` file, and makes it where there is none. So:
- no log in use (the header says so): opened read-only;
- `-shm` is there, so a writer is running or has died: opened with that file read-only too;
- else, and where that fails: the database and its log are copied to a private temporary folder, and the copy is read.
The log is never left out: its rows are the newest there are.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.safe.limits import UNPACKED, most_copied

MAGIC = b"SQLite format 3\x00"
_WAL = 2
"""Byte 18 of the header where the database is in write-ahead mode."""
_TRIES = 5
"""Copies made of a database that changes meanwhile, before giving up."""
_FOLLOWERS = ("-wal", "-journal")
ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What reading may raise: the message of an error that quotes damaged text does not decode either."""


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading; text comes as bytes, so that no damaged character is an error.

    Raises SessionError for what is no readable database, also for errors that turn up while it is read.
    """
    held, connection = _connect(path)
    try:
        with closing(connection):
            yield connection
    except ERRORS as error:
        raise _unreadable(path, error) from error
    finally:
        del held


def is_sqlite(path: Path) -> bool:
    """Whether the file begins as an SQLite database does."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _connect(path: Path) -> tuple[_Copy | None, sqlite3.Connection]:
    try:
        uri = _direct(path)
        if uri is not None:
            try:
                return None, _opened(uri)
            except sqlite3.OperationalError:
                pass  # no permission for the log's index, or a journal to play back: the copy allows both
        copy = _copied(path)
        return copy, _opened(f"{copy.path.as_uri()}?mode=rw")
    except ERRORS as error:
        raise _unreadable(path, error) from error
    except OSError as error:
        raise SessionError(f"{path} could not be read ({error.strerror or error}).", path=str(path)) from error


def _direct(path: Path) -> str | None:
    """How to open the file where it stands; None where only a copy leaves everything unchanged."""
    with path.open("rb") as file:
        header = file.read(100)
    uri = path.resolve().as_uri()
    if len(header) > 18 and header[18] != _WAL:
        return f"{uri}?mode=ro"
    if os.name == "posix" and _beside(path, "-shm").exists() and _beside(path, "-wal").exists():
        return f"{uri}?mode=ro&readonly_shm=1"
    return None


def _opened(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    try:
        connection.text_factory = bytes
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except ERRORS:
        connection.close()
        raise
    return connection


class _Copy:
    """A private copy, deleted when nothing uses it any more."""

    def __init__(self, signature: _Signature, folder: Path, name: str) -> None:
        self.signature, self.path = signature, folder / name
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Signature:
    """What is equal as long as nothing was written."""

    path: Path
    stamps: tuple[tuple[int, int, int] | None, ...]


_lock = threading.Lock()
_latest: list[_Copy] = []
"""The last copy made: a list and the session opened from it need one copy, not two."""


def _copied(path: Path) -> _Copy:
    with _lock:
        for _ in range(_TRIES):
            signature = _signature(path)
            if _latest and _latest[0].signature == signature and _latest[0].path.exists():
                return _latest[0]
            _check_size(path)
            folder = Path(tempfile.mkdtemp(prefix="ravenglass-"))
            copy = _Copy(signature, folder, path.name)
            for source in (path, *(_beside(path, end) for end in _FOLLOWERS)):
                if source.exists():
                    shutil.copyfile(source, folder / source.name)
            if _signature(path) == signature:
                _latest[:] = [copy]
                return copy
    raise SessionError(f"{path} is being written all the time and could not be read; try again.", path=str(path))


def _check_size(path: Path) -> None:
    """Raises SessionError where a copy would be larger than one may be."""
    sizes = [stamp[1] for end in ("", *_FOLLOWERS) if (stamp := _stamp(_beside(path, end))) is not None]
    if sum(sizes) > (most := most_copied()):
        raise SessionError(
            f"{path} has {sum(sizes):,} bytes with its log and could only be read as a copy; copies of up to {most:,}"
            f" are made. {UNPACKED} sets another limit; once its program has closed it, no copy is needed.",
            path=str(path),
        )


def _signature(path: Path) -> _Signature:
    return _Signature(path.resolve(), tuple(_stamp(_beside(path, end)) for end in ("", *_FOLLOWERS)))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def reason(error: Exception) -> str:
    """What went wrong, in the database's own words where they can be read."""
    return "its tables are damaged" if isinstance(error, UnicodeDecodeError) else str(error)


def _unreadable(path: Path, error: Exception) -> SessionError:
    return SessionError(f"{path} is a SQLite database that could not be read ({reason(error)}).", path=str(path))
