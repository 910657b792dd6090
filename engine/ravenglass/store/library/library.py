"""The library: one object, used in the thread that opened it, over one database in the data directory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Self

from sqlalchemy import Engine, delete
from sqlmodel import col, select

from ravenglass.store.library.access import Access
from ravenglass.store.library.counts import LibraryCounts
from ravenglass.store.library.database import open_database, open_in_memory
from ravenglass.store.library.listed import ListedSessions
from ravenglass.store.library.location import LIBRARY_FILE, data_dir
from ravenglass.store.library.records import OpenedSession, SavedRun
from ravenglass.store.library.tables import RunRow, SessionRow
from ravenglass.store.texts import path_text, storable
from ravenglass.tokens import CountStore


class Library:
    """Opened and listed sessions, token counts and saved runs. Every method may raise StoreError; then nothing changed.

    Another thread or process opens a library of its own on the same file; they wait for each other's writes.
    """

    def __init__(self, engine: Engine, name: str, warnings: tuple[str, ...] = ()) -> None:
        self._access = Access(engine, name)
        self._counts = LibraryCounts(self._access)
        self.listed = ListedSessions(self._access)
        """What was seen of listed folders and databases."""
        self.warnings = warnings
        """Sentences for the user about what happened on opening, such as a damaged file moved aside."""

    @classmethod
    def open(cls, path: Path | None = None, *, patience: float | None = None) -> Self:
        """Open the library, by default that of the user's data directory; make it if there is none.

        A damaged file is kept as `<name>.damaged-N` and a new one begun, with a warning. A file written by
        a newer Ravenglass is refused with StoreError and left as it is. `patience`: seconds to wait for another
        process that holds the library, each time; else `BUSY_SECONDS`.
        """
        path = data_dir() / LIBRARY_FILE if path is None else path
        engine, warnings = open_database(path, patience)
        return cls(engine, str(path), warnings)

    @classmethod
    def in_memory(cls) -> Self:
        """A library that forgets everything on `close()`: what to go on with when `open` fails."""
        return cls(open_in_memory(), "in memory")

    @property
    def counts(self) -> CountStore:
        """Token counts of long texts; for `Tokenizer.measure_many`."""
        return self._counts

    def remember(self, opened: OpenedSession) -> None:
        """Put a session on top of the list; what was known under its path is replaced."""
        with self._access.writing() as session:
            session.merge(SessionRow.of(opened))

    def recent(self, limit: int = 50) -> tuple[OpenedSession, ...]:
        """At most `limit` sessions, last opened first. Whether their files still exist is not looked at."""
        newest = select(SessionRow).order_by(col(SessionRow.last_opened).desc(), col(SessionRow.path))
        with self._access.reading() as session:
            return tuple(row.record() for row in session.exec(newest.limit(limit)))

    def forget(self, path: Path) -> bool:
        """Take a session off the list; its file and its saved runs stay. False if it was not on it."""
        with self._access.writing() as session:
            row = session.get(SessionRow, path_text(path))
            if row is None:
                return False
            session.delete(row)
            return True

    def save_run(
        self,
        path: Path,
        *,
        profile_name: str,
        profile: str,
        metrics: str,
        folder: Path | None = None,
        created: float | None = None,
    ) -> SavedRun:
        """Keep a run of the session at `path`. `profile` is TOML text, `metrics` JSON text; `created` is now
        if left out. A run saved in the same folder before is replaced, as its files are. It comes back with its id."""
        row = RunRow(
            session=path_text(path),
            profile_name=storable(profile_name),
            profile=storable(profile),
            created=time.time() if created is None else created,
            metrics=storable(metrics),
            folder=None if folder is None else path_text(folder),
        )
        with self._access.writing() as session:
            if row.folder is not None:
                session.execute(delete(RunRow).where(col(RunRow.folder) == row.folder))
            session.add(row)
            session.flush()
            return row.record()

    def runs(self, path: Path | None = None) -> tuple[SavedRun, ...]:
        """Saved runs of the session at `path`, or of all sessions, newest first."""
        newest = select(RunRow)
        if path is not None:
            newest = newest.where(RunRow.session == path_text(path))
        with self._access.reading() as session:
            rows = session.exec(newest.order_by(col(RunRow.created).desc(), col(RunRow.id).desc()))
            return tuple(row.record() for row in rows)

    def close(self) -> None:
        """Close the database; closing twice is no error."""
        self._access.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
