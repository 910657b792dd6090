"""Five hints for the first start, one at a time, never in the way and never again once dismissed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

HINTS = (
    "Drag in the timeline to move through the calls: every panel follows the playhead.",
    "Select a message in the manifest: Why says what kept it in or out, Message shows it verbatim.",
    "Move a slider under Tuning: the whole session is replayed while you drag.",
    "F5 runs to the next slow path; F10 steps through its curator one event at a time.",
    "Press ? for all keys, and Ctrl+O to open a session of your own.",
)


class HintBar(QWidget):
    """`dismissed` is emitted when the person has seen or closed them."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hints")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "notice")
        self._at = 0
        self._count = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._count.setProperty("role", "dim")
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._next = QPushButton("Next")
        self._close = QPushButton("Dismiss")
        self._next.clicked.connect(self._advance)
        self._close.clicked.connect(self.dismiss)
        for button in (self._next, self._close):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where the keys are needed
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 4, 3)
        layout.addWidget(self._count)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._next)
        layout.addWidget(self._close)
        self.hide()

    def begin(self) -> None:
        """Show the first hint."""
        self._at = 0
        self._show_hint()
        self.show()

    def _show_hint(self) -> None:
        self._count.setText(f"hint {self._at + 1} of {len(HINTS)}")
        self._text.setText(HINTS[self._at])
        self._text.setAccessibleName(HINTS[self._at])
        self._next.setVisible(self._at + 1 < len(HINTS))
        self._close.setText("Dismiss" if self._at + 1 < len(HINTS) else "Done")

    def _advance(self) -> None:
        self._at = min(self._at + 1, len(HINTS) - 1)
        self._show_hint()

    def dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()
