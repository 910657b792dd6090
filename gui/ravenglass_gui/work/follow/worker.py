"""Looks at what an agent is writing, in a thread of its own: told by the system that a file changed, and by a timer.

A watched file that was replaced is no longer watched by the system, so the paths are given to it again after every
look; the timer finds what the system does not tell (network drives, a database's log).
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.sessions.catalogue.follow import Follower
from ravenglass.sessions.records.progress import Cancelled
from ravenglass_gui.work.loading import Loaded, load, traces_of, with_records

_log = logging.getLogger(__name__)

LOOK_MS = 100
_REST = 5
"""A look that took long is followed by a rest of so many times as long."""

_Stamp = tuple[tuple[str, int, int], ...]


class FollowWorker(QObject):
    """Follows one thing at a time. `wanted` is set from the GUI thread: another ticket ends a long read."""

    looked = Signal(int, object, str)
    """(ticket, Loaded, reason: `opened`, `grown`, `replaced` or `gone`)."""
    failed = Signal(int, str)
    """(ticket, sentence); the next change is looked at all the same."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = 0
        self._ticket = 0
        self._follower: Follower | None = None
        self._place: Path | None = None
        self._loaded: Loaded | None = None
        self._traces: _Stamp = ()
        self._timer: QTimer | None = None
        self._watcher: QFileSystemWatcher | None = None

    @Slot(int, object, str, str, bool)
    def follow(self, ticket: int, path: Path, key: str, format_name: str, alone: bool) -> None:
        """Follow a session, read as the format of that name where there is one, or with `alone` a trace log without
        one."""
        self.stop()
        if self.wanted != ticket:
            return
        self._ticket, self._place, self._loaded, self._traces = ticket, path, None, ()
        self._follower = None if alone else self._follower_of(ticket, path, key, format_name)
        if self._timer is None or self._watcher is None:  # made here, so that they belong to this thread
            self._timer, self._watcher = QTimer(singleShot=True), QFileSystemWatcher()
            self._timer.timeout.connect(self._look)
            self._watcher.fileChanged.connect(self._look)
            self._watcher.directoryChanged.connect(self._look)
        self._look()

    def _follower_of(self, ticket: int, path: Path, key: str, format_name: str) -> Follower:
        return Follower(path, key, format_name=format_name, progress=lambda *_: self.wanted == ticket)

    @Slot()
    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.stop()
        if self._watcher is not None:
            watched = [*self._watcher.files(), *self._watcher.directories()]
            if watched:
                self._watcher.removePaths(watched)
        self._follower = self._loaded = self._place = None

    @Slot()
    def close(self) -> None:
        """The thread ends, and what belongs to it goes with it."""
        self.stop()
        for made in (self._timer, self._watcher):
            if made is not None:
                made.deleteLater()
        self._timer = self._watcher = None

    @Slot()
    def _look(self) -> None:
        if self._timer is None or self._place is None or self.wanted != self._ticket:
            return
        began = time.perf_counter()
        try:
            self._tell(self._place)
        except Cancelled:
            return
        except RavenglassError as error:
            self.failed.emit(self._ticket, str(error))
        except Exception as error:  # a defect of ours may not end the following
            _log.exception("following %s failed", self._place)
            self.failed.emit(self._ticket, f"Following failed: {type(error).__name__}: {error}.")
        self._watch(self._place)
        self._timer.start(round(max(LOOK_MS, _REST * 1_000 * (time.perf_counter() - began))))

    def _tell(self, place: Path) -> None:
        if self._follower is None:
            stamp = _stamp(place)
            if stamp != self._traces:
                self._traces = stamp
                self._say(load(place, lambda *_: self.wanted == self._ticket) if stamp else None)
            return
        look = self._follower.look()
        if look is not None:
            self._traces = _stamp(traces_of(look.session))
            self._say(with_records(look.session), look.reason)
        elif self._loaded is not None and self._loaded.session is not None:
            # An engine writes its trace while the session's file waits for the end of the turn.
            stamp = _stamp(traces_of(self._loaded.session))
            if stamp != self._traces:
                self._traces = stamp
                self._say(with_records(self._loaded.session))

    def _say(self, loaded: Loaded | None, reason: str = "") -> None:
        if loaded is None and self._loaded is not None:
            self.looked.emit(self._ticket, self._loaded, "gone")
        elif loaded is not None:
            reason = reason or ("grown" if self._loaded is not None else "opened")
            self._loaded = loaded
            self.looked.emit(self._ticket, loaded, reason)

    def _watch(self, place: Path) -> None:
        """Whatever of the path is there and is not watched: a file that took the place of another is not."""
        if self._watcher is None:
            return
        watched = {*self._watcher.files(), *self._watcher.directories()}
        wanted = [place, place.parent, place.with_name(f"{place.name}-wal")]
        missing = [str(path) for path in wanted if str(path) not in watched and path.exists()]
        if missing:
            self._watcher.addPaths(missing)


def _stamp(path: Path | None) -> _Stamp:
    """The state of a trace log, one file or a folder of turns; empty where there is none."""
    if path is None:
        return ()
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return tuple((file.name, (info := file.stat()).st_size, info.st_mtime_ns) for file in files)
    except OSError:
        return ()
