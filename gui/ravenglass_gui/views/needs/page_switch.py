"""`Regrets | After compactions`: which of the two tables has the room."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

_PAGES = (
    ("Regrets", "left", "What responses needed and the window did not hold in full"),
    ("After compactions", "right", "What each recorded compaction or clearing took, and what came of it"),
)


class PageSwitch(QWidget):
    """One of two is pressed. Tab reaches it, Left and Right change it."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for number, (text, side, tip) in enumerate(_PAGES):
            button = QToolButton(self)
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(text)
            button.setCheckable(True)
            button.setProperty("role", "segment")
            button.setProperty("side", side)
            self._group.addButton(button, number)
            row.addWidget(button)
        self._group.button(0).setChecked(True)
        self._group.idToggled.connect(lambda number, on: self.chosen.emit(number) if on else None)

    def page(self) -> int:
        return self._group.checkedId()

    def choose(self, page: int) -> None:
        self._group.button(page).setChecked(True)

    def count(self, page: int, rows: int | None) -> None:
        """How many rows a page has, behind its name; None: not known in this run."""
        name = _PAGES[page][0]
        text = name if rows is None else f"{name}  {rows:,}"
        self._group.button(page).setText(text)
        self._group.button(page).setAccessibleName(text)
