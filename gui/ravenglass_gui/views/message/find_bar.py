"""Search in a text: a field, how many hits, next and previous. Opens with Ctrl+F, closes with Escape."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import theme
from ravenglass_gui.views.shared.verbatim_view import VerbatimView

_PAUSE_MS = 120


class FindBar(QWidget):
    """Searches the view that `attach` named."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: VerbatimView | None = None
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
                self._view.look_for("")
                self._view.found.disconnect(self._found)
            view.found.connect(self._found)
        self._view = view
        if self.isVisible():
            self.search()

    def open(self) -> None:
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text():
            self.search()

    def search(self) -> None:
        """Search again; the first hit is shown as soon as it is found."""
        self._pause.stop()
        self._at = -1
        if self._view is not None:
            self._view.look_for(self.field.text())
        self._say()

    def _found(self) -> None:
        if self._at < 0 and self._view is not None and self._view.hits:
            self._at = 0
            self._view.go_to_hit(0)
        self._say()

    def _say(self) -> None:
        """`3 of 120`, with a + while the rest of a long text is being searched."""
        view = self._view
        if view is None or not self.field.text():
            self._count.setText("")
        elif view.hits:
            self._count.setText(f"{self._at + 1:,} of {view.hits:,}{'+' if view.searching else ''}")
        else:
            self._count.setText("searching…" if view.searching else "no hit")

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit, around the end."""
        if self._pause.isActive():
            self.search()
            return
        if self._view is None or not self._view.hits:
            return
        self._at = (self._at + by) % self._view.hits
        self._view.go_to_hit(self._at)
        self._say()

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
            self._view.look_for("")

    def _restyle(self) -> None:
        self._previous.setIcon(icon("mdi6.chevron-up"))
        self._next.setIcon(icon("mdi6.chevron-down"))
        self._close.setIcon(icon("close"))
