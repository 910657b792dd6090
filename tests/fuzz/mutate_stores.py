"""Damage to databases, archives and folders: rows, members and files that are gone, doubled, mistyped or torn."""

from __future__ import annotations

import io
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutate_bytes import damaged
from tests.fuzz.mutate_json import mistyped_document, mistyped_line
from tests.fuzz.seeds import Seed

_BYTES = 0.25
"""Share of damage to the bytes of a database or an archive themselves."""
_VALUES: tuple[Any, ...] = (
    None,
    "",
    "x",
    7,
    -1,
    10**15,
    1.5,
    b"\xff\x00",
    "ses_1",
    "ses_kid",
    "msg_ses_1_01",
    "null",
    "[]",
    "{",
    '{"role": 7}',
)


def mutated(seed: Seed, rng: Random) -> Seed:
    """The seed with one of its files damaged, or one of its files gone."""
    name = seed.opened if seed.opened in seed.files and rng.random() < 0.75 else rng.choice(sorted(seed.files))
    files = dict(seed.files)
    if name != seed.opened and rng.random() < 0.08:
        del files[name]
    else:
        files[name] = _content(seed, name, files[name], rng)
    return Seed(seed.name, seed.shape, files, seed.opened)


def _content(seed: Seed, name: str, data: bytes, rng: Random) -> bytes:
    if seed.shape == "database" and rng.random() > _BYTES:
        return _rows(data, rng)
    if seed.shape == "archive" and rng.random() > _BYTES:
        return _members(data, rng)
    if seed.shape in ("database", "archive") or rng.random() < 0.5:
        return damaged(data, rng)
    return mistyped_line(data, rng) if name.endswith(".jsonl") else mistyped_document(data, rng)


def _rows(data: bytes, rng: Random) -> bytes:
    """A database with one to three values changed or rows deleted."""
    with tempfile.TemporaryDirectory(prefix="ravenglass-fuzz-") as folder:
        path = Path(folder) / "x.db"
        path.write_bytes(data)
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            for _ in range(rng.choice((1, 1, 2, 3))):
                _change(connection, rng)
        finally:
            connection.close()
        return path.read_bytes()


def _change(connection: sqlite3.Connection, rng: Random) -> None:
    tables = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    ]
    table = rng.choice([name for name in tables if name in ("session", "message", "part")] or tables)
    rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}" ORDER BY rowid')]
    if not rows:
        return
    row = rng.choice(rows)
    if rng.random() < 0.15:
        connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
        return
    columns = [name for _, name, *_ in connection.execute(f'PRAGMA table_info("{table}")')]
    column = "data" if "data" in columns and rng.random() < 0.6 else rng.choice(columns)
    (now,) = connection.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()
    given = rng.choice(_VALUES)
    if isinstance(now, str) and column == "data" and rng.random() < 0.8:
        change = damaged if rng.random() < 0.5 else mistyped_document
        given = change(now.encode(), rng)
        given = given.decode("utf-8", "replace") if rng.random() < 0.8 else given
    try:
        connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (given, row))
    except sqlite3.IntegrityError:
        connection.execute(
            f'UPDATE "{table}" SET "{column}" = CAST(? AS BLOB) WHERE rowid = ?', (rng.randbytes(6), row)
        )


def _members(data: bytes, rng: Random) -> bytes:
    """An archive with one member changed or gone. One that the standard library cannot unpack is damaged as bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (NotImplementedError, zipfile.BadZipFile):
        return damaged(data, rng)
    name = rng.choice(sorted(members))
    if rng.random() < 0.1:
        del members[name]
    else:
        members[name] = (damaged if rng.random() < 0.5 else mistyped_document)(members[name], rng)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for inner, content in members.items():
            archive.writestr(zipfile.ZipInfo(inner, (2026, 1, 1, 0, 0, 0)), content)
    return packed.getvalue()
