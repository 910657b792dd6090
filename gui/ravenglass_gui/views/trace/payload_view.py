"""The payload of one event: a tree, the full text of the selected value under it, and links to its messages."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QToolButton, QTreeView, QVBoxLayout, QWidget
from superqt import QFlowLayout

from ravenglass.safe.visible import visible
from ravenglass.trace import TraceEvent
from ravenglass_gui.text.event_text import kind
from ravenglass_gui.views.shared.payload_tree import PayloadRole, PayloadTreeModel
from ravenglass_gui.views.shared.text_page import TextPage

_LINKS = 24


class PayloadView(QWidget):
    """`message_chosen` carries the id of a message whose link was pressed."""

    message_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(self)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setProperty("role", "dim")
        self.tree = PayloadTreeModel(self)
        self.view = QTreeView(self)
        self.view.setModel(self.tree)
        self.view.setUniformRowHeights(True)
        self.view.setAccessibleName("Payload of the event")
        self.view.setColumnWidth(0, 180)
        self.view.selectionModel().currentChanged.connect(self._chosen)
        self.full = TextPage("Full text of the selected value", self)
        self._links = QWidget(self)
        self._flow = QFlowLayout(self._links)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._buttons: list[QToolButton] = []
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.view)
        split.addWidget(self.full)
        split.setSizes([300, 140])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.title)
        layout.addWidget(self._links)
        layout.addWidget(split, 1)
        self._event: TraceEvent | None = None
        self.show_event(None)

    def show_event(self, event: TraceEvent | None) -> None:
        """Show an event, or say that none is selected."""
        if event is self._event and event is not None:
            return
        self._event = event
        self.tree.show(event.payload if event else {})
        self.full.set_text("")
        self.full.hide()
        if event is None:
            self.title.setText("Select an event to see its payload.")
        else:
            self.title.setText(visible(f"{kind(event).title} · {event.event} · call {event.call:,}"))
            if len(event.payload) <= 12:
                self.view.expandToDepth(0)
        self._show_links(event.messages if event else ())

    def _show_links(self, messages: tuple[int, ...]) -> None:
        shown = messages[:_LINKS]
        while len(self._buttons) < len(shown):
            button = QToolButton(self._links)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _=False, b=button: self.message_chosen.emit(int(b.property("message"))))
            self._buttons.append(button)
            self._flow.addWidget(button)
        for number, button in enumerate(self._buttons):
            button.setVisible(number < len(shown))
            if number < len(shown):
                button.setProperty("message", shown[number])
                button.setText(f"#{shown[number]}")
                button.setAccessibleName(f"Select message {shown[number]}")
        self._links.setVisible(bool(shown))

    def _chosen(self, current: QModelIndex) -> None:
        if not current.isValid():
            return
        full = str(self.tree.data(current, PayloadRole.FULL) or "")
        path = str(self.tree.data(current, PayloadRole.PATH) or "")
        self.full.set_text(full, path)
        self.full.show()
