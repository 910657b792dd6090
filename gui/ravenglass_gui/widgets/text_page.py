"""One page of recorded text: a verbatim view, what was done for display said under it, and a button for more."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ravenglass_gui.widgets.verbatim_view import PART, VerbatimView


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
        self._more = QPushButton(self)
        self._more.clicked.connect(self.view.show_more)
        self._row = QWidget(self)
        row = QHBoxLayout(self._row)
        row.setContentsMargins(4, 2, 4, 2)
        row.addWidget(self._notice, 1)
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
        return self._more

    def _update(self) -> None:
        notice = f"{self._said} {self.view.notice()}".strip()
        self._notice.setText(notice)
        hidden = 0 if self.view.filling else self.view.hidden
        self._more.setVisible(hidden > 0)
        if hidden:
            self._more.setText(f"Show the next {min(PART, hidden):,} characters")
        self._row.setVisible(bool(notice))
