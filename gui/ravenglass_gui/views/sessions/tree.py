"""The tree of the session browser: what is folded, current and in view survives when the list is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QTreeView, QWidget

from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.sessions.delegate import SessionDelegate
from ravenglass_gui.views.sessions.model import SessionRole, SessionsModel
from ravenglass_gui.views.sessions.node import Node
from ravenglass_gui.widgets.pace import after_rest

_FEW = 40
"""Sessions of a section up to which all its projects are unfolded at first."""
_UNFOLDED = 3
"""Projects of a larger section that are unfolded at first: the newest."""
_REST_MS = 80


class SessionTree(QTreeView):
    """`seen` tells, after a moment's rest, that other rows are on screen."""

    seen = Signal()
    entered_row = Signal(QModelIndex)
    """Enter was pressed on a row. A click is `clicked`; a double click is no more than that."""

    def __init__(self, model: SessionsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sessions = model
        self._turned: dict[tuple[object, ...], bool] = {}
        """What the person folded or unfolded."""
        self._current: tuple[object, ...] | None = None
        self.setAccessibleName("Sessions")
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(self))
        self.setHeaderHidden(True)
        self.setIndentation(11)
        self.setRootIsDecorated(True)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._rest = after_rest(self, _REST_MS)
        self._rest.triggered.connect(self.seen)
        self.verticalScrollBar().valueChanged.connect(self._moved)
        self.expanded.connect(lambda index: self._note(index, True))
        self.collapsed.connect(lambda index: self._note(index, False))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """The model is reset inside: afterwards the view is as it was, as far as the rows are still there."""
        bar = self.verticalScrollBar()
        top = self._sessions.node(self.indexAt(self.viewport().rect().topLeft()))
        key, before = (top.key if top is not None else None), bar.value()
        offset = self.visualRect(self._sessions.find(key)).top() if key is not None else 0
        chosen = self._sessions.node(self.currentIndex())
        yield
        with QSignalBlocker(self):
            self._unfold()
        if chosen is not None:
            again = self._sessions.find(chosen.key)
            if again.isValid():
                self.selectionModel().setCurrentIndex(again, QItemSelectionModel.SelectionFlag.NoUpdate)
        at = self._sessions.find(key) if key is not None else QModelIndex()
        if at.isValid() and before:
            self.scrollTo(at, QTreeView.ScrollHint.PositionAtTop)
            bar.setValue(bar.value() - offset)
        self._moved()

    def follow(self, index: QModelIndex) -> None:
        """The session on screen is another one: make its row current and bring it into view."""
        node = self._sessions.node(index)
        key = node.key if node is not None else None
        if key != self._current and index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self._current = key

    def turn(self, index: QModelIndex) -> None:
        """Fold or unfold a row."""
        self.setExpanded(index, not self.isExpanded(index))

    def on_screen(self) -> list[QModelIndex]:
        """The rows that are in view, from the top."""
        found = []
        index = self.indexAt(self.viewport().rect().topLeft())
        bottom = self.viewport().rect().bottom()
        while index.isValid() and self.visualRect(index).top() <= bottom:
            found.append(index)
            index = self.indexBelow(index)
        return found

    def _unfold(self) -> None:
        """Unfold what the person unfolded, and what is unfolded at first; a search shows all it found."""
        model = self._sessions
        for row in range(model.rowCount()):
            section = model.index(row, 0)
            node = model.node(section)
            if node is None or not self._turned.get(node.key, True):
                continue
            self.setExpanded(section, True)
            few = sum(project.count for project in node.below) <= _FEW
            for below in range(model.rowCount(section)):
                project = model.index(below, 0, section)
                self._unfold_project(project, few or below < _UNFOLDED)

    def _unfold_project(self, project: QModelIndex, default: bool) -> None:
        model = self._sessions
        node = model.node(project)
        if node is None or not self._turned.get(node.key, default):
            return
        self.setExpanded(project, True)
        self._unfold_sessions(project, node)

    def _unfold_sessions(self, parent: QModelIndex, node: Node) -> None:
        """Sub-agents are unfolded below the open session, and where the person unfolded them."""
        for row, child in enumerate(node.below):
            if child.count and self._turned.get(child.key, child.session is not None):
                index = self._sessions.index(row, 0, parent)
                self.setExpanded(index, True)
                self._unfold_sessions(index, child)

    def _note(self, index: QModelIndex, unfolded: bool) -> None:
        node = self._sessions.node(index)
        if node is not None:
            self._turned[node.key] = unfolded
        self._moved()

    @Slot()
    def _moved(self) -> None:
        self._rest.throttle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered_row.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """A section stands out over the whole width, its arrow included."""
        if index.data(SessionRole.KIND) == "section":
            box: QRect = option.rect
            painter.fillRect(box.adjusted(0, 1, 0, -1), QColor(colours().field))
        super().drawRow(painter, option, index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._moved()
