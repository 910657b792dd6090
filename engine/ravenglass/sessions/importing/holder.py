"""What holds several sessions: a folder tree or a database, listed without reading every session.

A holder is the counterpart of an importer for what is no single file. `formats` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter


@dataclass(frozen=True, slots=True)
class HolderEntry:
    """One session of a holder, as far as it is known without reading it whole. None and "" are unknown."""

    format: str
    """Name of what reads it, `Session.format`."""
    path: Path
    """What `open_session` opens."""
    key: str = ""
    """Which session of `path`, where that holds several."""
    id: str = ""
    """The session's own id: equal for two copies of one session in different containers."""
    title: str = ""
    project: str = ""
    parent: str | None = None
    """For a sub-agent: id of the session that started it."""
    started: float | None = None
    """Seconds since the epoch, UTC."""
    updated: float | None = None
    size: int | None = None
    """Bytes on disk."""
    calls: int | None = None
    model: str | None = None
    beside: tuple[str, ...] = ()
    """Places of other files of the same session id that hold messages which this one does not."""

    @property
    def place(self) -> Path:
        """What opens it: the path, with `#key` where it holds several sessions."""
        return Path(f"{self.path}#{self.key}") if self.key else self.path


class Holder(Protocol):
    """Lists and reads the sessions of one kind of folder or database. Never writes."""

    @property
    def name(self) -> str:
        """Short name, `Session.format`."""
        ...

    @property
    def label(self) -> str:
        """Name for people."""
        ...

    @property
    def description(self) -> str:
        """Sentences on what is mapped and what it keeps as other records."""
        ...

    def recognises(self, path: Path) -> bool:
        """Whether the folder or file is of this kind; looks at names and first bytes only."""
        ...

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        """Its sessions, in any order, sub-agents too. Raises SessionError where it cannot be read."""
        ...

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:
        """One session with its sub-agents as children; `key` as in its Entry, empty for the only one.

        Raises SessionError where there is no such session.
        """
        ...
