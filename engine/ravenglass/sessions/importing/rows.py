"""Sessions in a small SQLite database: rows as JSON text in one address space, so that each has a place. Read-only."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ravenglass.errors import SessionError
from ravenglass.sessions.model.session import Damage, Span
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.joined import JoinedSource
from ravenglass.sessions.records.values import mapping, text

_MAGIC = b"SQLite format 3\x00"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row and where its JSON stands in the joined source."""

    value: Row
    span: Span


def columns(path: Path) -> dict[str, frozenset[str]]:
    """Tables of a database with the names of their columns; empty for what is none, or cannot be read."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return {}
        with closing(_connect(path)) as database:
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {
                name: frozenset(row[1] for row in database.execute(f'PRAGMA table_info("{name}")')) for name in names
            }
    except (OSError, sqlite3.Error):
        return {}


def rows(path: Path, query: str, *values: object) -> list[Row]:
    """Rows of a query, their columns by name. Raises SessionError where the database cannot be read."""
    try:
        with closing(_connect(path)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query, values)]
    except sqlite3.Error as error:
        raise SessionError(f"{path} cannot be read as a database ({error}).", path=str(path)) from error


def placed(source: JoinedSource, name: str, row: Row, decoded: tuple[str, ...] = ()) -> tuple[PlacedRow, list[Damage]]:
    """The row as JSON in the source, with the columns `decoded` that hold JSON as what they hold."""
    value = {key: _plain(item) for key, item in row.items()}
    broken: list[str] = []
    for key in decoded:
        words = text(value.get(key))
        if words.strip():
            try:
                value[key] = decode_value(words.encode("utf-8", "replace"))
            except ValueError:
                broken.append(key)
    span = source.add(name, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    damage = [Damage(span, f"column {key} of {name} is no valid JSON", "its text as it stands") for key in broken]
    return PlacedRow(mapping(value), span), damage


def _plain(value: object) -> object:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _connect(path: Path) -> sqlite3.Connection:
    """Read-only, with the write-ahead log; a text that is no UTF-8 keeps what it can."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    return database
