"""The header of a panel: its title in small bold capitals and, right-aligned and dim, the facts of the moment.

The main window takes it out of a docked panel and makes it the dock's title bar, so it is written once.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from ravenglass.safe.visible import visible


class _Facts(QLabel):
    """Shows its long text where that fits, else its short one."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._texts = ("", "")
        self.setProperty("role", "facts")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def whole(self) -> str:
        return self._texts[0]

    def say(self, whole: str, short: str) -> None:
        self._texts = (whole, short)
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    def _choose(self) -> None:
        whole, short = self._texts
        fits = not short or self.fontMetrics().horizontalAdvance(whole) <= self.width()
        self.setText(whole if fits else short)
        self.setToolTip("" if fits else whole)


class SectionTitle(QWidget):
    """Both texts are plain text and may change at any time."""

    def __init__(self, title: str, facts: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sectionTitle")
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setProperty("role", "title")
        self._facts = _Facts()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self._facts, 1)
        self.set_title(title)
        self.set_facts(facts)

    def set_title(self, title: str) -> None:
        title = visible(title)
        self._title.setText(title.upper())
        self._title.setAccessibleName(title)

    def set_facts(self, facts: str, short: str = "") -> None:
        """`short` stands in place of `facts` where those find no room."""
        self._facts.say(visible(facts), visible(short))

    @property
    def title(self) -> str:
        return self._title.text()

    @property
    def facts(self) -> str:
        return self._facts.whole
