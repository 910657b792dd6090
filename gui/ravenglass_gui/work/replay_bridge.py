"""Between the window and the worker threads: opening, replaying and the library, each in a thread of its own.

The newest wish wins. While a replay runs, at most one more is kept waiting, and a later wish replaces it, so a
slider drag never queues work. Short runs are all shown, so that the timeline follows the drag; a long one is
dropped once it is no longer the newest wish. Errors arrive as
sentences through `DebuggerState.post` and leave what was open in place.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.replay.run import SimulatedRun
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.damage import other_warnings
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.growth import later_of
from ravenglass_gui.state.kept_recorded import kept_recorded
from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.recorded_reader import RecordReader
from ravenglass_gui.work.stall import Stall, measure_stall
from ravenglass_gui.work.workers import Job, LibraryWorker, OpenWorker, ReplayWorker, Step

__all__ = ["Bridge", "Busy", "Stall", "measure_stall"]

SWITCH_INTERVAL_S = 0.001
"""How long a worker in pure Python may hold the interpreter while the GUI thread waits for it; for the process."""

GRACE_S = 0.4
"""A run that is no longer the newest wish may take this long: shorter ones make the timeline follow a drag."""


@dataclass(frozen=True, slots=True)
class Busy:
    """What is running. `total` is 0 while it is not known; `left` is the estimated rest in seconds, or None."""

    what: str
    done: int = 0
    total: int = 0
    left: float | None = None


class Bridge(QObject):
    """Makes the threads; `shutdown` must be called before the application ends."""

    busy_changed = Signal(object)
    """A `Busy`, or None when nothing runs."""
    opened = Signal(object)
    """A session was read and is shown; None: a trace log by itself."""
    replayed = Signal(int, float)
    """(calls, seconds) of a run that is now shown."""
    failed = Signal(object)
    """The RavenglassError of a read or replay; its sentence was posted as well."""
    grew = Signal(object)
    """The `Loaded` that is on screen now: what was open, read on."""
    settled = Signal()
    """Nothing runs and nothing waits; emitted after every piece of work."""
    recent_changed = Signal(object)
    """Opened sessions as the library remembers them, newest first."""

    _open_asked = Signal(int, object)
    _replay_asked = Signal(int, object)
    _load_asked = Signal()
    _remember_asked = Signal(object)
    _save_asked = Signal(object, object)

    def __init__(self, state: DebuggerState, *, library: Path | None = None, remember: bool = True) -> None:
        """`library` is another database than the user's own; without `remember` none is used at all."""
        super().__init__()
        self._state = state
        self._ticket = 0
        self._opening: tuple[int, Path, bool] | None = None
        self._later: list[Path] = []
        self._running: tuple[int, Job] | None = None
        self._waiting: Job | None = None
        self._growth: Loaded | None = None
        self._began = 0.0
        self._restoring = False
        self._threads: list[QThread] = []
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._opener, self._replayer = OpenWorker(), ReplayWorker(remember, library)
        self.reader = RecordReader(state, self._replayer, lambda: self.busy, self.settled, self)
        self._library = LibraryWorker(library) if remember else None
        self._wire()
        state.profile_changed.connect(self._want_replay)
        state.changes_changed.connect(self._want_replay)

    def _wire(self) -> None:
        for worker in (self._opener, self._replayer):
            worker.progressed.connect(self._progressed)
        self._opener.finished.connect(self._opened)
        self._opener.failed.connect(self._open_failed)
        self._opener.cancelled.connect(self._open_cancelled)
        self._replayer.finished.connect(self._replayed)
        self._replayer.failed.connect(self._replay_failed)
        self._replayer.cancelled.connect(self._replay_cancelled)
        self._open_asked.connect(self._opener.open)
        self._replay_asked.connect(self._replayer.replay)
        self._move(self._opener, "ravenglass open")
        self._move(self._replayer, "ravenglass replay").finished.connect(
            self._replayer.close, Qt.ConnectionType.DirectConnection
        )
        if self._library is not None:
            self._library.recent.connect(self.recent_changed)
            self._library.complained.connect(self._complained)
            self._load_asked.connect(self._library.load)
            self._remember_asked.connect(self._library.remember)
            self._save_asked.connect(self._library.save)
            self._library.saved.connect(self._saved)
            self._move(self._library, "ravenglass library").finished.connect(
                self._library.close, Qt.ConnectionType.DirectConnection
            )

    def _move(self, worker: QObject, name: str) -> QThread:
        thread = QThread()
        thread.setObjectName(name)
        worker.moveToThread(thread)
        thread.start()
        self._threads.append(thread)
        return thread

    def shutdown(self) -> None:
        """Cancel what runs and end the threads; what is on screen stays as it is. A second call does nothing."""
        if not self._threads:
            return
        self._state.profile_changed.disconnect(self._want_replay)
        self._state.changes_changed.disconnect(self._want_replay)
        self.reader.stop()
        self._later.clear()
        self._opening = self._running = self._waiting = self._growth = None
        self._opener.wanted = self._replayer.wanted = 0
        for thread in self._threads:
            thread.quit()
        for thread in self._threads:
            thread.wait()
        self._threads.clear()

    # -- wishes ----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self._opening is not None or self._running is not None or self._waiting is not None

    def load_recent(self) -> None:
        self._load_asked.emit()

    def open(self, paths: Sequence[Path]) -> None:
        """Open and show the first file; the others are read after it and put on the list."""
        if paths:
            self._later = list(paths[1:])
            self._start_open(paths[0], show=True)

    def save(self, folder: Path) -> None:
        """Write the run on screen into a folder; a sentence says when it is there, or why it is not."""
        run = self._state.simulated
        if run is not None:
            self._save_asked.emit(Job(run.session, run.profile, run.changes), folder)

    def show_session(self, session: Session) -> None:
        """Show a session of the open file, such as a sub-agent, with a replay of its own."""
        self._state.set_session(session, self._state.root)
        self._want_replay()

    def grow(self, loaded: Loaded) -> None:
        """Show a later state of what is open, once nothing else runs; a still later one takes its place. A branch
        stays as it is: the later state waits until the changes made by hand are undone."""
        self._growth = loaded
        self._start_growth()

    @property
    def growth(self) -> Loaded | None:
        """The later state that waits or is being replayed."""
        return self._growth

    def drop_growth(self) -> None:
        """Nobody wants the later state any more."""
        self._growth = None
        if self._running is not None and self._running[1].growth is not None:
            self._replayer.wanted = 0

    def cancel(self) -> None:
        """Stop what runs; the profile goes back to that of the run on screen."""
        self._later.clear()
        self._opener.wanted = self._replayer.wanted = 0
        self._waiting = self._growth = None
        if self._opening is None and self._running is not None:
            self._restore_profile()

    def _start_open(self, path: Path, *, show: bool) -> None:
        self._ticket += 1
        self._opening = (self._ticket, path, show)
        self._opener.wanted = self._ticket
        self._begin(Busy(f"Reading {path.name}"))
        self._open_asked.emit(self._ticket, path)

    @Slot()
    def _want_replay(self) -> None:
        state = self._state
        session, run = state.session, state.simulated
        if session is None or self._restoring:
            return
        growing = self._running is not None and self._running[1].growth is not None
        last = self._running[1] if self._running is not None and not growing else run
        same = last is not None and last.session is session
        if same and last is not None and (last.profile, last.changes) == (state.profile, state.changes):
            self._waiting = None  # what runs, or is shown, is what is wanted
            return
        self._waiting = Job(session, state.profile, state.changes, run)
        if self._running is not None and self._running[1].session is not session:
            self._replayer.wanted = 0  # nobody will look at the run of a session that is no longer shown
        self._start_replay()

    def _start_replay(self) -> None:
        if self._waiting is not None and self._waiting.session is not self._state.session:
            self._waiting = None
        if self._running is not None or self._waiting is None:
            return
        self._ticket += 1
        self._running, self._waiting = (self._ticket, self._waiting), None
        self._replayer.wanted = self._ticket
        self._begin(Busy(f"Replaying {len(self._running[1].session.structure.calls):,} calls"))
        self._replay_asked.emit(*self._running)

    def _start_growth(self) -> None:
        loaded, state = self._growth, self._state
        if loaded is None or self.busy or state.changes:
            return
        if loaded.session is None:
            self._growth = None
            if state.session is None and loaded.log is not None:
                state.set_grown_log(loaded.log, loaded.archive)
                self.grew.emit(loaded)
            return
        session = later_of(state.session, state.root, loaded.session)
        if session is None:
            self._growth = None  # another session was opened meanwhile
            return
        run = state.simulated
        goes_on = run is not None and not loaded.anew and (run.profile, run.changes) == (state.profile, ())
        self._ticket += 1
        self._running = (self._ticket, Job(session, state.profile, (), run if goes_on else None, loaded, recorded=True))
        self._replayer.wanted = self._ticket
        self._begin(Busy(f"Replaying {len(session.structure.calls):,} calls"))
        self._replay_asked.emit(*self._running)

    # -- answers ---------------------------------------------------------------------------------------------

    @Slot(object)
    def _progressed(self, step: Step) -> None:
        opening, running = self._opening, self._running
        if opening is not None and step.ticket == opening[0]:
            what = f"Reading {opening[1].name}"
        elif running is not None and step.ticket == running[0]:
            counting = step.total != len(running[1].session.structure.calls)
            what = f"Counting {step.total:,} messages" if counting else f"Replaying {step.total:,} calls"
        else:
            return
        passed = time.perf_counter() - self._began
        if opening is None and self._waiting is not None and passed > GRACE_S:
            self._replayer.wanted = 0  # a newer wish waits: this run would be shown for a moment only
        known = 0 < step.done <= step.total and passed > 0.3
        left = passed * (step.total - step.done) / step.done if known else None
        self.busy_changed.emit(Busy(what, step.done, step.total, left))

    @Slot(int, object, float)
    def _opened(self, ticket: int, loaded: Loaded, seconds: float) -> None:  # noqa: ARG002
        if self._opening is None or ticket != self._opening[0]:
            return
        show = self._opening[2]
        self._opening = None
        session = loaded.session
        if self._library is not None and session is not None:
            self._remember_asked.emit(session)
        if show:
            self._state.set_session(session, log=loaded.log, archive=loaded.archive)
            self.opened.emit(session)
            for warning in (*loaded.notes, *(other_warnings(session) if session is not None else ())):
                self._state.post("warning", warning)
            self._want_replay()
        self._next()

    @Slot(int, object)
    def _open_failed(self, ticket: int, error: RavenglassError) -> None:
        if self._opening is not None and ticket == self._opening[0]:
            self._opening = None
            self._tell(error)
            self._next()

    @Slot(int)
    def _open_cancelled(self, ticket: int) -> None:
        if self._opening is not None and ticket == self._opening[0]:
            name = self._opening[1].name
            self._opening = None
            self._state.post("info", f"Reading {name} was cancelled; nothing was changed.")
            self._next()

    @Slot(int, object, float)
    def _replayed(self, ticket: int, run: SimulatedRun, seconds: float) -> None:
        if self._running is None or ticket != self._running[0]:
            return
        job, self._running = self._running[1], None
        if job.growth is not None:
            self._show_grown(job.growth, run, ticket)
        elif job.session is self._state.session and self._replayer.wanted == ticket:
            self._state.set_run(run)
            self.replayed.emit(run.calls, seconds)
        self._next()

    def _show_grown(self, loaded: Loaded, run: SimulatedRun, ticket: int) -> None:
        state, root = self._state, loaded.session
        if root is None or state.changes or self._replayer.wanted != ticket:
            return  # it stays wanted, and is replayed again on what is on screen by then
        if self._growth is loaded:
            self._growth = None
        if later_of(state.session, state.root, root) is run.session:
            state.set_grown(root, run, loaded.log, loaded.archive, kept_recorded(run.session))
            self.grew.emit(loaded)

    @Slot(int, object)
    def _replay_failed(self, ticket: int, error: RavenglassError) -> None:
        if self._running is not None and ticket == self._running[0]:
            if self._running[1].growth is self._growth:
                self._growth = None
            self._running = None
            self._tell(error)
            if self._waiting is None:
                self._restore_profile()
            self._next()

    @Slot(int)
    def _replay_cancelled(self, ticket: int) -> None:
        if self._running is not None and ticket == self._running[0]:
            self._running = None
            self._next()

    def _tell(self, error: RavenglassError) -> None:
        self._state.post("error", str(error))
        self.failed.emit(error)

    @Slot(str)
    def _complained(self, sentence: str) -> None:
        self._state.post("warning", sentence)

    @Slot(str)
    def _saved(self, sentence: str) -> None:
        self._state.post("info", sentence)

    def _restore_profile(self) -> None:
        """The controls show again what the run on screen was made with."""
        run = self._state.simulated
        if run is not None:
            self._restoring = True
            self._state.go_back_to(run)
            self._restoring = False

    def _begin(self, busy: Busy) -> None:
        self._began = time.perf_counter()
        self.busy_changed.emit(busy)

    def _next(self) -> None:
        self._start_replay()
        if self._opening is None and self._running is None and self._later:
            self._start_open(self._later.pop(0), show=False)
        self._start_growth()
        if not self.busy:
            self.busy_changed.emit(None)
            self.settled.emit()
