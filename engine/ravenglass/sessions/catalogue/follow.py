"""Follows a session that an agent is still writing: what was appended is read on from where the last look ended.

A file of lines is read by offset; its last line waits until it is whole. A file that was replaced, shortened or
rewritten is read anew, as is everything that is no file of lines (a document, a compressed file, a database, a folder).
Nothing here waits or watches: `look` is cheap where nothing changed, and is called as often as one likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from ravenglass.errors import SessionError
from ravenglass.sessions.catalogue.known import IMPORTERS
from ravenglass.sessions.catalogue.registry import HEAD, choose, holder_of, open_session
from ravenglass.sessions.catalogue.tail import ReadAsAWholeError, Tail
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decompress import compression
from ravenglass.sessions.records.progress import Progress, Reporter
from ravenglass.sessions.records.source import open_path
from ravenglass.sessions.records.values import is_file_name

_MOST_FILES = 20_000
"""Files of a folder whose change is noticed."""

Reason = Literal["opened", "grown", "replaced", "gone"]

_File = tuple[str, int, int, int]
"""Name, inode, bytes, time of the last change."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a look found: the session as it is now, and what happened since the look before."""

    session: Session
    reason: Reason
    """`grown`: read on; `replaced`: read anew; `gone`: the file is no longer there, this is what was read of it."""


class Follower:
    """One followed path; `key` says which session of a database or folder, `format_name` what reads it where its
    content is not to decide. Belongs to one thread."""

    def __init__(self, path: Path, key: str = "", *, format_name: str = "", progress: Progress | None = None) -> None:
        self.path = path
        self._key = key
        self._format = format_name
        self._progress = progress
        self._tail: Tail | None = None
        self._as_a_whole = False
        """A file of lines that cannot be read on in, and is read as a whole whenever it has grown."""
        self._seen: tuple[_File, ...] = ()
        self._session: Session | None = None

    def look(self) -> Look | None:
        """What changed since the last look; None where nothing did.

        Raises SessionError where the path cannot be read; the next look after a change tries again.
        """
        now = _files(self.path, self._session)
        if now == self._seen and self._session is not None:
            return None
        before, self._seen = self._seen, now
        if not now and self._session is not None:
            self._tail = None
            return Look(self._session, "gone")
        try:
            return self._read(before, now)
        except OSError as error:
            reason = error.strerror or str(error)
            raise SessionError(f"{self.path} could not be read on ({reason}).", path=str(self.path)) from error

    def _read(self, before: tuple[_File, ...], now: tuple[_File, ...]) -> Look | None:
        if self._tail is not None and self._tail.continues():
            # So few records may not tell the format yet: it is looked for again with those that came. A line that ended
            # inside a string may go on in those that came.
            anew = self._tail.records < HEAD or self._tail.unsettled
            try:
                if not self._tail.unsettled and not self._tail.read_on() and before[1:] == now[1:]:
                    return None
            except ReadAsAWholeError:
                anew = True
            self._session = self._open() if anew else self._tail.session()
            return Look(self._session, "grown")
        grown = self._as_a_whole and before[:1] and before[0][1] == now[0][1] and before[0][2] <= now[0][2]
        reason: Reason = "opened" if self._session is None else "grown" if grown else "replaced"
        self._session = self._open()
        return Look(self._session, reason)

    def _open(self) -> Session:
        self._tail, self._as_a_whole = None, False
        if self._key or self._format or holder_of(self.path) is not None:
            return open_session(self.path, self._key, format_name=self._format, progress=self._progress)
        reporter = Reporter(self._progress, self.path.name)
        opened = open_path(self.path, reporter)
        importer, records = choose(opened, reporter)
        with self.path.open("rb") as file:
            packed = compression(file.read(16))
        if packed is not None or records.container != "jsonl":
            return open_session(self.path, progress=self._progress)
        tail = Tail(opened, importer, IMPORTERS)
        try:
            tail.read_on(reporter)
        except ReadAsAWholeError:
            self._as_a_whole = True
            return open_session(self.path, progress=self._progress)
        self._tail = tail
        return tail.session()


def _files(path: Path, session: Session | None = None) -> tuple[_File, ...]:
    """The state of everything that belongs to the path, itself first; empty where it is not there.

    What stands in the folder that bears the session's id is known once the session is.
    """
    try:
        first = _file(path)
    except OSError:
        return ()
    # The log of a database that was not taken over yet, and the folder of a session's sub-agents.
    beside = [path.with_name(f"{path.name}-wal"), *_below(path if path.is_dir() else path.with_suffix(""))]
    if session is not None and is_file_name(session.id) and session.id != path.with_suffix("").name:
        beside += _below(path.with_name(session.id))
    found = [first]
    for other in beside:
        try:
            found.append(_file(other))
        except OSError:
            continue
    return tuple(found)


def _below(folder: Path) -> list[Path]:
    return sorted(islice(folder.rglob("*"), _MOST_FILES)) if folder.is_dir() else []


def _file(path: Path) -> _File:
    info = path.stat()
    return str(path), info.st_ino, info.st_size, info.st_mtime_ns
