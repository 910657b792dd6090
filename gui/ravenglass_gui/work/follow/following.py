"""Follow: what an agent is writing is shown as it comes, until the person looks at an earlier call.

The playhead stays at the last call while it stands there. Scrubbed away it stays where it is, and `new` counts the
calls that came since. What is opened meanwhile is followed in its place.
"""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.later import later_of
from ravenglass_gui.work.follow.worker import FollowWorker
from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.replay_bridge import Bridge

_TICK_MS = 1_000


class Following(QObject):
    """On or off; `shutdown` must be called before the application ends."""

    changed = Signal()
    """On or off, the status, or the number of new calls."""

    _asked = Signal(int, object, str, str, bool)
    _ended = Signal()

    def __init__(self, state: DebuggerState, bridge: Bridge) -> None:
        super().__init__()
        self._state, self._bridge = state, bridge
        self._on = False
        self._ticket = 0
        self._followed: object = None
        self._seen = 0
        self._last: float | None = None
        self._trouble = ""
        self._clock = QTimer(self, interval=_TICK_MS)
        self._clock.timeout.connect(self.changed)
        self._worker = FollowWorker()
        self._worker.looked.connect(self._looked)
        self._worker.failed.connect(self._failed)
        self._asked.connect(self._worker.follow)
        self._ended.connect(self._worker.stop)
        self._thread = QThread()
        self._thread.setObjectName("ravenglass follow")
        self._worker.moveToThread(self._thread)
        self._thread.finished.connect(self._worker.close, Qt.ConnectionType.DirectConnection)
        state.session_changed.connect(self._opened)
        state.run_changed.connect(self._moved)
        state.call_changed.connect(self._moved)

    @property
    def on(self) -> bool:
        return self._on

    @property
    def new(self) -> int:
        """Calls that came since the playhead last stood at the last call; also those that wait behind a branch."""
        return max(0, self._known() - self._seen) if self._on else 0

    @property
    def held(self) -> bool:
        """A branch is on screen, and what was read on waits until its changes are undone."""
        return self._on and bool(self._state.changes) and self._bridge.later is not None

    def status(self) -> str:
        """`following, last change 3 s ago`; empty while nothing is followed."""
        if not self._on:
            return ""
        if self._trouble:
            return self._trouble
        if self._state.root is None and self._state.log is None:
            return "following: nothing is open"
        if self._last is None:
            return "following, no change yet"
        return f"following, last change {_ago(time.monotonic() - self._last)}"

    def toggle(self) -> None:
        self.set_on(not self._on)

    def set_on(self, on: bool) -> None:
        """Turned on, the playhead goes to the last call and what comes is followed from there."""
        if on == self._on:
            return
        self._on = on
        self._followed, self._last, self._trouble = None, None, ""
        if on:
            if not self._thread.isRunning():
                self._thread.start()
            self._clock.start()
            self._seen = self._state.calls
            self._state.set_call(self._state.calls)
            self._aim()
        else:
            self._clock.stop()
            self._worker.wanted = 0
            self._ended.emit()
            self._bridge.drop_later()
        self.changed.emit()

    def to_end(self) -> None:
        """Jump to the last call; it is followed again from there."""
        if self.held:
            self._state.post("info", "The new calls are behind this branch: undo its changes (Ctrl+Z) to see them.")
            return
        self._state.set_call(self._state.calls)

    def shutdown(self) -> None:
        """End the thread; a second call does nothing."""
        self.set_on(False)
        if self._thread.isRunning():
            self._thread.quit()
            self._thread.wait()

    # -- what is open ----------------------------------------------------------------------------------------

    @Slot()
    def _opened(self) -> None:
        """Another session is on screen; a sub-agent of the followed record is followed with it."""
        if self._on:
            self._seen = self._state.calls
            self._aim()
            self.changed.emit()

    def _aim(self) -> None:
        root, log = self._state.root, self._state.log
        place = (log.path, "", "") if log is not None else None
        if root is not None:
            place = (root.path, root.key, root.format if root.forced else "")
        if place == self._followed:
            return
        self._followed, self._last, self._trouble = place, None, ""
        self._bridge.drop_later()
        self._ticket += 1
        self._worker.wanted = self._ticket
        if place is None:
            self._ended.emit()
        else:
            self._asked.emit(self._ticket, *place, root is None)

    @Slot()
    def _moved(self) -> None:
        state = self._state
        if not self._on:
            return
        if state.call >= state.calls and not state.changes:
            self._seen = state.calls
        self.changed.emit()

    def _known(self) -> int:
        """Calls of the latest state that is known of what is on screen."""
        waiting, state = self._bridge.later, self._state
        if state.changes and waiting is not None and waiting.session is not None:
            later = later_of(state.session, state.root, waiting.session)
            if later is not None:
                return len(later.structure.calls)
        return state.calls

    # -- answers ---------------------------------------------------------------------------------------------

    @Slot(int, object, str)
    def _looked(self, ticket: int, loaded: Loaded, reason: str) -> None:
        if not self._on or ticket != self._ticket:
            return
        self._trouble = ""
        name = loaded.session.path.name if loaded.session is not None else loaded.log.path.name if loaded.log else ""
        if reason == "gone":
            self._trouble = f"following: {name} is gone"
            self._state.post("warning", f"{name} is gone; what was read of it stays. It is followed once it is back.")
        else:
            if reason == "replaced":
                self._state.post("info", f"{name} was written anew and was read again from its beginning.")
            if reason != "opened" or self._differs(loaded):
                self._last = time.monotonic()
            self._bridge.show_later(replace(loaded, anew=reason == "replaced"))
        self.changed.emit()

    def _differs(self, loaded: Loaded) -> bool:
        """Whether the first look has found more than what is on screen."""
        root = self._state.root
        if loaded.session is None or root is None:
            return loaded.log is not None and self._state.log is not None and loaded.log.calls != self._state.log.calls
        return len(loaded.session.messages) != len(root.messages)

    @Slot(int, str)
    def _failed(self, ticket: int, sentence: str) -> None:
        if self._on and ticket == self._ticket:
            self._trouble = "following: the last change could not be read"
            self._state.post("warning", f"{sentence} What was read before stays; the next change is tried again.")
            self.changed.emit()


def _ago(seconds: float) -> str:
    if seconds < 60:
        return f"{int(seconds)} s ago"
    minutes = int(seconds) // 60
    return f"{minutes} min ago" if minutes < 60 else f"{minutes // 60} h ago"
