"""The sub-agents of a Gemini CLI session: files in the folder that bears the session's id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.values import is_file_name

ReadFile = Callable[[Path, frozenset[Path]], Session]
"""Reads a sub-agent's file with its own sub-agents, leaving out files that are being read already."""

_UNSAFE = re.compile(r"[^A-Za-z0-9-_]")
_ENDINGS = (".jsonl", ".json")


@dataclass(slots=True)
class ChatChildren:
    """Finds and reads them; a file that has not changed since is not read again."""

    read: ReadFile
    reading: frozenset[Path] = frozenset()
    """Files on the way down to here: no session is its own sub-agent."""
    warnings: list[str] = field(default_factory=list)
    _known: dict[Path, tuple[tuple[int, int], Session]] = field(default_factory=dict)

    def of(self, path: Path, session_id: str, started_by: Mapping[str, str]) -> tuple[Session, ...]:
        """The sub-agents, by name. `started_by`: id of the call for each sub-agent's id. Fills `warnings` anew."""
        self.warnings = []
        found: list[Session] = []
        for beside in _files(path, session_id):
            if beside.resolve() in self.reading or beside == path:
                continue
            try:
                child = self._session(beside)
            except SessionError as error:
                self.warnings.append(f"The sub-agent file {beside.name} was left out: {error}")
                continue
            name = beside.name.split(".json", 1)[0]
            call = started_by.get(child.id) or started_by.get(name)
            found.append(replace(child, parent_call_id=call))
        return tuple(found)

    def _session(self, path: Path) -> Session:
        try:
            info = path.stat()
        except OSError as error:
            raise SessionError(f"{path} cannot be read ({error.strerror}).", path=str(path)) from error
        state = (info.st_mtime_ns, info.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == state and not known[1].children:
            return known[1]
        session = self.read(path, self.reading | {path.resolve()})
        self._known[path] = (state, session)
        return session


def _folders(path: Path, session_id: str) -> list[Path]:
    """In the folder of the id beside the file, and beside the folder that the file is in: all levels are written
    into `chats`. Writers differ in what they put for a character that is not fit for a name."""
    names = dict.fromkeys(_UNSAFE.sub(fill, session_id) for fill in "_-")
    return [above / name for above in (path.parent, path.parent.parent) for name in names if is_file_name(name)]


def _files(path: Path, session_id: str) -> Iterator[Path]:
    for folder in _folders(path, session_id):
        if folder.is_dir() and folder != path.parent:
            yield from sorted(item for item in folder.iterdir() if item.is_file() and item.suffix in _ENDINGS)
