"""The one state that all panels share: session, run, cursor (call), selection, filter, profile.

Panels read it and react to its signals; they never talk to each other. Changing the profile or the hand-made
changes asks the replay worker for a new run (see bridge.py); the run arrives here and is announced once.
Everything is addressed by id: calls by number (from 1), messages by id.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ravenglass.profile import Profile
from ravenglass.replay.changes import HandChange
from ravenglass.replay.frame import Retrieved
from ravenglass.replay.run import Run
from ravenglass.replay.stepping import ReplayLoop
from ravenglass.sessions.model import Session
from ravenglass.trace import TraceEvent


class DebuggerState(QObject):
    """Signals are emitted only when the value really changed, always on the GUI thread."""

    session_changed = Signal()
    """A session was opened (or closed). A `run_changed` follows once it is replayed."""
    run_changed = Signal()
    """A new run of the session is there; call and selection were kept where they still exist."""
    call_changed = Signal(int)
    selection_changed = Signal()
    filter_changed = Signal(str)
    profile_changed = Signal()
    """The wanted profile changed (slider, preset, file); the run for it may still be on its way."""
    stepping_changed = Signal()
    """The stepped curator conversation started, advanced or ended."""
    retrieved = Signal(object)
    """A `Retrieved` was fetched by hand and should be shown in the message pane."""
    message_posted = Signal(str, str)
    """(level `info|warning|error`, sentence) for the notice bar."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._root: Session | None = None
        self._loop: ReplayLoop | None = None
        self._run: Run | None = None
        self._call = 0
        self._selected: int | None = None
        self._filter = ""
        self._profile = Profile()
        self._changes: tuple[HandChange, ...] = ()

    @property
    def session(self) -> Session | None:
        return self._session

    @property
    def root(self) -> Session | None:
        """The session of the opened file; `session` is this one or one of its sub-agents."""
        return self._root

    @property
    def run(self) -> Run | None:
        """The latest finished run; its `profile` may be older than `profile` while a slider moves."""
        return self._run

    @property
    def call(self) -> int:
        """The call under the playhead, 1-based; 0 when there is none."""
        return self._call

    @property
    def selected(self) -> int | None:
        """Id of the selected message."""
        return self._selected

    @property
    def filter(self) -> str:
        return self._filter

    @property
    def profile(self) -> Profile:
        """The profile the person asked for."""
        return self._profile

    @property
    def loop(self) -> ReplayLoop | None:
        """The stepped curator conversation at `call`, from the first step until the playhead leaves the call."""
        return self._loop

    @property
    def changes(self) -> tuple[HandChange, ...]:
        return self._changes

    def set_session(self, session: Session | None, root: Session | None = None) -> None:
        """Show a session, or with `root` a sub-agent of it. Hand-made changes belong to one session and go with it."""
        self._session, self._run, self._call, self._selected, self._changes = session, None, 0, None, ()
        self._root = root or session
        self._drop_loop()
        self.session_changed.emit()
        self.run_changed.emit()
        self.selection_changed.emit()

    def set_run(self, run: Run | None) -> None:
        """Show a finished run. The call is kept; without one the last call is shown. Where nothing is selected yet,
        the current request is, so that no panel starts empty."""
        self._run = run
        calls = run.calls if run else 0
        call = self._call if 1 <= self._call <= calls else calls
        moved, self._call = call != self._call, call
        self._drop_loop()
        fresh = self._selected is None and run is not None and call > 0
        if fresh and run is not None:
            self._selected = run.frame(call).user_message
        self.run_changed.emit()
        if moved:
            self.call_changed.emit(call)
        if fresh and self._selected is not None:
            self.selection_changed.emit()

    def set_call(self, call: int) -> None:
        """Move the playhead; values outside 1..calls are clamped."""
        calls = self._run.calls if self._run else 0
        call = min(max(call, 1), calls) if calls else 0
        if call != self._call:
            self._call = call
            self._drop_loop()
            self.call_changed.emit(call)

    def select(self, message: int | None) -> None:
        if message != self._selected:
            self._selected = message
            self.selection_changed.emit()

    def set_filter(self, text: str) -> None:
        if text != self._filter:
            self._filter = text
            self.filter_changed.emit(text)

    def set_profile(self, profile: Profile) -> None:
        if profile != self._profile:
            self._profile = profile
            self.profile_changed.emit()

    def set_changes(self, changes: tuple[HandChange, ...]) -> None:
        """Hand-made changes make a branch: the run is replayed with them."""
        if changes != self._changes:
            self._changes = changes
            self.profile_changed.emit()

    def add_change(self, change: HandChange) -> None:
        self.set_changes((*self._changes, change))

    def undo_change(self) -> None:
        self.set_changes(self._changes[:-1])

    def step_curator(self) -> TraceEvent | None:
        """Advance the curator's conversation at `call` by one event, starting it if none is on; None when it is over.

        Raises RavenglassError where the call has no conversation (`Run.loop` says why).
        """
        if self._run is None or not self._call:
            return None
        if self._loop is None:
            self._loop = self._run.loop(self._call)
        event = self._loop.step()
        self.stepping_changed.emit()
        return event

    def stop_stepping(self) -> None:
        self._drop_loop()

    def _drop_loop(self) -> None:
        if self._loop is not None:
            self._loop = None
            self.stepping_changed.emit()

    def show_retrieved(self, retrieved: Retrieved) -> None:
        self.retrieved.emit(retrieved)

    def post(self, level: str, sentence: str) -> None:
        self.message_posted.emit(level, sentence)
