"""What a path that a person opens is: a session, a trace log alone, or an engine's workspace with both.

Runs in the worker that reads files. The engine's importers and readers do the reading; here they are only chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ravenglass.errors import ArchiveError, SessionError, StoreError
from ravenglass.reopening import SavedRunFolder, is_saved_run, saved_run
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.catalogue.registry import located
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Progress
from ravenglass.store.archive.store import ARCHIVE_FOLDER
from ravenglass.store.layout import CURATOR, names_of
from ravenglass.traces import is_trace_log, open_trace
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.state.recorded.archive import RecordedArchive
from ravenglass_gui.text.numbers import amount

_LEVELS = 5
"""Folders above a file in which its workspace may be."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A session, with the trace log and the archive that its engine wrote where there are any; or a log by itself.
    `notes` are sentences."""

    session: Session | None
    log: OpenLog | None = None
    archive: RecordedArchive | None = None
    notes: tuple[str, ...] = ()
    saved: SavedRunFolder | None = None
    """What the session is shown under, where the folder of a saved run was opened."""
    anew: bool = False
    """Of a followed session: it was replaced, so that nothing of what was read before is known to be in it."""


def is_store(path: Path) -> bool:
    """Whether a path is listed rather than read: a folder but for a saved run's, or a file that holds several
    sessions."""
    try:
        if path.is_dir() and is_saved_run(path):
            return False
        return path.is_dir() or holder_of(path) is not None
    except OSError:
        return False


def is_workspace(path: Path) -> bool:
    """Whether an engine keeps its sessions, traces and archive here."""
    return path.is_dir() and (path / CURATOR).is_dir()


def load(path: Path, progress: Progress | None = None, format_name: str = "") -> Loaded:
    """Read what is at a path, as the format of that name where there is one. Raises SessionError and Cancelled as the
    readers do."""
    if format_name:
        return with_records(open_session(path, format_name=format_name, progress=progress), progress)
    saved = saved_run(path) if path.is_dir() else None
    if saved is not None:
        return _saved(saved, progress)
    if is_workspace(path):
        return _workspace(path, progress)
    file, key = located(path)
    if not is_trace_log(file) if file.is_file() else bool(key) or holder_of(path) is not None:
        return with_records(open_session(path, progress=progress), progress)
    try:
        return _alone(path, progress)
    except SessionError as error:
        if not path.is_dir():
            raise
        sentence = f"{path} holds no session of a known agent, and no trace log either."
        raise SessionError(sentence, path=str(path)) from error


def _saved(saved: SavedRunFolder, progress: Progress | None) -> Loaded:
    """The session of a saved run with the trace that was saved of it; where that is gone, the trace by itself."""
    if saved.session is not None:
        loaded = with_records(open_session(saved.session, progress=progress), progress)
        return replace(loaded, notes=(*saved.notes, *loaded.notes), saved=saved)
    if saved.traces is None:
        raise SessionError(f"{' '.join(saved.notes)} No trace was saved either.", path=str(saved.folder))
    loaded = _alone(saved.traces, progress)
    return replace(loaded, notes=(*saved.notes, *loaded.notes))


def _workspace(path: Path, progress: Progress | None) -> Loaded:
    """The latest session of an engine's workspace; without one its traces."""
    files = sorted((path / "sessions").rglob("*.jsonl"), key=lambda file: (file.stat().st_mtime, file.name))
    if not files:
        return _alone(path / CURATOR / "traces", progress)
    loaded = with_records(open_session(files[-1], progress=progress), progress)
    if len(files) == 1:
        return loaded
    shown = files[-1].relative_to(path)
    note = f"{path.name} holds {amount(len(files), 'session')}; {shown} is the latest and is shown."
    return replace(loaded, notes=(note, *loaded.notes))


def _alone(path: Path, progress: Progress | None) -> Loaded:
    """A trace log, one file or a folder of turns, without its session."""
    log = open_trace(path, progress=progress)
    opened = OpenLog(log)
    archive, notes = _archive(_curator_of(path), opened.session)
    return Loaded(None, opened, archive, (*notes, *log.warnings))


def with_records(session: Session, progress: Progress | None = None) -> Loaded:
    """The session with what its engine recorded of it, where it lies in a workspace."""
    curator = _curator_of(session.path)
    archive, notes = _archive(curator, session.id)
    traces = traces_of(session)
    if traces is None:
        return Loaded(session, None, archive, notes)
    try:
        log = open_trace(traces, progress=progress)
    except SessionError as error:
        return Loaded(session, None, archive, (*notes, f"The trace beside the session was not read: {error}"))
    return Loaded(session, OpenLog(log), archive, (*notes, *log.warnings))


def traces_of(session: Session) -> Path | None:
    """The folder in which the session's engine writes its trace, where the session lies in a workspace that has one."""
    curator = _curator_of(session.path)
    if curator is None:
        return None
    found = (curator / "traces" / name for name in names_of(session.id))
    return next((traces for traces in found if traces.is_dir()), None)


def _curator_of(path: Path) -> Path | None:
    """The curator's folder of the workspace that a path lies in."""
    above = list(path.absolute().parents)[:_LEVELS]
    return next((folder / CURATOR for folder in above if (folder / CURATOR).is_dir()), None)


def _archive(curator: Path | None, key: str) -> tuple[RecordedArchive | None, tuple[str, ...]]:
    if curator is None or not (curator / ARCHIVE_FOLDER).is_dir():
        return None, ()
    try:
        found = RecordedArchive(curator, key)
    except (ArchiveError, StoreError) as error:
        return None, (f"The archive beside it was not read: {error}",)
    return (found if found.entries else None), ()
