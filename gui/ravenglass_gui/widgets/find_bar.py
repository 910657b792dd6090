"""Search in a text: a field, how many hits, next and previous. Opens with Ctrl+F, closes with Escape."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.tokens import theme
from ravenglass_gui.widgets.verbatim_view import VerbatimView

_PAUSE_MS = 120


class FindBar(QWidget):
    """Searches the view that `attach` named."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: VerbatimView | None = None
        self._hits = 0
        self._at = -1
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Find in this text")
        self.field.setAccessibleName("Find in this text")
        self.field.setClearButtonEnabled(True)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setProperty("role", "dim")
        self._previous = self._button("Previous hit (Shift+Enter)")
        self._next = self._button("Next hit (Enter)")
        self._close = self._button("Close the search (Esc)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(4)
        layout.addWidget(self.field, 1)
        for widget in (self._count, self._previous, self._next, self._close):
            layout.addWidget(widget)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.search)
        self.field.textChanged.connect(self._pause.start)
        self._next.clicked.connect(lambda: self.step(1))
        self._previous.clicked.connect(lambda: self.step(-1))
        self._close.clicked.connect(self.hide)
        self._restyle()
        theme.changed.connect(self._restyle)

    def _button(self, words: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setAutoRaise(True)
        return button

    def attach(self, view: VerbatimView) -> None:
        """Search `view` from now on."""
        if self._view is not view:
            if self._view is not None:
                self._view.find_all("")
                self._view.more_changed.disconnect(self._more)
            view.more_changed.connect(self._more)
        self._view = view
        if self.isVisible():
            self.search()

    def _more(self) -> None:
        """More of the text is shown now: count again once it is all there."""
        if self.isVisible() and self.field.text():
            self._pause.start()

    def open(self) -> None:
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text():
            self.search()

    def search(self) -> None:
        """Search again; the first hit is shown."""
        self._pause.stop()
        term = self.field.text()
        self._hits = self._view.find_all(term) if self._view else 0
        self._at = -1
        if self._hits:
            self.step(1)
        else:
            self._count.setText("no hit" if term else "")

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit, around the end."""
        if self._pause.isActive():
            self.search()
            return
        if self._view is None or not self._hits:
            return
        self._at = (self._at + by) % self._hits
        self._view.go_to_hit(self._at)
        self._count.setText(f"{self._at + 1:,} of {self._hits:,}")

    def count_text(self) -> str:
        return self._count.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.hide()
            if self._view:
                self._view.setFocus()
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._pause.stop()
        if self._view is not None and self.isHidden():
            self._view.find_all("")

    def _restyle(self) -> None:
        self._previous.setIcon(icon("mdi6.chevron-up"))
        self._next.setIcon(icon("mdi6.chevron-down"))
        self._close.setIcon(icon("close"))
