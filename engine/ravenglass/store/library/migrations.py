"""Steps that bring a library up to date. `PRAGMA user_version` is the number of steps already taken.

A step that was released is never edited; a change is a further step at the end of `STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from ravenglass.errors import StoreError


def _first_tables(connection: Connection) -> None:
    for statement in (
        """CREATE TABLE opened_session (
            path VARCHAR NOT NULL, format VARCHAR NOT NULL, title VARCHAR NOT NULL, project VARCHAR NOT NULL,
            messages INTEGER NOT NULL, calls INTEGER NOT NULL, size INTEGER NOT NULL, mtime FLOAT NOT NULL,
            started FLOAT, last_opened FLOAT NOT NULL, model VARCHAR, PRIMARY KEY (path))""",
        "CREATE INDEX ix_opened_session_last_opened ON opened_session (last_opened)",
        """CREATE TABLE token_count (
            encoding VARCHAR NOT NULL, digest BLOB NOT NULL, count INTEGER NOT NULL, how VARCHAR NOT NULL,
            PRIMARY KEY (encoding, digest))""",
        """CREATE TABLE saved_run (
            id INTEGER NOT NULL, session VARCHAR NOT NULL, profile_name VARCHAR NOT NULL,
            profile VARCHAR NOT NULL, created FLOAT NOT NULL, metrics VARCHAR NOT NULL, folder VARCHAR,
            PRIMARY KEY (id))""",
        "CREATE INDEX ix_saved_run_session ON saved_run (session)",
    ):
        connection.exec_driver_sql(statement)


def _listed_sessions(connection: Connection) -> None:
    connection.exec_driver_sql(
        """CREATE TABLE listed_session (
            root VARCHAR NOT NULL, path VARCHAR NOT NULL, "key" VARCHAR NOT NULL, format VARCHAR NOT NULL,
            session VARCHAR NOT NULL, title VARCHAR NOT NULL, project VARCHAR NOT NULL, parent VARCHAR,
            started FLOAT, updated FLOAT, size INTEGER, calls INTEGER, model VARCHAR,
            stamp FLOAT, detailed BOOLEAN NOT NULL, fault VARCHAR NOT NULL, PRIMARY KEY (root, path, "key"))"""
    )


STEPS: tuple[Callable[[Connection], None], ...] = (_first_tables, _listed_sessions)


def migrate(connection: Connection, name: str) -> None:
    """Take the missing steps inside the caller's transaction; StoreError if a newer Ravenglass wrote it."""
    version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if version > len(STEPS):
        raise StoreError(
            f"The library {name} was written by a newer Ravenglass (its tables have version {version}, "
            f"this program knows {len(STEPS)}); it was left as it is. Update Ravenglass, or set "
            "RAVENGLASS_DATA to another folder."
        )
    for step in STEPS[version:]:
        step(connection)
    if version < len(STEPS):
        connection.exec_driver_sql(f"PRAGMA user_version = {len(STEPS)}")
