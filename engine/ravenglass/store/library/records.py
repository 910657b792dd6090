"""What the library hands out and takes in: immutable facts, no rows and no open database behind them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session that was opened once: what a list shows of it without reading the file again.

    `size` is in bytes; `mtime`, `started` and `last_opened` are seconds since the epoch, UTC.
    """

    path: Path
    format: str
    title: str
    project: str
    messages: int
    calls: int
    size: int
    mtime: float
    last_opened: float
    started: float | None = None
    model: str | None = None

    @classmethod
    def of(cls, session: Session, *, opened: float | None = None) -> Self:
        """The facts of a session that was just read from `session.place`; `opened` is now if left out."""
        status = session.path.stat()
        return cls(
            path=session.place.absolute(),
            format=session.format,
            title=session.title,
            project=session.project,
            messages=len(session.messages),
            calls=len(session.structure.calls),
            size=status.st_size,
            mtime=status.st_mtime,
            last_opened=time.time() if opened is None else opened,
            started=session.started,
            model=session.model,
        )


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session of a listed folder or database: what the list says of it, and whether it was read whole for that."""

    entry: HolderEntry
    stamp: float | None = None
    """`Entry.updated` as the list had it before the session was read: together with the size it tells a change."""
    detailed: bool = False
    """Whether `entry` has what only reading the whole session tells."""
    fault: str = ""
    """Why the session could not be read, as a sentence; `entry` is then as it was listed."""

    @classmethod
    def of(cls, entry: HolderEntry) -> Self:
        """An entry as it was just listed."""
        return cls(entry, entry.updated)

    def stands_for(self, entry: HolderEntry) -> bool:
        """Whether the freshly listed entry is the same session, unchanged since."""
        return (self.entry.place, self.entry.size, self.stamp) == (entry.place, entry.size, entry.updated)


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A replay that was kept: under which profile, what it measured, where its files are.

    `profile` is the profile as TOML text, complete, so that the run can be made again after a preset changed.
    `metrics` is JSON text. `folder` holds archive, manifest and trace; None if only the figures were kept.
    """

    id: int
    session: Path
    profile_name: str
    profile: str
    created: float
    metrics: str
    folder: Path | None
