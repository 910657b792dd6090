"""The sessions in opencode's database `opencode.db` (formats.md, section 6). Knows the tables, not what is in them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.opencode.file import ERRORS, is_sqlite, reading, reason
from ravenglass.sessions.formats.opencode.stored import Collector, Row, row_json
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import mapping, text, text_or_none

_TABLES = ("session", "message", "part")
_HEAD = 1 << 18
"""Bytes in which the statements that made the tables are looked for: a new database begins with them."""
_DAMAGED = "damaged-id-"
_NAME = re.compile(r"opencode.*\.db\Z")
_JSON = frozenset({"revert", "model", "permission", "metadata", "summary_diffs", "data"})
"""Columns that hold JSON."""
_TIMES = ("created", "updated", "compacting", "archived")
_MESSAGE = "SELECT id, time_created, data FROM message WHERE rowid = ?"
_MESSAGE_ROWS = "SELECT rowid FROM message WHERE session_id IN (?1, CAST(?1 AS TEXT))"
_MESSAGES_UNINDEXED = "SELECT rowid FROM message NOT INDEXED WHERE session_id IN (?1, CAST(?1 AS TEXT))"
_PART = "SELECT id, message_id, data FROM part WHERE rowid = ?"
_PART_ROWS = (
    "SELECT rowid FROM part WHERE session_id IN (?1, CAST(?1 AS TEXT))",
    "SELECT part.rowid FROM message m JOIN part ON part.message_id = m.id WHERE m.session_id IN (?1, CAST(?1 AS TEXT))",
)
_ANSWERS = 'instr(data, \'"role":"assistant"\') > 0'
"""A condition, not a decode: one row of bad JSON must not end the list."""


def is_database(path: Path) -> bool:
    """Whether the file is an SQLite database with opencode's tables, or bears its name."""
    if not path.is_file() or not is_sqlite(path):
        return False
    if _NAME.match(path.name):
        return True
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return all(re.search(rb"(?i)CREATE TABLE [\"'`\[]?" + name.encode() + rb"\b", head) for name in _TABLES)


def databases(folder: Path) -> list[Path]:
    """The databases of a data folder, the usual one first."""
    found = [path for path in folder.glob("opencode*.db") if is_sqlite(path)]
    return sorted(found, key=lambda path: (path.name != "opencode.db", path.name))


@dataclass(slots=True)
class Database:
    """One database file; every method opens it anew, so that a running opencode is seen as it is."""

    path: Path

    def entries(self, opened_as: Path) -> list[HolderEntry]:
        """Every session, from the session and message tables alone."""
        with reading(self.path) as connection:
            self._check(connection)
            counted = {
                _key(key): (int(calls or 0), model, first)
                for key, calls, model, first in connection.execute(
                    f"SELECT session_id, sum({_ANSWERS}), max(data) FILTER (WHERE {_ANSWERS}), min(time_created)"
                    " FROM message GROUP BY session_id"
                )
            }
            known = [_info(columns) for columns in _columns(connection, "SELECT * FROM session")]
        found = [_entry(info, counted.pop(text(info.get("id")), (0, None, None)), opened_as) for info in known]
        # Sessions whose own row is gone are still sessions.
        return found + [_entry({"id": key}, rest, opened_as) for key, rest in counted.items()]

    def parents(self) -> dict[str, str]:
        """Every session's parent, empty where it has none."""
        with reading(self.path) as connection:
            self._check(connection)
            columns = _names(connection, "session")
            parent = "parent_id" if "parent_id" in columns else "NULL"
            found = {_text(key): _text(up) for key, up in connection.execute(f"SELECT id, {parent} FROM session")}
            for (key,) in connection.execute("SELECT DISTINCT session_id FROM message"):
                found.setdefault(_key(key), "")
        return found

    def collect(self, session: str, into: Collector) -> None:
        """Give every row of a session to the collector; damaged pages end a table, and a warning says so."""
        with reading(self.path) as connection:
            self._check(connection)
            given: set[str] = set()
            for table in (*_TABLES, *_others(connection)):
                found = _Found()
                for row in self._rows(connection, table, session, found):
                    into.add(row)
                    if table == "message":
                        given.add(row.id)
                if found.problem is not None:
                    into.warn(
                        f"Table {table} of {self.path.name} is damaged ({reason(found.problem)}); {found.rows:,} of the"
                        f" session's rows were read, {found.lost or 'an unknown number'} could not be."
                    )
            if lacking := into.lacking() - given:
                # An index that is damaged hides rows that are whole: the table itself is gone through.
                for row in self._rows(connection, "message", session, _Found(), _MESSAGES_UNINDEXED):
                    if row.id in lacking:
                        into.add(row)

    def _rows(
        self, connection: sqlite3.Connection, table: str, session: str, found: _Found, messages: str = _MESSAGE_ROWS
    ) -> Iterator[Row]:
        if table == "message":
            for name, created, data in found.fetch(connection, _MESSAGE, session, messages):
                moment = float(created) if isinstance(created, (int, float)) else 0.0
                yield Row(table, _text(name), "", moment, _bytes(data), self._name(table, _text(name)))
        elif table == "part":
            for name, message, data in found.fetch(connection, _PART, session, *_PART_ROWS):
                yield Row(table, _text(name), _text(message), 0.0, _bytes(data), self._name(table, _text(name)))
        else:
            key = "id" if table == "session" else "session_id"
            for columns in found.scan(connection, f'SELECT * FROM "{table}" WHERE {key} = ?', session):
                name = _text(columns.get("id"))
                made = row_json(_info(columns) if table == "session" else _values(columns))
                yield Row(table, name, "", 0.0, made, self._name(table, name))

    def _name(self, table: str, row: str) -> str:
        return f"{self.path.name}, table {table}, row {row}" if row else f"{self.path.name}, table {table}"

    def _check(self, connection: sqlite3.Connection) -> None:
        there = {_text(name) for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if missing := [name for name in _TABLES if name not in there]:
            raise SessionError(
                f"{self.path} is a SQLite database, but not opencode's: it has no table {missing[0]}.",
                path=str(self.path),
            )


@dataclass(slots=True)
class _Found:
    """Reads a table as far as it goes: a damaged page loses the rows that stand on it."""

    rows: int = 0
    lost: int = 0
    problem: Exception | None = None

    def fetch(
        self, connection: sqlite3.Connection, query: str, session: str, *numbers: str
    ) -> Iterator[tuple[object, ...]]:
        """Rows one by one, by their numbers, which an index tells without the rows."""
        wanted: dict[int, None] = {}
        for listing in numbers:
            try:
                for (number,) in connection.execute(listing, (_stored(session),)):
                    wanted[number] = None
            except ERRORS as error:
                self.problem = error
        for number in wanted:
            try:
                row = connection.execute(query, (number,)).fetchone()
            except ERRORS as error:
                self.problem, self.lost = error, self.lost + 1
                continue
            if row is not None:
                self.rows += 1
                yield row

    def scan(self, connection: sqlite3.Connection, query: str, session: str) -> Iterator[dict[str, object]]:
        """Rows with the names of their columns, up to the damage."""
        try:
            for columns in _columns(connection, query, (_stored(session),)):
                self.rows += 1
                yield columns
        except ERRORS as error:
            self.problem = error


def _others(connection: sqlite3.Connection) -> list[str]:
    """Further tables whose rows belong to a session."""
    listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    names = [_text(name) for (name,) in listed]
    return [
        name for name in names if name not in _TABLES and '"' not in name and "session_id" in _names(connection, name)
    ]


def _names(connection: sqlite3.Connection, table: str) -> list[str]:
    return [_text(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _columns(
    connection: sqlite3.Connection, query: str, values: tuple[str | bytes, ...] = ()
) -> Iterator[dict[str, object]]:
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def _info(columns: dict[str, object]) -> dict[str, object]:
    """A session row in the form that the JSON storage has: parent and project ids and times under their names there."""
    found = _values(columns)
    times = {name: found.pop(f"time_{name}", None) for name in _TIMES}
    return {
        **found,
        "parentID": found.get("parent_id"),
        "projectID": found.get("project_id"),
        "time": {name: moment for name, moment in times.items() if moment is not None},
    }


def _values(columns: dict[str, object]) -> dict[str, object]:
    """Columns as JSON values: those that hold JSON are decoded, what does not decode stays text."""
    return {
        name: _decoded(value) if name in _JSON or name == "data" else _plain(value) for name, value in columns.items()
    }


def _decoded(value: object) -> object:
    plain = _plain(value)
    if not isinstance(plain, str):
        return plain
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return plain


def _plain(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _entry(info: dict[str, object], counted: tuple[int, object, object], path: Path) -> HolderEntry:
    calls, answer, first = counted
    times = mapping(info.get("time"))
    key = text(info.get("id"))
    model = mapping(info.get("model")).get("id") or mapping(_decoded(answer)).get("modelID")
    return HolderEntry(
        "opencode",
        path,
        key=key,
        id=key,
        title=text(info.get("title")),
        project=text(info.get("directory")),
        parent=text_or_none(info.get("parentID")),
        started=seconds(times.get("created")) or seconds(first),
        updated=seconds(times.get("updated")),
        calls=calls,
        model=text_or_none(model),
    )


def _text(value: object) -> str:
    found = _plain(value)
    return found if isinstance(found, str) else "" if found is None else str(found)


def _key(value: object) -> str:
    """A session's id in a row; one that damage made no text is written in hexadecimal, so that its rows are found."""
    if isinstance(value, bytes):
        try:
            return value.decode() or _DAMAGED
        except UnicodeDecodeError:
            return f"{_DAMAGED}{value.hex()}"
    return _text(value) or _DAMAGED


def _stored(key: str) -> str | bytes:
    """The id as it stands in the rows."""
    return bytes.fromhex(key.removeprefix(_DAMAGED)) if key.startswith(_DAMAGED) else key


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b"" if value is None else str(value).encode()
