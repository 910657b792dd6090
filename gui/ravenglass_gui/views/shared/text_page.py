"""Recorded text: a verbatim view, what was done for display said under it, and buttons for the other parts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ravenglass_gui.views.shared.verbatim_view import PAGE, VerbatimView


class TextPage(QWidget):
    """`view` holds the text; notices appear only where there is something to say."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = VerbatimView(self)
        self.view.setAccessibleName(name)
        self._notice = QLabel(self)
        self._notice.setTextFormat(Qt.TextFormat.PlainText)
        self._notice.setWordWrap(True)
        self._notice.setProperty("role", "dim")
        self._less, self._more = QPushButton(self), QPushButton(self)
        self._less.clicked.connect(lambda: self.view.turn(-1))
        self._more.clicked.connect(lambda: self.view.turn(1))
        self._row = QWidget(self)
        row = QHBoxLayout(self._row)
        row.setContentsMargins(4, 2, 4, 2)
        row.addWidget(self._notice, 1)
        row.addWidget(self._less)
        row.addWidget(self._more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._row)
        self._said = ""
        self.view.more_changed.connect(self._update)
        self._update()

    def set_text(self, text: str, said: str = "") -> None:
        """Show `text`; `said` is a sentence put before the notices about display."""
        self._said = said
        self.view.set_text(text)

    def notice(self) -> str:
        return self._notice.text()

    def more_button(self) -> QPushButton:
        """Shows the part after what is shown."""
        return self._more

    def less_button(self) -> QPushButton:
        """Shows the part before what is shown."""
        return self._less

    def _update(self) -> None:
        notice = f"{self._said} {self.view.notice()}".strip()
        self._notice.setText(notice)
        before, after = self.view.before, self.view.after
        self._less.setVisible(before > 0)
        self._more.setVisible(after > 0)
        self._less.setText(f"Show the {min(PAGE, before):,} before")
        self._more.setText(f"Show the next {min(PAGE, after):,} characters")
        self._row.setVisible(bool(notice))
