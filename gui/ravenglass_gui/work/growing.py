"""Shows a later state of what is open, once it is replayed; a still later one takes its place.

A branch stays as it is: the later state waits until the changes made by hand are undone.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from ravenglass.errors import RavenglassError
from ravenglass.replay.run import SimulatedRun
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.later import later_of
from ravenglass_gui.state.recorded.kept import kept_recorded
from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.replaying import Replaying
from ravenglass_gui.work.workers import Job


class Growing(QObject):
    """`busy`: whether anything runs that a person waits for; that goes first."""

    grew = Signal(object)
    """The `Loaded` that is on screen now: what was open, read on."""
    failed = Signal(object)
    """The RavenglassError of its replay."""

    def __init__(self, state: DebuggerState, replaying: Replaying, busy: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._state, self._replaying, self._busy = state, replaying, busy
        self.later: Loaded | None = None
        """The later state that waits or is being replayed."""
        replaying.made.connect(self._made)
        state.changes_changed.connect(self.go_on)  # the last change was undone: its former run is there at once

    def show(self, loaded: Loaded) -> None:
        """Show a later state of what is open, once nothing else runs."""
        self.later = loaded
        self.go_on()

    def drop(self) -> None:
        """Nobody wants the later state any more."""
        self.later = None
        self._replaying.drop("growing")

    @Slot()
    def go_on(self) -> None:
        """Replay what waits, where nothing else runs."""
        loaded, state = self.later, self._state
        if loaded is None or self._busy() or state.changes:
            return
        if loaded.session is None:
            self.later = None
            if state.session is None and loaded.log is not None:
                state.set_grown_log(loaded.log, loaded.archive)
                self.grew.emit(loaded)
            return
        session = later_of(state.session, state.root, loaded.session)
        if session is None:
            self.later = None  # another session was opened meanwhile
            return
        run = state.simulated
        goes_on = run is not None and not loaded.anew and (run.profile, run.changes) == (state.profile, ())
        self._replaying.make(Job(session, state.profile, (), run if goes_on else None, "growing", later=loaded))

    @Slot(object, object)
    def _made(self, job: Job, result: object) -> None:
        loaded, state = job.later, self._state
        if loaded is None:
            return
        if isinstance(result, RavenglassError):
            if self.later is loaded:
                self.later = None
            self.failed.emit(result)
        elif isinstance(result, SimulatedRun) and loaded.session is not None and not state.changes:
            if self.later is loaded:
                self.later = None
            if later_of(state.session, state.root, loaded.session) is result.session:
                kept = kept_recorded(result.session)
                state.set_grown(loaded.session, result, loaded.log, loaded.archive, kept)
                self.grew.emit(loaded)
        # Else it stays wanted, and is replayed again on what is on screen by then.
