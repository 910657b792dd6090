"""Lists and reads opencode's sessions: its database, its JSON storage, or a data folder with both (formats.md, 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.opencode.database import Database, databases, is_database
from ravenglass.sessions.formats.opencode.session import NAME, session_of
from ravenglass.sessions.formats.opencode.storage import Storage, is_storage, storages
from ravenglass.sessions.formats.opencode.stored import Collector, Stored
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter


class OpenCode:
    """opencode: `~/.local/share/opencode/`."""

    name = NAME
    label = "opencode database (opencode.db) or storage folder"
    description = (
        "Reads opencode.db with its write-ahead log and never writes to it, the JSON storage of earlier versions, and "
        "a data folder with both, where a session that is in both is one. Maps user messages, every API call of an "
        "assistant message with reasoning, tool calls, results and usage, files, compactions, cleared results, "
        "reverted messages (a child session), sub-agents (child sessions), title, directory and model; keeps session "
        "records, patches, snapshots, retries, ignored texts, other tables' rows and unknown parts as other records."
    )

    def recognises(self, path: Path) -> bool:
        """A database with opencode's tables, a storage folder, or a folder that holds either."""
        try:
            if path.is_dir():
                return is_storage(path) or bool(databases(path)) or bool(storages(path))
            return is_database(path)
        except OSError:
            return False  # what may not be looked into is told by whoever opens it

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """Its sessions from the session and message tables; parts are not read. The database's come first."""
        yield from _Store(path).entries()

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """The session of that id with its sub-agents."""
        return session_of(_Store(path).stored(key, reporter))


class _Store:
    """Everything that a path holds sessions in."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def databases(self) -> list[Database]:
        if not self.path.is_dir():
            return [Database(self.path)]
        return [] if is_storage(self.path) else [Database(path) for path in databases(self.path)]

    @cached_property
    def storages(self) -> list[Storage]:
        if not self.path.is_dir():
            return []
        found = [self.path] if is_storage(self.path) else storages(self.path)
        return [Storage(path) for path in found]

    def entries(self) -> list[HolderEntry]:
        """One entry for each id; a place that cannot be read is an error only where no other can."""
        found: dict[str, HolderEntry] = {}
        problems: list[SessionError] = []
        places: list[Database | Storage] = [*self.databases, *self.storages]
        for place in places:
            try:
                for entry in place.entries(self.path):
                    found.setdefault(entry.id, entry)
            except SessionError as error:
                problems.append(error)
        if problems and len(problems) == len(places):
            raise problems[0]
        # A sub-agent whose parent is gone stands for itself.
        return [entry if entry.parent in found else replace(entry, parent=None) for entry in found.values()]

    def stored(self, key: str, reporter: Reporter) -> Stored:
        """The session with all below it."""
        problems: list[SessionError] = []
        parents: dict[str, str] = {}
        held: list[tuple[Database, frozenset[str]]] = []
        for database in self.databases:
            try:
                found = database.parents()
            except SessionError as error:
                problems.append(error)
                continue
            held.append((database, frozenset(found)))
            parents = found | parents
        for storage in self.storages:
            parents = storage.parents() | parents
        if problems and not parents:
            raise problems[0]
        key = key or self._only(parents)
        if key not in parents:
            raise SessionError(f"{self.path} holds no session {key!r}.", path=str(self.path), tried=(NAME,))
        made = self._family(key, parents, held, reporter, set())
        made.warnings = (*(f"{problem} The other records were read." for problem in problems), *made.warnings)
        return made

    def _only(self, parents: dict[str, str]) -> str:
        roots = [key for key, parent in parents.items() if parent not in parents]
        if len(roots) != 1:
            raise SessionError(
                f"{self.path} holds {len(roots):,} sessions; say which one, as {self.path.name}#KEY.",
                path=str(self.path),
                tried=(NAME,),
            )
        return roots[0]

    def _family(
        self,
        key: str,
        parents: dict[str, str],
        held: list[tuple[Database, frozenset[str]]],
        reporter: Reporter,
        seen: set[str],
    ) -> Stored:
        """The session and its sub-agents; `seen` breaks a circle of parents."""
        seen.add(key)
        made = self._session(key, held, reporter)
        for child in [name for name, parent in parents.items() if parent == key]:
            if child not in seen:
                made.children.append(self._family(child, parents, held, reporter, seen))
        return made

    def _session(self, key: str, held: list[tuple[Database, frozenset[str]]], reporter: Reporter) -> Stored:
        into = Collector(key, self.path)
        for database, keys in held:
            if key in keys and into.empty:
                database.collect(key, into)
                reporter.report(into.size, into.size, force=True)
        complete = not into.empty
        twins = extra = 0
        for storage in self.storages:
            try:
                for row in storage.rows(key):
                    reporter.report(into.size, into.size + len(row.data))
                    if into.has(row):
                        twins += 1
                    elif complete and row.table != "session":
                        # opencode reads the database alone: what only the files have was deleted or never got in.
                        into.set_aside(row, "not in the database")
                        extra += 1
                    else:
                        into.add(row)
            except OSError as error:
                into.warn(f"{error.filename} could not be read ({error.strerror}); the files after it are missing.")
        if twins and complete:
            into.warn(f"{twins:,} records are also files of {self.storages[0].root.name}/; the database's are shown.")
        if extra:
            into.warn(f"{extra:,} files are not in the database; they are kept as other records.")
        return into.stored()
