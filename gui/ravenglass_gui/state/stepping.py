"""Drives the stepped curator conversation that the shared state holds: one step, or on to the end, or stop.

The conversation itself lives in `DebuggerState`; toolbar and trace panel both come here through `stepper_of`.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from ravenglass.errors import RavenglassError
from ravenglass.trace import TraceEvent
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.planning import planning_of


class CuratorStepper(QObject):
    """`state.stepping_changed` announces every step. `finish` steps between events, so the window stays alive."""

    def __init__(self, state: DebuggerState) -> None:
        super().__init__(state)
        self._state = state
        self.by_hand = False
        """Whether a person answers in the next conversation that `step` starts, instead of the planner."""
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._one_more)
        state.call_changed.connect(self._timer.stop)
        state.run_changed.connect(self._timer.stop)

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """Events of the conversation so far; empty where none is on."""
        return tuple(self._state.loop.events) if self._state.loop is not None else ()

    @property
    def active(self) -> bool:
        """A conversation is on, finished or not."""
        return self._state.loop is not None

    @property
    def done(self) -> bool:
        return self._state.loop is not None and self._state.loop.done

    def step(self) -> TraceEvent | None:
        """One event further; starts the conversation at the current call if none is on."""
        if self._state.run is None or not self._state.call:
            self._state.post("info", _nothing_to_step(self._state))
            return None
        planning = planning_of(self._state)
        if planning.active:
            self._timer.stop()
            self._state.post("info", "The curator waits for your plan: tick rows in the manifest, then submit it.")
            return None
        if self.by_hand and not self.active:
            planning.begin()
            return None
        try:
            return self._state.step_curator()
        except RavenglassError as error:
            self._timer.stop()
            self._state.post("warning", str(error))
            return None

    def finish(self) -> None:
        """Step to the end, an event at a time."""
        if self.step() is not None and not self.done:
            self._timer.start()

    def stop(self) -> None:
        """End the conversation and show the recorded events again."""
        self._timer.stop()
        self._state.stop_stepping()

    def _one_more(self) -> None:
        if self.step() is None or self.done:
            self._timer.stop()


def _nothing_to_step(state: DebuggerState) -> str:
    if state.session is None and state.log is not None:
        return "A trace log by itself cannot be stepped: it holds no texts to decide on. Open its session."
    return "There is no call to step: open a session first."


def stepper_of(state: DebuggerState) -> CuratorStepper:
    """The state's one stepper."""
    for child in state.children():
        if isinstance(child, CuratorStepper):
            return child
    return CuratorStepper(state)
