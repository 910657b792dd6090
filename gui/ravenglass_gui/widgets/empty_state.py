"""What an empty view says: one honest sentence, and the button that changes it where there is one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from ravenglass.safe.visible import visible


class EmptyState(QWidget):
    """`say` sets the sentence; with an action a button stands under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = QLabel(self)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setWordWrap(True)
        self._sentence.setProperty("role", "dim")
        self._button = QPushButton(self)
        self._button.hide()
        self._act: Callable[[], None] | None = None
        self._button.clicked.connect(self._pressed)
        layout = QVBoxLayout(self)
        layout.addStretch(1)
        layout.addWidget(self._sentence)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)

    def say(self, sentence: str, label: str = "", act: Callable[[], None] | None = None) -> None:
        self._sentence.setText(visible(sentence))
        self._sentence.setAccessibleName(sentence)
        self._act = act
        self._button.setText(label)
        self._button.setAccessibleName(label)
        self._button.setVisible(act is not None)

    def sentence(self) -> str:
        return self._sentence.text()

    def button(self) -> QPushButton:
        return self._button

    def _pressed(self) -> None:
        if self._act is not None:
            self._act()
