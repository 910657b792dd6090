"""All keys: a card over the window, made from the action registry. Escape, a click or ? closes it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QVBoxLayout, QWidget

from ravenglass_gui.actions.specs import SPECS, MenuName, PanelName, key_names
from ravenglass_gui.widgets.card import Card

_COLUMNS: tuple[tuple[MenuName | PanelName, ...], ...] = (
    ("Go", "Help"),
    ("Curator", "File", "Message", "Tuning"),
    ("View",),
    ("Manifest", "Plan", "Filter"),
)
_TITLES: dict[MenuName | PanelName, str] = {
    "Manifest": "In the manifest",
    "Plan": "While a plan is filled in",
    "Filter": "In the filter",
    "Message": "In the message",
    "Tuning": "In tuning",
}
_MOUSE = (
    ("drag", "scrub through the calls"),
    ("Shift+drag", "zoom into a range"),
    ("wheel", "zoom at the pointer"),
    ("double click", "show all calls"),
)


class KeysOverlay(Card):
    """Stands in the middle of its parent, as large as it needs to be."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._focus: QWidget | None = None
        self.setObjectName("keys")
        self.setAccessibleName("All keys")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        grid = QGridLayout()
        grid.setHorizontalSpacing(32)
        for column, menus in enumerate(_COLUMNS):
            cell = QVBoxLayout()
            for menu in menus:
                specs = [spec for spec in SPECS if spec.menu == menu and spec.keys]
                entries = [(" or ".join(key_names(spec)), spec.text) for spec in specs]
                _section(cell, _TITLES.get(menu, menu), entries)
            if menus == ("View",):
                _section(cell, "In the timeline", list(_MOUSE))
            cell.addStretch()
            grid.addLayout(cell, 0, column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 18, 24, 18)
        layout.addLayout(grid)
        closing = QLabel("Escape closes this", textFormat=Qt.TextFormat.PlainText)
        closing.setProperty("role", "dim")
        layout.addWidget(closing, 0, Qt.AlignmentFlag.AlignRight)
        parent.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        if self.isVisible():
            self.close_keys()
            return
        self._focus = QApplication.focusWidget()
        self._centre()
        self.show()
        self.raise_()
        self.setFocus()

    def close_keys(self) -> None:
        """Hide, and give the focus back to what had it."""
        self.hide()
        if self._focus is not None:
            self._focus.setFocus()
            self._focus = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_keys()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002
        self.close_keys()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._centre()
        return super().eventFilter(watched, event)

    def _centre(self) -> None:
        self.adjustSize()
        over = self._over
        self.move((over.width() - self.width()) // 2, max(0, (over.height() - self.height()) // 2))


def _section(cell: QVBoxLayout, title: str, entries: list[tuple[str, str]]) -> None:
    heading = QLabel(title.upper(), textFormat=Qt.TextFormat.PlainText)
    heading.setProperty("role", "title")
    cell.addWidget(heading)
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    for row, (keys, text) in enumerate(entries):
        key = QLabel(keys, textFormat=Qt.TextFormat.PlainText)
        key.setProperty("role", "key")
        grid.addWidget(key, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(QLabel(text, textFormat=Qt.TextFormat.PlainText), row, 1)
    grid.setColumnStretch(1, 1)
    cell.addLayout(grid)
    cell.addSpacing(12)
