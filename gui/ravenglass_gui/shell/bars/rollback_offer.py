"""Where importance fell abnormally at the call on screen, a line offers the snapshot that the engine names there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from ravenglass.replay.stepping.changes import rolled_back
from ravenglass.replay.vocabulary import Taken
from ravenglass.trace.items import Diagnosis
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.widgets.pace import after_rest

_REST_MS = 250
"""The playhead has to rest: the events of a call are not asked for while it is dragged."""


class RollbackOffer(QWidget):
    """Hidden where nothing fell. The button makes a branch, to be undone like every change by hand."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rollbackOffer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "notice")
        self.setProperty("level", "warning")
        self._state = state
        self._taken: Taken | None = None
        self.sentence = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = QPushButton()
        self.button.clicked.connect(self._roll_back)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 4, 3)
        layout.addWidget(self.sentence, 1)
        layout.addWidget(self.button)
        self._pause = after_rest(self, _REST_MS)
        self._pause.triggered.connect(self.look)
        for signal in (state.call_changed, state.run_changed):
            signal.connect(self._moved)
        self.hide()

    def _moved(self) -> None:
        self.hide()
        self._pause.cancel()
        if self._state.run is not None and self._state.showing == "simulated":
            self._pause.throttle()

    def look(self) -> None:
        """Show what the trace of the call offers, if it does."""
        run, call = self._state.run, self._state.call
        if run is None or not call or self._state.showing != "simulated":
            return
        told = next((e.body for e in run.events(call) if isinstance(e.body, Diagnosis) and e.body.offer), None)
        if told is None or told.offer is None:
            return
        step = told.offer.step
        self._taken = next((one for one in run.snapshots_taken() if one.step == step), None)
        self.sentence.setText(
            f"What is active fell from a mean of {told.mean_before:.2f} to {told.mean_score:.2f} at call {call:,}."
            f" The snapshot of call {step:,} was taken before that."
        )
        self.button.setText(f"Roll back to call {step:,} (branch)")
        self.button.setEnabled(self._taken is not None)
        self.show()

    def _roll_back(self) -> None:
        run, taken = self._state.simulated, self._taken
        if run is not None and taken is not None:
            changes = self._state.changes
            self._state.set_changes(rolled_back(changes, taken.step, taken.name, taken.task, run.calls))
            self._state.set_call(taken.step)
