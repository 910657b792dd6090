"""A line of the working state being written: its text, how much of the limit it takes, and why it was refused."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ravenglass.replay.vocabulary import ListName

_LINES = 4


@dataclass(frozen=True, slots=True)
class LineWish:
    """`after` instead of `before` in a list: without `before` a new line, without `after` its removal."""

    list: ListName
    before: str
    after: str


class LineEditor(QWidget):
    """Enter saves, Escape puts it away."""

    wished = Signal(object)
    """A `LineWish`."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list: ListName = "goals"
        self._before = ""
        self._limit = 0
        self.text = QPlainTextEdit(self)
        self.text.setProperty("role", "editor")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumWidth(0)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.text.setAccessibleName("Text of the line")
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * _LINES + 12)
        self.text.textChanged.connect(self._count)
        self.text.installEventFilter(self)
        self.count = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.count.setProperty("role", "facts")
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.error = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.error.setProperty("role", "bad")
        self.save = QPushButton("Save")
        self.save.setProperty("role", "primary")
        self.save.setToolTip("From this call on, as a branch (Enter)")
        self.save.clicked.connect(self._save)
        self.remove = QToolButton()
        self.remove.setText("Remove")
        self.remove.setToolTip("Take the line out from this call on, as a branch")
        self.remove.clicked.connect(lambda: self.wished.emit(LineWish(self._list, self._before, "")))
        self.cancel = QToolButton()
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("Leave the line as it is (Esc)")
        self.cancel.clicked.connect(self.closed)
        for button in (self.save, self.remove, self.cancel):
            button.setAccessibleName(button.text())
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.count, 1)
        for button in (self.remove, self.cancel, self.save):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 6)
        layout.setSpacing(4)
        layout.addWidget(self.text)
        layout.addWidget(self.error)
        layout.addLayout(row)

    def edit(self, name: ListName, before: str, limit: int) -> None:
        """Begin with a line of a list, or with an empty new one."""
        self._list, self._before, self._limit = name, before, limit
        self.text.setPlainText(before)
        self.text.selectAll()
        self.text.setPlaceholderText(f"A new line of the {name.replace('_', ' ')}")
        self.remove.setVisible(bool(before))
        self.show_error("")
        self._count()
        self.text.setFocus()

    def show_error(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))

    def _line(self) -> str:
        return " ".join(self.text.toPlainText().split())

    def _count(self) -> None:
        length = len(self._line())
        self.count.setText(f"{length:,} / {self._limit:,}")
        self.count.setToolTip(f"{length:,} of at most {self._limit:,} characters")
        self.save.setEnabled(0 < length <= self._limit and self._line() != self._before)

    def _save(self) -> None:
        if self.save.isEnabled():
            self.wished.emit(LineWish(self._list, self._before, self._line()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._save()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(watched, event)
