"""Lists the sessions of a folder, a database or a file without reading them whole; `described` fills in the rest.

A file is told by its first records, with the importers' own eyes, so a list knows nothing of any format. A session that
stands there in two containers (a rollout and its compressed copy, a document and its lines) is listed once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.catalogue.head import head_of
from ravenglass.sessions.catalogue.registry import holder_of, open_session
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Progress

_SUFFIXES = (".jsonl", ".json", ".traj", ".db", ".sqlite", ".eval", ".zst", ".gz", ".ndjson")
_SKIPPED = frozenset({"node_modules", "__pycache__", "tool-results"})
_MOST_FILES = 50_000
"""Files of a folder that are looked at; more are no store of sessions."""


def listing(path: Path) -> Iterator[HolderEntry]:
    """Every session under a path, newest first, sub-agents with their parent's id. What is no session is left out.

    Raises SessionError where the path itself cannot be read.
    """
    yield from settled(discovered(path))


def discovered(path: Path) -> Iterator[HolderEntry]:
    """Every session under a path, as it is found: `settled` puts them in order. For lists that are shown as they grow.

    Raises SessionError where the path itself cannot be read.
    """
    if not path.exists():
        raise SessionError(f"{path} does not exist.", path=str(path))
    yield from _entries(path)


def settled(entries: Iterable[HolderEntry]) -> list[HolderEntry]:
    """The sessions newest first, each once: of two containers of one session the better."""
    found: dict[tuple[str, str], HolderEntry] = {}
    for number, entry in enumerate(entries):
        key = (entry.format, entry.id) if entry.id else ("", str(number))
        known = found.get(key)
        if known is None or _better(entry, known):
            found[key] = entry
    return sorted(found.values(), key=lambda entry: (entry.updated or 0.0, entry.id), reverse=True)


def described(entry: HolderEntry, progress: Progress | None = None) -> HolderEntry:
    """The entry with what only reading the whole session tells. Raises what `open_session` raises."""
    return _told(entry, open_session(entry.path, entry.key, progress=progress))


def _told(entry: HolderEntry, session: Session) -> HolderEntry:
    return replace(
        entry,
        format=session.format,
        id=session.id or entry.id,
        title=session.title or entry.title,
        project=session.project or entry.project,
        parent=session.parent or entry.parent,
        started=session.started if session.started is not None else entry.started,
        updated=session.ended if session.ended is not None else entry.updated,
        calls=len(session.structure.calls),
        model=session.model or entry.model,
    )


def _entries(path: Path) -> Iterator[HolderEntry]:
    holder = holder_of(path)
    if holder is not None:
        yield from holder.entries(path)
    elif path.is_file():
        yield from _file(path)
    else:
        for below in _walk(path):
            yield from _entries(below) if below.is_dir() else _file(below)


def _file(path: Path) -> Iterator[HolderEntry]:
    """The session of a file, or none where its first records are no session's."""
    holder = holder_of(path)
    try:
        if holder is not None:
            yield from holder.entries(path)
            return
        head = head_of(path)
        info = path.stat()
    except (SessionError, OSError):
        return  # opening it by hand says what is wrong with it
    if head is None:
        return
    yield HolderEntry(
        format=head.format,
        path=path,
        id=head.id,
        title=head.title,
        project=head.project,
        parent=head.parent,
        started=head.started,
        updated=info.st_mtime,
        size=info.st_size,
        model=head.model,
    )


def _walk(folder: Path) -> Iterator[Path]:
    """Files that may be sessions, and folders that a holder reads whole."""
    seen = 0
    waiting = [folder]
    while waiting:
        inside: list[Path] = []
        try:
            with os.scandir(waiting.pop()) as found:
                children = sorted(found, key=lambda child: child.name)
        except OSError:
            continue  # a folder that may not be read holds nothing for this list
        for child in children:
            if child.name.startswith(".") or child.name in _SKIPPED:
                continue
            path = Path(child.path)
            if child.is_dir(follow_symlinks=False):
                if holder_of(path) is not None:
                    yield path
                else:
                    inside.append(path)
            elif child.is_file() and child.name.endswith(_SUFFIXES):
                seen += 1
                if seen > _MOST_FILES:
                    return
                yield path
        waiting.extend(reversed(inside))


def _better(entry: HolderEntry, known: HolderEntry) -> bool:
    """Of two containers of one session: the one that is plain, then the one of lines, then the one that holds more (an
    earlier state is a part of a later one, and copying gives files times of its own), then the later one."""
    return _rank(entry) > _rank(known)


def _rank(entry: HolderEntry) -> tuple[bool, bool, int, float]:
    name = entry.path.name
    return not name.endswith((".zst", ".gz")), ".jsonl" in name, entry.size or 0, entry.updated or 0.0
