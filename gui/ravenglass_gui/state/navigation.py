"""Moves the playhead: by calls, turns and marked events, by playing, and to the next break."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from PySide6.QtCore import QObject, QTimer, Signal

from ravenglass.replay.run import Run
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.recorded.told import record_marks

CALLS_PER_S = 4
SPEEDS = (1, 2, 5, 10)


class Navigator(QObject):
    """Asks the run where things are; every move ends in `state.set_call`."""

    playing_changed = Signal(bool)

    def __init__(self, state: DebuggerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._marks: tuple[Run | None, list[int]] = (None, [])
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.set_speed(SPEEDS[0])

    # -- steps -----------------------------------------------------------------------------------------------

    def by(self, calls: int) -> None:
        self._state.set_call(self._state.call + calls)

    def first(self) -> None:
        self._state.set_call(1)

    def last(self) -> None:
        self._state.set_call(self._state.calls)

    def next_turn(self) -> None:
        starts = self._turn_starts()
        later = bisect_right(starts, self._state.call)
        if later < len(starts):
            self._state.set_call(starts[later])

    def previous_turn(self) -> None:
        starts = self._turn_starts()
        earlier = bisect_left(starts, self._state.call) - 1
        if earlier >= 0:
            self._state.set_call(starts[earlier])

    def next_event(self) -> None:
        self._to_mark(bisect_right(self.marks(), self._state.call), "There is no marked event after this call.")

    def previous_event(self) -> None:
        self._to_mark(bisect_left(self.marks(), self._state.call) - 1, "There is no marked event before this call.")

    def run_to_break(self) -> None:
        """To the next call on the slow path (or in the fail-safe, which is a slow path that failed)."""
        self._state.need_simulated("Breaks")
        shown, call = self._state.run or self._state.log, self._state.call
        if shown is None:
            return
        for number in range(call + 1, shown.calls + 1):
            if shown.paths[number - 1] != "fast":
                self._state.set_call(number)
                return
        why = "takes the slow path under this profile" if self._state.run is not None else "left the fast path"
        self._state.post("info", f"No call after {call:,} {why}.")

    def marks(self) -> list[int]:
        """Calls with a marked event, ascending."""
        run = self._state.run
        if run is not self._marks[0]:
            # Snapshots come every few calls: stopping at each would be no faster than going call by call.
            marked = run.markers().items() if run else ()
            calls = {call for event, where in marked if event != "snapshot_taken" for call in where}
            calls |= {mark.call for mark in record_marks(run.session)} if run else set()
            self._marks = (run, sorted(calls))
        return self._marks[1]

    def _to_mark(self, place: int, otherwise: str) -> None:
        marks = self.marks()
        if 0 <= place < len(marks):
            self._state.set_call(marks[place])
        else:
            self._state.post("info", otherwise)

    def _turn_starts(self) -> list[int]:
        session = self._state.session
        if session is None:
            return self._state.log.turn_starts if self._state.log is not None else []
        starts: list[int] = []
        turn = -1
        for call in session.structure.calls:
            if call.turn != turn:
                starts.append(call.number)
                turn = call.turn
        return starts

    # -- playing ---------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def set_speed(self, factor: int) -> None:
        self._timer.setInterval(round(1_000 / (CALLS_PER_S * factor)))

    def toggle_play(self) -> None:
        """Start from this call, or from the first when the last is shown; stop when playing."""
        if self.playing:
            self.stop()
            return
        if not self._state.calls:
            return
        if self._state.call >= self._state.calls:
            self._state.set_call(1)
        self._timer.start()
        self.playing_changed.emit(True)

    def stop(self) -> None:
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def _tick(self) -> None:
        if self._state.call >= self._state.calls:
            self.stop()
        else:
            self.by(1)
