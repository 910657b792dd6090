"""Between the window and the worker threads: opening, replaying and the library, each in a thread of its own.

What each of them does stands in `opening`, `replaying`, `growing` and `recorded_runs`; here they are put together:
what goes first, what is said to be running, where sentences go. Errors arrive as sentences through
`DebuggerState.post` and leave what was open in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from ravenglass.errors import ProfileError, RavenglassError
from ravenglass.presets import from_toml
from ravenglass.profile import Profile
from ravenglass.reopening import SavedRunFolder
from ravenglass.replay.asking.answering import AskedRun, LogAnswers
from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import SavedRun
from ravenglass.store.run_mark import MARK_FILE
from ravenglass_gui.state.damage import other_warnings
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.asking.asking import Asking
from ravenglass_gui.work.asking.worker import AskProgress, AskWorker, Question
from ravenglass_gui.work.growing import Growing
from ravenglass_gui.work.lane import Lane
from ravenglass_gui.work.library_owner import LibraryOwner
from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.opening import FileReading, Opening
from ravenglass_gui.work.recorded_runs import RecordedRuns
from ravenglass_gui.work.replaying import Replaying
from ravenglass_gui.work.stall import Stall, measure_stall
from ravenglass_gui.work.workers import Job, LibraryWorker, OpenWorker, ReplayWorker, Step

__all__ = ["Bridge", "Busy", "Stall", "measure_stall"]

_GUESS_FROM_S = 0.3
"""Seconds after which the rest of the time is estimated."""


@dataclass(frozen=True, slots=True)
class Busy:
    """What is running. `total` is 0 while it is not known; `left` is the estimated rest in seconds, or None; `tip`
    what more there is to say."""

    what: str
    done: int = 0
    total: int = 0
    left: float | None = None
    tip: str = ""


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

    runs_changed = Signal(object)
    """Saved runs as the library remembers them, newest first."""

    _load_asked = Signal()
    _remember_asked = Signal(object)
    _save_asked = Signal(object, object, bool)

    def __init__(self, state: DebuggerState, *, library: LibraryOwner | None = None, remember: bool = True) -> None:
        """`library` belongs to the caller, who closes it after `shutdown`. Without one the user's own is opened, unless
        nothing is to be remembered."""
        super().__init__()
        self._state = state
        self._threads: list[QThread] = []
        self._own = LibraryOwner() if library is None and remember else None
        library = library if library is not None else self._own
        self._opener, self._replayer = OpenWorker(), ReplayWorker(library.counts if library is not None else None)
        self._asker = AskWorker(library.counts if library is not None else None)
        self.opening = Opening(self._opener, self)
        self.replaying = Replaying(state, self._replayer, self)
        self.asking = Asking(state, self._asker, self)
        self.growing = Growing(state, self.replaying, lambda: self.busy, self)
        self.recorded = RecordedRuns(state, self.replaying, lambda: self.busy, self.settled, self)
        self._library = LibraryWorker(library) if library is not None else None
        self._wire()

    def _wire(self) -> None:
        self._opener.progressed.connect(self._reading_progressed)
        self._replayer.progressed.connect(self._replay_progressed)
        self.opening.began.connect(self._reading_began)
        self.opening.read.connect(self._read)
        self.opening.failed.connect(self._tell)
        self.opening.cancelled.connect(self._reading_cancelled)
        self.opening.ended.connect(self._next)
        self.replaying.began.connect(self._replay_began)
        self.replaying.shown.connect(self.replayed)
        self.replaying.failed.connect(self._tell)
        self.replaying.ended.connect(self._next)
        self.growing.grew.connect(self.grew)
        self.growing.failed.connect(self._tell)
        self.asking.began.connect(self._asking_began)
        self.asking.asked.connect(self._asking_progressed)
        self.asking.answered.connect(self._answered)
        self.asking.refused.connect(self._refused)
        self.asking.ended.connect(self._next)
        self._move(self._asker, "ravenglass ask")
        self._move(self._opener, "ravenglass open")
        self._move(self._replayer, "ravenglass replay")
        if self._library is not None:
            self._library.recent.connect(self.recent_changed)
            self._library.complained.connect(self._complained)
            self._library.runs.connect(self.runs_changed)
            self._load_asked.connect(self._library.load)
            self._remember_asked.connect(self._library.remember)
            self._save_asked.connect(self._library.save)
            self._library.saved.connect(self._saved)
            self._move(self._library, "ravenglass save")

    def _move(self, worker: QObject, name: str) -> None:
        thread = QThread()
        thread.setObjectName(name)
        worker.moveToThread(thread)
        thread.start()
        self._threads.append(thread)

    def shutdown(self) -> None:
        """Cancel what runs and end the threads; what is on screen stays as it is. A second call does nothing."""
        if not self._threads:
            return
        self.recorded.stop()
        self.opening.cancel()
        self.replaying.stop()
        self.asking.cancel()
        self.growing.later = None
        for thread in self._threads:
            thread.quit()
        for thread in self._threads:
            thread.wait()
        self._threads.clear()
        if self._own is not None:
            self._own.close()

    # -- wishes ----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a person waits for something that runs or is to run."""
        return self.opening.busy or self.replaying.busy or self.asking.busy

    def load_recent(self) -> None:
        self._load_asked.emit()

    def open(self, paths: Sequence[Path], format_name: str = "") -> None:
        """Open and show the first file; the others are read after it and put on the list. All as one format where
        that has a name."""
        self.opening.open(paths, format_name)

    def open_run(self, saved: SavedRun) -> None:
        """Show a saved run from its folder; where that is gone, its session under its profile. A sentence says why that
        cannot be."""
        if saved.folder is not None and (saved.folder / MARK_FILE).exists():
            self.open([saved.folder])
            return
        try:
            profile = from_toml(saved.profile, f"The profile of the saved run under {saved.profile_name}")
        except ProfileError as error:
            self._state.post("error", f"{error}. The run is not shown; what was open is still there.")
            return
        state = self._state
        root = state.root
        if root is None or root.place.absolute() != saved.session:
            self.opening.open([saved.session], profile=profile)
            return
        if state.session is not root:
            self.show_session(root)
        state.set_changes(())
        self._under(profile)

    def _under(self, profile: Profile) -> None:
        """What is on screen, replayed under a profile and shown."""
        self._state.show_recorded(False)
        self._state.set_profile(profile)

    def save(self, folder: Path, *, force: bool = False) -> None:
        """Write the run on screen into a folder; a sentence says when it is there, or why it is not. `force`: in the
        place of a run that was saved there."""
        run = self._state.simulated
        if run is not None:
            base = run.twin() if run.asked else None  # nobody is asked again for it
            self._save_asked.emit(Job(run.session, run.profile, run.changes, base), folder, force)

    def show_session(self, session: Session) -> None:
        """Show a session of the open file, such as a sub-agent, with a replay of its own."""
        self._state.set_session(session, self._state.root)
        self.replaying.want()

    def show_later(self, loaded: Loaded) -> None:
        """Show a later state of what is open, once nothing else runs; a still later one takes its place."""
        self.growing.show(loaded)

    @property
    def later(self) -> Loaded | None:
        """The later state that waits or is being replayed."""
        return self.growing.later

    def drop_later(self) -> None:
        """Nobody wants the later state any more."""
        self.growing.drop()

    def cancel(self) -> None:
        """Stop what runs; the profile goes back to that of the run on screen."""
        self.growing.later = None
        if self.opening.busy:
            self.opening.cancel()
            self.replaying.lane.cancel()
        elif self.asking.busy:
            self.asking.cancel()
        else:
            self.replaying.cancel()

    # -- what runs -------------------------------------------------------------------------------------------

    @Slot(object)
    def _reading_began(self, reading: FileReading) -> None:
        self.busy_changed.emit(Busy(f"Reading {reading.path.name}"))

    @Slot(object)
    def _replay_began(self, job: Job) -> None:
        if job.awaited and not self.opening.busy:
            self.busy_changed.emit(Busy(f"Replaying {len(job.session.structure.calls):,} calls"))

    @Slot(object)
    def _asking_began(self, question: Question) -> None:
        self.busy_changed.emit(Busy("Looking at what would be asked" if question.dry else "Asking"))

    @Slot(object)
    def _asking_progressed(self, asked: AskProgress) -> None:
        if not self.opening.busy and not self.replaying.busy:
            what = f"Asking at call {asked.call:,} of {asked.calls:,}"
            self.busy_changed.emit(Busy(what, asked.call, asked.calls, tip=asked.words))

    @Slot(object)
    def _answered(self, run: AskedRun) -> None:
        # The planner's run of the same, begun before, would take its place.
        self.replaying.drop("replay")
        self._state.post("info", f"{run.asked} answered at {len(run.answered):,} calls. {run.spent_sentence}")
        for sentence in run.notes:
            self._state.post("warning", sentence)

    @Slot(object, object)
    def _refused(self, question: Question, error: RavenglassError) -> None:
        if not question.dry:
            self._tell(error)

    @Slot(object)
    def _reading_progressed(self, step: Step) -> None:
        if self.opening.lane.progressed(step.ticket) and self.opening.lane.running is not None:
            self._say(f"Reading {self.opening.lane.running.path.name}", step, self.opening.lane)

    @Slot(object)
    def _replay_progressed(self, step: Step) -> None:
        job = self.replaying.lane.running
        if self.replaying.lane.progressed(step.ticket) and job is not None and job.awaited and not self.opening.busy:
            counting = step.total != len(job.session.structure.calls)
            what = f"Counting {step.total:,} messages" if counting else f"Replaying {step.total:,} calls"
            self._say(what, step, self.replaying.lane)

    def _say(self, what: str, step: Step, lane: Lane[FileReading] | Lane[Job]) -> None:
        known = 0 < step.done <= step.total and lane.passed_s > _GUESS_FROM_S
        left = lane.passed_s * (step.total - step.done) / step.done if known else None
        self.busy_changed.emit(Busy(what, step.done, step.total, left))

    # -- answers ---------------------------------------------------------------------------------------------

    @Slot(object, object)
    def _read(self, reading: FileReading, loaded: Loaded) -> None:
        session = loaded.session
        if self._library is not None and session is not None:
            self._remember_asked.emit(session)
        if reading.show:
            self._state.set_session(session, log=loaded.log, archive=loaded.archive)
            if reading.profile is not None:
                self._under(reading.profile)
            if loaded.saved is not None:
                self._as_saved(loaded.saved)
            self.opened.emit(session)
            for warning in (*loaded.notes, *(other_warnings(session) if session is not None else ())):
                self._state.post("warning", warning)
            self.replaying.want()

    def _as_saved(self, saved: SavedRunFolder) -> None:
        """The session is shown under the profile of the saved run, with its changes; answers are given again."""
        self._under(saved.profile or self._state.profile)
        if saved.changes:
            self._state.set_changes(saved.changes)
        if saved.asked and saved.traces is not None:
            self.asking.ask(LogAnswers(saved.traces, saved.asked), dry=False)

    @Slot(object)
    def _reading_cancelled(self, reading: FileReading) -> None:
        self._state.post("info", f"Reading {reading.path.name} was cancelled; nothing was changed.")

    @Slot(object)
    def _tell(self, error: RavenglassError) -> None:
        self._state.post("error", str(error))
        self.failed.emit(error)

    @Slot(str)
    def _complained(self, sentence: str) -> None:
        self._state.post("warning", sentence)

    @Slot(str)
    def _saved(self, sentence: str) -> None:
        self._state.post("info", sentence)

    @Slot()
    def _next(self) -> None:
        """What goes next: the replay of what is on screen, the next file, what has grown."""
        self.replaying.go_on()
        self.asking.go_on()
        self.opening.go_on(further=not self.replaying.busy)
        self.growing.go_on()
        if not self.busy:
            self.busy_changed.emit(None)
            self.settled.emit()
