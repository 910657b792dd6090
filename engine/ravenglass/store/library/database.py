"""One SQLite file, opened so that several processes can share it, and moved aside if it is damaged."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from ravenglass.errors import StoreError
from ravenglass.safe.private import create, folders, tighten
from ravenglass.store.library.migrations import migrate

BUSY_SECONDS = 10.0
"""How long to wait for another process's write before giving up with a StoreError."""

BRIEFLY = 1.0
"""The same where a person waits for a result that needs no library."""

NOT_AT_ALL = 0.0
"""The same on the way of a replay, which is only a little slower without a library."""

_RETRY_SECONDS = 0.02


def open_database(path: Path, patience: float | None = None) -> tuple[Engine, tuple[str, ...]]:
    """Open or create the file at `path`, up to date, and say in sentences what was moved aside to do so.

    StoreError if that cannot be done; what is there then stays as it is.
    """
    patience = BUSY_SECONDS if patience is None else patience
    try:
        _keep_private(path)
        try:
            return _ready(path, patience), ()
        except DBAPIError as error:
            if not _is_damage(error):
                raise
        return _repaired(path, patience)
    except (DBAPIError, sqlite3.Error, OSError) as error:
        raise StoreError(
            f"The library {path} cannot be opened: {reason(error)}. What is there was left as it is."
        ) from error


def _keep_private(path: Path) -> None:
    """Titles and paths of sessions are for the owner's eyes: also in a library of an earlier version, and in the
    files that SQLite puts beside it, which take their mode from it. OSError."""
    folders(path.parent)
    beside = list(path.parent.iterdir())
    own = [file for file in beside if file.name.startswith(path.name)]
    for file in own:
        tighten(file)
    if len(own) == len(beside):  # a folder that holds other things as well is not only ours
        tighten(path.parent)
    with suppress(FileExistsError):
        create(path).close()


def open_in_memory() -> Engine:
    """A library that is gone when it is closed, for when there is no place to keep one."""
    engine = _engine("sqlite://")
    with writer(engine).begin() as connection:
        migrate(connection, "in memory")
    return engine


def writer(engine: Engine) -> Engine:
    """The same database; its transactions begin with the write lock taken, so that they wait for another
    process at their start instead of failing half-way."""
    return engine.execution_options(write=True)


def reason(error: Exception) -> str:
    """The words of SQLite or of the system for what went wrong."""
    if isinstance(error, DBAPIError):
        return str(error.orig)
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _ready(path: Path, patience: float) -> Engine:
    engine = _engine(URL.create("sqlite", database=str(path)), patience)
    try:
        with engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if found != "ok":
                damage = sqlite3.DatabaseError(found)
                damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
                raise DBAPIError("PRAGMA quick_check", None, damage)
        with writer(engine).begin() as connection:
            migrate(connection, str(path))
    except BaseException:
        engine.dispose()
        raise
    return engine


def _engine(url: URL | str, patience: float = 0.0) -> Engine:
    engine = create_engine(url, poolclass=StaticPool, connect_args={"timeout": patience})

    @event.listens_for(engine, "connect")
    def _configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        try:
            _use_write_ahead_log(connection, patience)
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            raise

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _use_write_ahead_log(connection: sqlite3.Connection, patience: float) -> None:
    """Switch the file to write-ahead logging. SQLite itself does not wait for a lock here, so we do."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


def _code(error: BaseException | None) -> int:
    """SQLite's result code without its extension; 0 where there is none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_damage(error: DBAPIError) -> bool:
    return _code(error.orig) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _repaired(path: Path, patience: float) -> tuple[Engine, tuple[str, ...]]:
    """Move the damaged file aside and begin a new one, unless another process has done so meanwhile."""
    # An exclusive transaction on a file of its own is a lock that every system has and that ends with us.
    guard = path.with_name(f"{path.name}.repair")
    with suppress(FileExistsError):
        create(guard).close()
    with closing(sqlite3.connect(guard, timeout=patience)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        try:
            return _ready(path, patience), ()
        except DBAPIError as error:
            if not _is_damage(error):
                raise
        aside = move_aside(path)
        warning = f"The library {path} was damaged; it was kept as {aside.name} and a new one was begun."
        return _ready(path, patience), (warning,)


def move_aside(path: Path) -> Path:
    """Rename a database and what stands beside it to the first free `<name>.damaged-N`; the new path."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    # The log goes first: left behind, it would be played into the new file.
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(aside.with_name(aside.name + suffix))
    return aside
