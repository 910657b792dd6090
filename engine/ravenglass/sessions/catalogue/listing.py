"""Lists the sessions of a folder, a database or a file without reading them whole; `described` fills in the rest.

A file is told by its first records, with the importers' own eyes, so a list knows nothing of any format. A session that
stands there in two containers (a rollout and its compressed copy, a document and its lines) is listed once, where one
of them holds all of the other.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.catalogue.copies import holds
from ravenglass.sessions.catalogue.head import head_of
from ravenglass.sessions.catalogue.registry import holder_of, open_session
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Progress

_SUFFIXES = (".jsonl", ".json", ".traj", ".db", ".sqlite", ".eval", ".zst", ".gz", ".ndjson")
_SKIPPED = frozenset({"node_modules", "__pycache__", "tool-results"})
_MOST_FILES = 50_000
"""Files of a folder that are looked at; more are no store of sessions."""


Problem = Callable[[Path, str], None]
"""Told of an entry that cannot be looked at, and why: `is a link that leads to itself`."""


def _untold(path: Path, why: str) -> None:
    """Nobody wants to know."""


def listing(path: Path, problem: Problem = _untold) -> Iterator[HolderEntry]:
    """Every session under a path, newest first, sub-agents with their parent's id. What is no session is left out; of
    what is called like one, but cannot be looked at, `problem` is told.

    Raises SessionError where the path itself cannot be read.
    """
    yield from settled(discovered(path, problem))


def discovered(path: Path, problem: Problem = _untold) -> Iterator[HolderEntry]:
    """Every session under a path, as it is found: `settled` puts them in order. For lists that are shown as they grow.

    Raises SessionError where the path itself cannot be read.
    """
    why = unusable(path)
    if not why and path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
        why = "may not be read (permission denied)"
    if why:
        raise SessionError(f"{path} {why}.", path=str(path))
    yield from _entries(path, problem)


def unusable(path: Path) -> str:
    """Why a path is neither a plain file nor a folder, as the end of a sentence; empty where it is one."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "is a link that leads nowhere" if path.is_symlink() else "does not exist"
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a link that leads to itself"
        return f"cannot be looked at ({error.strerror or error})"
    except ValueError:
        return "has a name that no file can have"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    return "is no regular file (a pipe, a socket or a device)"


def settled(entries: Iterable[HolderEntry]) -> list[HolderEntry]:
    """The sessions newest first, each once: of two containers of one session the better, where that holds all that the
    other holds. Where neither does, both are there, and each names the other (`beside`)."""
    groups: dict[tuple[str, str], list[HolderEntry]] = {}
    for number, entry in enumerate(entries):
        groups.setdefault((entry.format, entry.id) if entry.id else ("", str(number)), []).append(entry)
    found = [entry for group in groups.values() for entry in _distinct(group)]
    return sorted(found, key=lambda entry: (entry.updated or 0.0, entry.id), reverse=True)


def _distinct(group: list[HolderEntry]) -> list[HolderEntry]:
    """Of the entries of one id those that no other one holds whole."""
    if len(group) == 1:
        return group
    kept: list[HolderEntry] = []
    for entry in sorted(group, key=_rank, reverse=True):
        if any(holds(other, entry) for other in kept):
            continue
        kept = [other for other in kept if not holds(entry, other)]
        kept.append(entry)
    places = [str(entry.place) for entry in kept]
    return [replace(entry, beside=tuple(place for place in places if place != str(entry.place))) for entry in kept]


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


def _entries(path: Path, problem: Problem) -> Iterator[HolderEntry]:
    holder = holder_of(path)
    if holder is not None:
        yield from holder.entries(path)
    elif path.is_file():
        yield from _file(path, problem)
    else:
        for below in _walk(path, problem):
            yield from _held(below, problem) if below.is_dir() else _file(below, problem)


def _held(folder: Path, problem: Problem) -> Iterator[HolderEntry]:
    """The sessions of a folder or a database inside a folder: one that cannot be read costs its own only."""
    try:
        yield from _entries(folder, problem)
    except SessionError as error:
        problem(folder, f"cannot be listed ({str(error).rstrip('.')})")
    except OSError as error:
        problem(folder, f"cannot be listed ({error.strerror or error})")


def _file(path: Path, problem: Problem) -> Iterator[HolderEntry]:
    """The session of a file, or none where its first records are no session's."""
    try:
        if holder_of(path) is not None:
            yield from _held(path, problem)
            return
        head = head_of(path)
        info = path.stat()
    except SessionError as error:
        problem(path, f"cannot be listed ({str(error).rstrip('.')})")
        return
    except OSError as error:
        problem(path, f"cannot be read ({(error.strerror or str(error)).lower()})")
        return
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


def _walk(folder: Path, problem: Problem) -> Iterator[Path]:
    """Files that may be sessions, and folders that a holder reads whole."""
    seen = 0
    waiting = [folder]
    while waiting:
        inside: list[Path] = []
        place = waiting.pop()
        try:
            with os.scandir(place) as found:
                children = sorted(found, key=lambda child: child.name)
        except OSError as error:
            problem(place, f"cannot be read ({(error.strerror or str(error)).lower()})")
            continue
        for child in children:
            if child.name.startswith(".") or child.name in _SKIPPED:
                continue
            path = Path(child.path)
            if child.is_dir(follow_symlinks=False):
                if holder_of(path) is not None:
                    yield path
                else:
                    inside.append(path)
            elif child.name.endswith(_SUFFIXES):
                why = unusable(path)
                if why:
                    problem(path, why)
                if why or path.is_dir():
                    continue
                seen += 1
                if seen > _MOST_FILES:
                    return
                yield path
        waiting.extend(reversed(inside))


def _rank(entry: HolderEntry) -> tuple[bool, bool, int, float]:
    """Of two containers of one session: the one that is plain, then the one of lines, then the one that holds more (an
    earlier state is a part of a later one, and copying gives files times of its own), then the later one."""
    name = entry.path.name
    return not name.endswith((".zst", ".gz")), ".jsonl" in name, entry.size or 0, entry.updated or 0.0
