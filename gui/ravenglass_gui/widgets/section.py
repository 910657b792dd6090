"""The header of a panel: its title in small bold capitals and, right-aligned and dim, the facts of the moment.

The main window takes it out of a docked panel and makes it the dock's title bar, so it is written once.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget


class SectionTitle(QWidget):
    """Both texts are plain text and may change at any time."""

    def __init__(self, title: str, facts: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sectionTitle")
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setProperty("role", "title")
        self._facts = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._facts.setProperty("role", "facts")
        self._facts.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._facts, 1)
        self.set_title(title)
        self.set_facts(facts)

    def set_title(self, title: str) -> None:
        self._title.setText(title.upper())
        self._title.setAccessibleName(title)

    def set_facts(self, facts: str) -> None:
        self._facts.setText(facts)
        self._facts.setToolTip("")

    @property
    def title(self) -> str:
        return self._title.text()

    @property
    def facts(self) -> str:
        return self._facts.text()
