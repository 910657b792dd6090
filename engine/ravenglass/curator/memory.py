"""Long-term memory: a folder of notes that an agent keeps beside its sessions, for the curator to read. Never written.

It is found beside the session: `memory` in the folder of its file (Claude Code), or in the workspace whose `sessions`
folder holds it (Raven, and engines of our own). Notes are the text files in it; hidden folders, such as the curator's
own, and links that lead out of it are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ravenglass.errors import PlanError

_FOLDER = "memory"
_SESSIONS = "sessions"
_ENDINGS = (".md", ".txt")
_MOST_NOTES = 500
_MOST_BYTES = 1_000_000
"""More of a note is not read."""


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """A note: its path below the folder, and what it holds."""

    name: str
    text: str

    @property
    def headline(self) -> str:
        """Its first line that says anything."""
        return next((line.strip() for line in self.text.split("\n") if line.strip()), "")


class Memory:
    """The notes of a folder, by name; none where there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @cached_property
    def notes(self) -> dict[str, MemoryNote]:
        """Every note, in the order of the names. Read once."""
        return {note.name: note for note in self._read()}

    def note(self, name: str) -> MemoryNote:
        """Raises PlanError, naming those that there are, where there is no such note."""
        if name not in self.notes:
            there = ", ".join(list(self.notes)[:20]) or "none"
            raise PlanError(f"the long-term memory has no note {name!r}; there are {there}")
        return self.notes[name]

    def _read(self) -> Iterator[MemoryNote]:
        if self.folder is None:
            return
        inside = self.folder.resolve()
        for path in sorted(_files(self.folder))[:_MOST_NOTES]:
            try:
                if inside not in path.resolve().parents:
                    continue
                with path.open("rb") as file:
                    text = file.read(_MOST_BYTES).decode("utf-8", "replace")
            except OSError:
                continue  # a note that cannot be read is no note
            yield MemoryNote(path.relative_to(self.folder).as_posix(), text)


def _files(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(top, name) for name in names if name.endswith(_ENDINGS) and not name.startswith("."))


def memory_beside(session_file: Path) -> Memory:
    """The long-term memory that belongs to a session's file, as its writer keeps it; empty where there is none."""
    if not session_file.is_file():
        return Memory(None)
    places = [session_file.parent / _FOLDER]
    above = session_file.absolute().parents
    if len(above) > 2 and above[1].name == _SESSIONS:
        places.append(above[2] / _FOLDER)
    return Memory(next((place for place in places if place.is_dir()), None))
