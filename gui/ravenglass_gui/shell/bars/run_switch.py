"""The switch in the toolbar: which of the session's two runs every view shows."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from ravenglass.safe.visible import visible
from ravenglass_gui.state.debugger_state import DebuggerState

_SIMULATED_TIP = "Show what this engine would have put into the window under the profile"


class RunSwitch(QWidget):
    """`Simulated | Recorded`: one of them is pressed. Follows the action, which knows whether there is a recorded run
    and why not."""

    def __init__(self, state: DebuggerState, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._action = state, action
        self.setObjectName("runSwitch")
        self.simulated, self.recorded = self._button("Simulated", "left"), self._button("Recorded", "right")
        self.simulated.setToolTip(_SIMULATED_TIP)
        group = QButtonGroup(self)
        group.setExclusive(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 10, 0)
        row.setSpacing(0)
        for button in (self.simulated, self.recorded):
            group.addButton(button)
            row.addWidget(button)
        self.simulated.clicked.connect(lambda: state.show_recorded(False))
        self.recorded.clicked.connect(lambda: state.show_recorded(True))
        action.changed.connect(self._refresh)
        self._refresh()

    def _button(self, text: str, side: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(visible(text))
        button.setCheckable(True)
        button.setProperty("role", "segment")
        button.setProperty("side", side)
        button.setAccessibleName(f"Show the {text.lower()} run")
        return button

    def _refresh(self) -> None:
        self.recorded.setEnabled(self._action.isEnabled())
        self.recorded.setToolTip(self._action.toolTip())
        shown = self.recorded if self._state.showing == "recorded" else self.simulated
        shown.setChecked(True)
