"""Sees to it that the session on screen has its recorded run: made in the replay's thread, after the replay.

It is made once a session, and again only where the person looks at it under a profile whose prices, quotas or token
table are others. A replay always goes first.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.absence import no_call
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.recorded.kept import counts_alike, keep_recorded, kept_recorded
from ravenglass_gui.work.replaying import Replaying
from ravenglass_gui.work.workers import Job


class RecordedRuns(QObject):
    """Asks the replays' worker, while nothing else is to be done there."""

    changed = Signal()
    """There is a recorded run to show, or there is none, or another reason for that."""

    def __init__(
        self,
        state: DebuggerState,
        replaying: Replaying,
        busy: Callable[[], bool],
        settled: SignalInstance,
        parent: QObject,
    ) -> None:
        """`busy`: whether anything else runs or waits; `settled` is emitted when nothing does any more."""
        super().__init__(parent)
        self._state, self._replaying, self._busy = state, replaying, busy
        self._stopped = False
        self._running: Job | None = None
        self._failed: tuple[Session, Profile, str] | None = None
        replaying.made.connect(self._made)
        settled.connect(self._consider)
        state.session_changed.connect(self._session_shown)
        state.run_changed.connect(self._consider)
        state.other_changed.connect(self.changed)

    def stop(self) -> None:
        """Ask for nothing any more."""
        self._stopped = True

    @property
    def making(self) -> bool:
        """Whether a recorded run is being made."""
        return self._running is not None

    @property
    def missing(self) -> str:
        """Why there is no recorded run to show, as a sentence; empty where there is one."""
        state = self._state
        if state.recorded is not None:
            return ""
        if state.session is None:
            return "A trace log by itself is a record already." if state.log is not None else "Open a session first."
        if not state.session.structure.calls:
            return no_call(state.session)
        if self._failed is not None and self._failed[0] is state.session:
            return self._failed[2]
        return "The recorded run is read after the replay."

    @Slot()
    def _session_shown(self) -> None:
        self._failed = None
        session = self._state.session
        if session is not None:
            self._state.set_recorded(kept_recorded(session))
        self.changed.emit()

    @Slot()
    def _consider(self) -> None:
        state = self._state
        session = state.session
        if self._stopped or self._running is not None or self._busy():
            return
        if session is None or state.simulated is None or not session.structure.calls:
            return
        if self._failed is not None and self._failed[:2] == (session, state.profile):
            return
        have = state.recorded
        looked_at = state.showing == "recorded"
        if have is not None and (
            have.profile == state.profile or (not looked_at and counts_alike(have.profile, state.profile))
        ):
            return
        self._running = Job(session, state.profile, (), kind="recorded")
        self._replaying.make(self._running)

    @Slot(object, object)
    def _made(self, job: Job, result: object) -> None:
        if job is not self._running:
            return
        self._running = None
        if isinstance(result, RecordedRun):
            keep_recorded(result)
            if result.session is self._state.session:
                self._state.set_recorded(result)
                self.changed.emit()
        elif isinstance(result, RavenglassError):
            self._failed = (job.session, job.profile, f"The recorded run could not be made: {result}")
            self._state.post("warning", self._failed[2])
            self.changed.emit()
        self._consider()
