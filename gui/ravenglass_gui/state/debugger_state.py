"""The one state that all panels share: session, runs, cursor (call), selection, filter, profile.

Panels read it and react to its signals; they never talk to each other. Changing the profile or the hand-made
changes asks the replay worker for a new run (see bridge.py); the run arrives here and is announced once.
Everything is addressed by id: calls by number (from 1), messages by id.

A session has two runs: what this engine would have done (simulated) and what really happened (recorded). One of them is
shown, as `run`; panels ask it and need not know which it is. What belongs to the simulated run brings that one back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from PySide6.QtCore import QObject, Signal

from ravenglass.profile import Profile
from ravenglass.replay.bulk import RunPart
from ravenglass.replay.frame import Retrieved
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run, SimulatedRun
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.replay.stepping.changes import Change
from ravenglass.replay.vocabulary import Policy
from ravenglass.sessions.model.session import Session
from ravenglass.trace import TraceEvent
from ravenglass_gui.state.hand_history import HandHistory, in_order
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.state.recorded.archive import RecordedArchive

Showing = Literal["simulated", "recorded"]


class DebuggerState(QObject):
    """Signals are emitted only when the value really changed, always on the GUI thread."""

    session_changed = Signal()
    """A session was opened (or closed). A `run_changed` follows once it is replayed."""
    run_changed = Signal()
    """Another run of the session is shown; call and selection were kept where they still exist."""
    other_changed = Signal()
    """The run that is not shown came, went or is another one now; `run` is the same."""
    grown = Signal()
    """What is open was read on: session, root, log are later states of what they were. Comes before `run_changed`."""
    part_changed = Signal()
    """More of a run that is still being made is there, or nothing is being made any more."""
    call_changed = Signal(int)
    selection_changed = Signal()
    filter_changed = Signal(str)
    profile_changed = Signal()
    """The wanted profile changed (slider, preset, file); the run for it may still be on its way."""
    changes_changed = Signal()
    """The changes made by hand are others; the run with them may still be on its way, or be there already."""
    stepping_changed = Signal()
    """The stepped curator conversation started, advanced or ended."""
    block_chosen = Signal(object)
    """A block of a window that is no message (working state, summary), to be read in full; None: a message again."""
    retrieved = Signal(object)
    """A `Retrieved` was fetched by hand and should be shown in the message pane."""
    message_posted = Signal(str, str)
    """(level `info|warning|error`, sentence) for the notice bar."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._root: Session | None = None
        self._log: OpenLog | None = None
        self._archive: RecordedArchive | None = None
        self._loop: ReplayLoop | None = None
        self._simulated: SimulatedRun | None = None
        self._recorded: RecordedRun | None = None
        self._part: RunPart | None = None
        self._wants_recorded = False
        self._call = 0
        self._selected: int | None = None
        self._filter = ""
        self._profile = Profile()
        self._changes: tuple[Change, ...] = ()
        self.history = HandHistory(self._put_changes, self._finished)
        """Changes by hand, to be undone and made again."""

    @property
    def session(self) -> Session | None:
        return self._session

    @property
    def root(self) -> Session | None:
        """The session of the opened file; `session` is this one or one of its sub-agents."""
        return self._root

    @property
    def log(self) -> OpenLog | None:
        """What is open beside the session as its engine recorded it, or the trace log that is open by itself."""
        return self._log if self._session is self._root else None

    @property
    def archive(self) -> RecordedArchive | None:
        """What the session's engine archived on disk, where it did."""
        return self._archive if self._session is self._root else None

    @property
    def calls(self) -> int:
        """Calls that the playhead can stand on: those of the run, or of a log that is open by itself."""
        if self.run is not None:
            return self.run.calls
        return self._log.calls if self._log is not None and self._session is None else 0

    @property
    def run(self) -> Run | None:
        """The run that is shown; its `profile` may be older than `profile` while a slider moves."""
        return self._recorded if self.showing == "recorded" else self._simulated

    @property
    def showing(self) -> Showing:
        """Which run is shown."""
        return "recorded" if self._wants_recorded and self._recorded is not None else "simulated"

    @property
    def simulated(self) -> SimulatedRun | None:
        """The latest finished replay, shown or not."""
        return self._simulated

    @property
    def recorded(self) -> RecordedRun | None:
        """What really happened, shown or not; None until it was read."""
        return self._recorded

    @property
    def other(self) -> Run | None:
        """The run that is not shown."""
        return self._simulated if self.showing == "recorded" else self._recorded

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
    def changes(self) -> tuple[Change, ...]:
        """Changes made by hand, in the order of their calls."""
        return self._changes

    def set_session(
        self,
        session: Session | None,
        root: Session | None = None,
        log: OpenLog | None = None,
        archive: RecordedArchive | None = None,
    ) -> None:
        """Show a session, or with `root` a sub-agent of it. Hand-made changes belong to one session and go with it.

        `log` and `archive` are what its engine recorded of it; with a log and no session, they are shown by themselves.
        """
        if root is None or root is not self._root:
            self._log, self._archive = log, archive
        self._session, self._simulated, self._recorded, self._selected, self._changes = session, None, None, None, ()
        self._root = root or session
        self._call = min(1, self.calls)
        self._drop_loop()
        self.history.clear()
        self.session_changed.emit()
        self.run_changed.emit()
        self.selection_changed.emit()

    @property
    def part(self) -> RunPart | None:
        """The beginning of the run that is being made in place of the one on screen; None where none is."""
        return self._part

    def set_part(self, part: RunPart | None) -> None:
        """More of it is there; None: it is done, or not wanted any more."""
        if part is not self._part:
            self._part = part
            self.part_changed.emit()

    def set_run(self, run: SimulatedRun | None) -> None:
        """A finished replay. The call is kept; without one the last call is shown. Where nothing is selected yet,
        the current request is, so that no panel starts empty."""
        self._simulated = run
        if self.showing == "recorded":
            self.other_changed.emit()
        else:
            self._show_run()

    def set_recorded(self, run: RecordedRun | None) -> None:
        """What really happened in the session on screen; shown at once where it is wanted."""
        shown, self._recorded = self.run, run
        if self.run is not shown:
            self._show_run()
        else:
            self.other_changed.emit()

    def show_recorded(self, on: bool) -> None:
        """Show the recorded run, as soon as it is there, or the simulated one."""
        shown, self._wants_recorded = self.run, on
        if self.run is not shown:
            self._show_run()

    def _show_run(self) -> None:
        run = self.run
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

    def need_simulated(self, what: str) -> None:
        """Something is used that only a simulated run has: where the recorded one is shown, that changes, and a
        sentence says so. `what` begins it: `The curator's steps`."""
        if self.showing == "recorded":
            self.show_recorded(False)
            self.post("info", f"{what} belong to the simulated run, which is shown now instead of the recorded one.")

    def set_grown(
        self,
        root: Session,
        run: SimulatedRun,
        log: OpenLog | None = None,
        archive: RecordedArchive | None = None,
        recorded: RecordedRun | None = None,
    ) -> None:
        """Show a later state of what is open: `run` is the replay so far, gone on, and `recorded` the recorded run of
        the same session, where it is there. Selection and filter stay, and so does the call; a playhead at the last
        call stays at the last call, unless a conversation is stepped there."""
        at_end = self._call >= self.calls and self._loop is None
        self._root, self._session, self._simulated, self._recorded = root, run.session, run, recorded
        self._log, self._archive = log, archive
        before, self._call = self._call, run.calls if at_end else min(max(self._call, 1), run.calls)
        if self._call != before:
            self._drop_loop()
        chosen = self._selected
        if chosen is not None and chosen >= len(run.session.messages):
            chosen = None
        if chosen is None and self._call:
            chosen = run.frame(self._call).user_message
        selected, self._selected = self._selected, chosen
        self.grown.emit()
        self.run_changed.emit()
        if self._call != before:
            self.call_changed.emit(self._call)
        if chosen != selected:
            self.selection_changed.emit()

    def set_grown_log(self, log: OpenLog, archive: RecordedArchive | None = None) -> None:
        """The same for a trace log that is open by itself."""
        at_end = self._call >= self.calls
        self._log, self._archive = log, archive
        before, self._call = self._call, self.calls if at_end else min(max(self._call, 1), self.calls)
        self.grown.emit()
        self.run_changed.emit()
        if self._call != before:
            self.call_changed.emit(self._call)

    def set_call(self, call: int) -> None:
        """Move the playhead; values outside 1..calls are clamped."""
        calls = self.calls
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
            self.need_simulated("Profiles")
            self._profile = profile
            self.profile_changed.emit()

    def set_changes(self, changes: tuple[Change, ...]) -> None:
        """Hand-made changes make a branch: the run is replayed with them. A step of the history."""
        changes = in_order(changes)
        if changes != self._changes:
            self.history.make(self._changes, changes)

    def add_change(self, change: Change) -> None:
        self.set_changes((*self._changes, change))

    def show_asked(self, run: SimulatedRun) -> None:
        """Show a run whose slow paths someone else answered: a branch, and a step of the history."""
        if run.session is self._session:
            self.set_profile(run.profile)
            self.history.put(self._changes, run)

    def undo_change(self) -> None:
        """Take the last change back; the run before it is shown at once, where it was finished under this profile."""
        self.history.undo()

    def redo_change(self) -> None:
        """Make the change again that was taken back last."""
        self.history.redo()

    def go_back_to(self, run: SimulatedRun) -> None:
        """Want what a run was made with: what was asked for since has failed or was cancelled. A change by hand that
        goes with it can be made again."""
        while self._changes != run.changes and self.history.canUndo():
            self.history.undo()
        if self._changes != run.changes:
            self.history.clear()
            self._put_changes(run.changes, None)
        self.set_profile(run.profile)

    def _finished(self) -> SimulatedRun | None:
        """The run of what is wanted, if it is there."""
        run = self._simulated
        if run is None or run.session is not self._session:
            return None
        return run if (run.profile, run.changes) == (self._profile, self._changes) else None

    def _put_changes(self, changes: tuple[Change, ...], run: SimulatedRun | None) -> None:
        self.need_simulated("Changes by hand")
        self._changes = changes
        if run is not None and run.session is self._session and run.profile == self._profile:
            self.set_run(run)
        self.changes_changed.emit()

    def step_curator(self, policy: Policy | None = None, *, to: Collection[str] = ()) -> TraceEvent | None:
        """Advance the curator's conversation at `call` by one event, starting it if none is on; None when it is over.

        `policy` answers in a conversation that this call starts, the replay's own without one. With `to`, on to the
        next event of one of these names, or to the end. Raises RavenglassError where the call has no conversation
        (`Run.loop` says why).
        """
        self.need_simulated("The steps of the curator")
        if self.run is None or not self._call:
            return None
        if self._loop is None:
            self._loop = self.run.loop(self._call, policy)
        event = self._loop.step()
        while to and event is not None and event.event not in to:
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
