"""Progress of what runs in the background, in the status bar, with a button that cancels it.

Work that is over before `DELAY_MS` never shows, so that a slider drag does not flicker.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from ravenglass.safe.visible import visible
from ravenglass_gui.text.numbers import duration, percent
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.work.replay_bridge import Busy

DELAY_MS = 250


class BusyStrip(QWidget):
    """`show_busy(None)` hides it."""

    cancel_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedWidth(120)
        self._bar.setAccessibleName("Progress")
        self._cancel = QPushButton("Cancel")
        self._cancel.clicked.connect(self.cancel_asked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._text)
        layout.addWidget(self._bar)
        layout.addWidget(self._cancel)
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.show)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_busy(self, busy: Busy | None) -> None:
        if busy is None:
            self._timer.stop()
            self.hide()
            return
        self._text.setText(visible(describe(busy)))
        self._text.setToolTip(plain_tip(busy.tip))
        self._bar.setMaximum(1_000 if busy.total else 0)
        self._bar.setValue(round(1_000 * busy.done / busy.total) if busy.total else 0)
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()


def describe(busy: Busy) -> str:
    """`Reading demo.jsonl · 45 % · 3.2 s left`."""
    parts = [busy.what]
    if busy.total:
        parts.append(percent(busy.done / busy.total))
    if busy.left is not None:
        parts.append(f"{duration(busy.left)} left")
    return " · ".join(parts)
