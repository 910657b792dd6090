"""A strip that stays while bytes of what is open could not be read: how many, and the way to the list of them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from ravenglass.safe.visible import visible
from ravenglass_gui.state.damage import DamageModel, places, summary
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.theme.icons import pixmap
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.shared.list_page import make_table

_WIDTHS = {0: 180, 1: 60, 2: 100, 3: 70, 4: 220, 5: 200}
_SIZE = QSize(900, 320)


class DamageBar(QWidget):
    """Hidden where everything was read. It follows what is open, read on included."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("damage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "notice")
        self._state = state
        self._icon = QLabel()
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.list = QToolButton()
        self.list.setText("Show the list")
        self.list.setToolTip("Line, offset, length, reason, and what was kept")
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.clicked.connect(self.open_list)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 6, 2)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.list)
        self.dialog: DamageList | None = None
        self.shown = False
        """Whether there is anything to list."""
        state.session_changed.connect(self._refresh)
        state.grown.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._refresh()

    @property
    def text(self) -> str:
        """What the strip says; empty where everything was read."""
        return self._text.text()

    def open_list(self) -> None:
        """Show the places; an open list comes to the front."""
        if self.dialog is None:
            self.dialog = DamageList(self.window())
            self.dialog.destroyed.connect(self._closed)
        self.dialog.model.show(places(self._state.root, self._state.log))
        self.dialog.show()
        self.dialog.raise_()

    def _closed(self) -> None:
        self.dialog = None

    def _refresh(self) -> None:
        found = places(self._state.root, self._state.log)
        self.shown = bool(found)
        self._text.setText(visible(summary(found)))
        self._text.setToolTip(self._text.text())
        self.setVisible(self.shown)
        if self.dialog is not None:
            self.dialog.model.show(found)

    def _recolour(self) -> None:
        self._icon.setPixmap(pixmap("warning", colours().warn))


class DamageList(QDialog):
    """The list in a window of its own, which keeps nothing from being used."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("What could not be read")
        self.model = DamageModel(self)
        self.view = make_table(self, self.model, "Places that could not be read", _WIDTHS)
        note = QLabel("The file is never changed. Everything beside these bytes was read.", self)
        note.setTextFormat(Qt.TextFormat.PlainText)
        note.setProperty("role", "dim")
        column = QVBoxLayout(self)
        column.addWidget(self.view, 1)
        column.addWidget(note)
        self.resize(_SIZE)
