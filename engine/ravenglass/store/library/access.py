"""Guarded use of the open database: one thread, short transactions, SQLite's errors turned into sentences."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from ravenglass.errors import StoreError
from ravenglass.store.library.database import reason, writer


class Access:
    """The only way to the database's rows. Belongs to the thread that made it."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._thread = threading.get_ident()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees one state of the database throughout."""
        with self._transaction(self._engine, "read") as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is kept as a whole when the block ends, and dropped as a whole if it raises."""
        with self._transaction(writer(self._engine), "written to") as session:
            yield session

    def close(self) -> None:
        """Close the database; closing twice is no error."""
        self._check_thread()
        self._closed = True
        self._engine.dispose()

    @contextmanager
    def _transaction(self, engine: Engine, doing: str) -> Iterator[Session]:
        self._check_thread()
        if self._closed:
            raise StoreError(f"The library {self._name} is closed; nothing was read or written.")
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise StoreError(
                f"The library {self._name} cannot be {doing}: {reason(error)}. Nothing in it was changed."
            ) from error

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise StoreError(
                f"The library {self._name} was used from another thread than the one that opened it; "
                "nothing was read or written. A thread opens a library of its own."
            )
