"""The events of every call that left the fast path, gathered in short slices so that nothing stands still."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal

from ravenglass.replay.run import Run
from ravenglass.trace import TraceEvent

_SLICE_S = 0.012
"""Seconds of work between two turns of the event loop: under one frame of the screen."""


class SlowPathEvents(QObject):
    """`gather(run)` starts anew for another run; `grown` is emitted after each slice."""

    grown = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._left: list[int] = []
        self._events: list[TraceEvent] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """What is gathered so far, in the order of the calls."""
        return tuple(self._events)

    @property
    def complete(self) -> bool:
        return not self._left

    def gather(self, run: Run) -> None:
        if run is self._run:
            if self._left:
                self._timer.start()
            return
        self._run = run
        self._events = []
        self._left = [call for call, path in enumerate(run.paths, start=1) if path != "fast"][::-1]
        if self._left:
            self._timer.start()

    def pause(self) -> None:
        """Nobody looks: stop working. `gather` goes on."""
        self._timer.stop()

    def _slice(self) -> None:
        started = perf_counter()
        while self._run is not None and self._left and perf_counter() - started < _SLICE_S:
            self._events.extend(self._run.events(self._left.pop()))
        if not self._left:
            self._timer.stop()
        self.grown.emit()
