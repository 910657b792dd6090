"""Sees to it that the session on screen is replayed under the profile and with the changes that are wanted.

The recorded run and the replay of what has grown are made by the same worker; a replay that a person waits for goes
before both.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.replay.bulk import RunPart
from ravenglass.replay.run import SimulatedRun
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.lane import Lane, LaneAnswer
from ravenglass_gui.work.workers import Job, ReplayWorker

GRACE_S = 0.4
"""A run that is no longer the newest wish may take this long: shorter ones make the timeline follow a drag."""


class Replaying(QObject):
    """`worker` runs in another thread; signals arrive here."""

    began = Signal(object)
    """The `Job` that runs now."""
    shown = Signal(int, float)
    """(calls, seconds) of a run that is now shown."""
    made = Signal(object, object)
    """(Job, its run) of a job that is no replay: who asked for it shows it. None in place of the run: it is not wanted
    any more; a RavenglassError: it could not be made."""
    failed = Signal(object)
    """The RavenglassError of a replay; the run on screen stays, and what it was made with is wanted again."""
    ended = Signal()
    """Emitted after every job, but for a recorded run after which nothing waits."""

    _asked = Signal(int, object)

    def __init__(self, state: DebuggerState, worker: ReplayWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._restoring = False
        self.lane: Lane[Job] = Lane(worker, self._ask, grace_s=GRACE_S)
        self._asked.connect(worker.run)
        worker.finished.connect(self._finished)
        worker.failed.connect(self._failed)
        worker.cancelled.connect(self._cancelled)
        worker.came.connect(self._came)
        state.profile_changed.connect(self.want)
        state.changes_changed.connect(self.want)

    @property
    def busy(self) -> bool:
        """Whether a person waits for something; nobody waits for a recorded run."""
        running = self.lane.running
        return self.lane.waiting is not None or (running is not None and running.kind != "recorded")

    @Slot()
    def want(self) -> None:
        """Replay what is on screen, where it is not replayed like that already."""
        state, lane = self._state, self.lane
        session, run = state.session, state.simulated
        if session is None or self._restoring:
            return
        if run is not None and run.session is not session:
            run = None
        wanted = Job(session, state.profile, state.changes, run)
        running = lane.wanted
        replaying = running if running is not None and running.kind == "replay" else None
        if replaying is not None and replaying.asks_for(wanted):
            lane.withdraw()
        elif run is not None and (run.profile, run.changes) == (state.profile, state.changes):
            lane.withdraw()  # it is on screen
            if replaying is not None:
                lane.drop()
        else:
            running = lane.running
            lane.submit(wanted, at_once=running is not None and not (running.session is session and running.awaited))

    def make(self, job: Job) -> None:
        """A job that is no replay; asked for only while nothing is `busy`."""
        running = self.lane.running
        self.lane.submit(job, at_once=running is not None and not running.awaited)

    def drop(self, kind: str) -> None:
        """Nobody wants the job any more that runs, where it is of this kind."""
        if self.lane.running is not None and self.lane.running.kind == kind:
            self.lane.drop()

    def cancel(self) -> None:
        """Stop; what the run on screen was made with is wanted again."""
        running = self.lane.running is not None
        self.lane.cancel()
        if running:
            self._restore()

    def go_on(self) -> None:
        """Start what waits, where it is still of the session on screen."""
        waiting = self.lane.waiting
        if waiting is not None and waiting.session is not self._state.session:
            self.lane.withdraw()
        self.lane.go_on()

    def stop(self) -> None:
        """Want nothing any more, ever."""
        self._state.profile_changed.disconnect(self.want)
        self._state.changes_changed.disconnect(self.want)
        self.lane.cancel()

    def _ask(self, ticket: int, job: Job) -> None:
        self.began.emit(job)
        self._asked.emit(ticket, job)

    @Slot(int, object)
    def _came(self, ticket: int, part: RunPart) -> None:
        """The beginning of what is being made; what is not wanted any more is shown as little as its end."""
        job = self.lane.running
        wanted = self.lane.progressed(ticket) and self.lane.waiting is None
        if wanted and job is not None and job.kind == "replay" and job.session is self._state.session:
            self._state.set_part(part)

    @Slot(int, object, float)
    def _finished(self, ticket: int, run: object, seconds: float) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            self._state.set_part(None)
            self._take(answer, run, seconds)
            self._end(answer.work)

    def _take(self, answer: LaneAnswer[Job], run: object, seconds: float) -> None:
        job = answer.work
        if job.kind != "replay":
            self.made.emit(job, run if answer.wanted else None)
        elif answer.wanted and job.session is self._state.session and isinstance(run, SimulatedRun):
            self._state.set_run(run)
            self.shown.emit(run.calls, seconds)

    @Slot(int, object)
    def _failed(self, ticket: int, error: RavenglassError) -> None:
        answer = self.lane.answered(ticket)
        if answer is None:
            return
        self._state.set_part(None)
        if answer.work.kind != "replay":
            self.made.emit(answer.work, error)
        elif answer.wanted:
            self.failed.emit(error)
            if self.lane.waiting is None:
                self._restore()
        self._end(answer.work)

    @Slot(int)
    def _cancelled(self, ticket: int) -> None:
        answer = self.lane.answered(ticket)
        if answer is not None:
            self._state.set_part(None)
            if answer.work.kind != "replay":
                self.made.emit(answer.work, None)
            self._end(answer.work)

    def _end(self, job: Job) -> None:
        if job.awaited or self.lane.waiting is not None:
            self.ended.emit()

    def _restore(self) -> None:
        """The controls show again what the run on screen was made with."""
        run = self._state.simulated
        if run is not None:
            self._restoring = True
            self._state.go_back_to(run)
            self._restoring = False
