"""Full-text search over archived messages. All of the index comes from the archive: it may be deleted any time.

with SearchIndex(":memory:") as index:
    index.rebuild(documents(archive))
    index.search("archive_messages 超时", limit=10)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

from ravenglass.errors import ArchiveError, StoreError
from ravenglass.profile import Profile
from ravenglass.store.archive.reference import Reference
from ravenglass.store.archive.store import ArchiveStore, StoredArchive, StoredRecord
from ravenglass.store.archive.text import body
from ravenglass.store.library.database import move_aside
from ravenglass.store.search.snippet import around
from ravenglass.store.search.words import Term, terms, words
from ravenglass.store.texts import storable

INDEX_FILE: Final = "search.sqlite3"
_APPLICATION: Final = 0x52474958
"""Marks the file as an index of ours, so that no other database is taken for an old one and deleted."""
_VERSION: Final = 1
"""An index with another number is made anew."""

_DOCUMENT = """CREATE TABLE document (number INTEGER PRIMARY KEY, ref TEXT NOT NULL, id INTEGER NOT NULL,
    text TEXT NOT NULL, UNIQUE (ref, id))"""
_WORD = """CREATE VIRTUAL TABLE word USING fts5(parts, wholes, content='', tokenize="ascii tokenchars '_'")"""
"""`ascii` takes every character beyond ASCII for a letter, so our own words pass as they are."""
_RANKED = """SELECT ref, id, text, -bm25(word) FROM word JOIN document ON number = word.rowid
    WHERE word MATCH ? ORDER BY bm25(word), number LIMIT ?"""
_SCANNED = "SELECT ref, id, text, 0.0 FROM document WHERE text LIKE ? ESCAPE '\\' ORDER BY number DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class Document:
    """A message that can be found: `ref` brings it back, `id` is the message's."""

    ref: str
    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found. `score` is larger the better it fits; 0 where nothing ranks (one character)."""

    ref: str
    id: int
    snippet: str
    score: float


class SearchIndex:
    """An index in a file, or in memory. Belongs to the thread that opened it. Errors are StoreErrors.

    Where the file is missing, damaged (then it is kept as `<name>.damaged-N`) or of another version, an empty
    index is begun; `update` fills it. `snippet_chars` of the profile bounds a hit's snippet.
    """

    def __init__(self, path: Path | Literal[":memory:"], profile: Profile | None = None) -> None:
        self._name = str(path)
        self._snippet_chars = (profile or Profile()).snippet_chars
        with self._sentences("opened"):
            self._database = _opened(path)

    def add(self, ref: str, number: int, text: str) -> None:
        """Make a message findable; what was known under the same reference and id is replaced."""
        self.add_many([Document(ref, number, text)])

    def add_many(self, documents: Iterable[Document]) -> int:
        """Add all of them or, if that fails, none; how many there were."""
        with self._sentences("written to"), self._transaction():
            return sum(self._add(document) for document in documents)

    def rebuild(self, documents: Iterable[Document]) -> int:
        """Forget everything and add these; how many there were."""
        with self._sentences("written to"), self._transaction():
            self._database.execute("DELETE FROM document")
            self._database.execute("INSERT INTO word (word) VALUES ('delete-all')")
            return sum(self._add(document) for document in documents)

    def update(self, archive: ArchiveStore) -> int:
        """Take in the archive files that the index lacks and forget those that are gone; how many messages came."""
        entries = {entry.file: entry for entry in archive.entries()}
        with self._sentences("written to"), self._transaction():
            refs = self._database.execute("SELECT number, text, ref FROM document").fetchall()
            known = {ref.rpartition("#")[0] for _, _, ref in refs}
            for number, text, ref in refs:
                if ref.rpartition("#")[0] not in entries:
                    self._forget(number, text)
            lacking = [entry for file, entry in entries.items() if file not in known]
            return sum(self._add(document) for document in documents(archive, lacking))

    def search(self, query: str, limit: int = 20) -> tuple[Hit, ...]:
        """Messages that hold every term of the query (white space separates them), best first; where there is
        none, those where words only begin so, else those that hold any. A query of one character, or of signs only, is
        looked for as it stands."""
        wanted = storable(query).strip()
        if not wanted or limit < 1:
            return ()
        found = terms(wanted)
        with self._sentences("read"):
            if len(wanted) == 1 or not found:
                return self._hits(_SCANNED, f"%{_literal(wanted)}%", limit, (wanted,))
            pieces = tuple(wanted.split())
            whole, begun = [_match(term) for term in found], [_match(term, begun=True) for term in found]
            tries = (" AND ".join(whole), " AND ".join(begun), " OR ".join(whole))
            return next((hits for match in tries if (hits := self._hits(_RANKED, match, limit, pieces))), ())

    def __len__(self) -> int:
        with self._sentences("read"):
            return int(self._database.execute("SELECT count(*) FROM document").fetchone()[0])

    def close(self) -> None:
        """Close the index; closing twice is no error."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _add(self, document: Document) -> int:
        text = storable(document.text).replace("\0", "\ufffd")  # SQLite's LIKE stops at a NUL
        execute = self._database.execute
        old = execute("SELECT number, text FROM document WHERE ref = ? AND id = ?", (document.ref, document.id))
        for number, old_text in old.fetchall():
            self._forget(number, old_text)
        row = execute("INSERT INTO document (ref, id, text) VALUES (?, ?, ?)", (document.ref, document.id, text))
        found = words(text)
        execute("INSERT INTO word (rowid, parts, wholes) VALUES (?, ?, ?)", (row.lastrowid, found.parts, found.wholes))
        return 1

    def _forget(self, number: int, text: str) -> None:
        gone = words(text)  # the index keeps no words, it must be told which to take out
        self._database.execute(
            "INSERT INTO word (word, rowid, parts, wholes) VALUES ('delete', ?, ?, ?)",
            (number, gone.parts, gone.wholes),
        )
        self._database.execute("DELETE FROM document WHERE number = ?", (number,))

    def _hits(self, statement: str, match: str, limit: int, pieces: tuple[str, ...]) -> tuple[Hit, ...]:
        rows = self._database.execute(statement, (match, limit))
        return tuple(
            Hit(ref, number, around(text, pieces, self._snippet_chars), score) for ref, number, text, score in rows
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextmanager
    def _sentences(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"The search index {self._name} cannot be {doing}: {error}. Nothing is lost; it can be deleted and "
                "made again from the archive."
            ) from error


def documents(archive: ArchiveStore, entries: Iterable[StoredArchive] | None = None) -> Iterator[Document]:
    """Every message that can be read in these entries, by default all. Damaged records and files are passed over:
    `ArchiveStore.entries` and `retrieve` are what tells of them."""
    for entry in archive.entries() if entries is None else entries:
        with suppress(ArchiveError):
            for record in archive.records(entry.ref):
                if isinstance(record, StoredRecord):
                    ref = str(Reference(entry.file, record.id, record.id))
                    yield Document(ref, record.id, body(record.message, record.id, record.raw))


def _opened(path: Path | Literal[":memory:"]) -> sqlite3.Connection:
    """The database, made or made anew if it must be."""
    try:
        database = _current(path)
        if database is None:
            for suffix in ("-wal", "-shm", ""):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
    except sqlite3.OperationalError:
        raise  # locked, or no place for a file: it says nothing about what is in it
    except sqlite3.DatabaseError:
        move_aside(Path(path))
        database = None
    database = database or _current(path)
    if database is None:
        raise sqlite3.OperationalError("another program makes it anew at the same time")
    return database


def _current(path: Path | Literal[":memory:"]) -> sqlite3.Connection | None:
    """The database, made if there is none; None where another version of the program made it."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN IMMEDIATE")
        application, version, tables, damage = (
            database.execute(question).fetchone()[0]
            for question in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
                "PRAGMA quick_check(1)",
            )
        )
        if damage != "ok":
            raise sqlite3.DatabaseError(damage)
        if not tables:
            database.execute(_DOCUMENT)
            database.execute(_WORD)
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {_VERSION}")
        elif application != _APPLICATION:
            raise sqlite3.OperationalError("it is the database of another program, and was left as it is")
        elif version != _VERSION:
            database.close()
            return None
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _match(term: Term, *, begun: bool = False) -> str:
    """A term in the query language of FTS5, `begun` if its last word may go on; a word of ours holds no quote."""
    star = "*" * (begun or term.open_end)
    phrase = f'"{" ".join(term.parts)}"{star}'
    return f'({phrase} OR "{term.whole}"{star})' if term.whole and term.whole != " ".join(term.parts) else phrase


def _literal(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\%_" else character for character in text)
