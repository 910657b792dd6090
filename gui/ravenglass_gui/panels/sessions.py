"""The session list: what was opened, by project and newest first, and the sub-agents of what is open now."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QAbstractItemView, QStackedLayout, QTreeView, QVBoxLayout, QWidget

from ravenglass.sessions.model import Session
from ravenglass.store.records import OpenedSession
from ravenglass_gui.models.sessions import SessionRole, SessionsModel
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.theme.tokens import theme
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle
from ravenglass_gui.widgets.session_delegate import SessionDelegate


class SessionsPanel(QWidget):
    """Asks for sessions, opens none itself: the window passes its signals to the bridge."""

    open_requested = Signal(Path)
    child_requested = Signal(object)
    """A `Session` of the open file (the file's own or a sub-agent) that is to be shown."""
    dialog_requested = Signal()

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessions")
        self._state = state
        self._recent: tuple[OpenedSession, ...] = ()
        self._title = SectionTitle("Sessions")
        self.model = SessionsModel(self)
        self.tree = QTreeView()
        self.tree.setAccessibleName("Opened sessions")
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(SessionDelegate(self.tree))
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(12)
        self.tree.setRootIsDecorated(False)
        self.tree.setMouseTracking(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._empty = EmptyState()
        self._empty.say(
            "The sessions you opened, by project. Open a recorded session, or drop its file on the window.",
            "Open…",
            self.dialog_requested.emit,
        )
        self._stack = QStackedLayout()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addLayout(self._stack, 1)
        self.tree.clicked.connect(self._activate)
        self.tree.activated.connect(self._activate)
        state.session_changed.connect(self._rebuild)
        theme.changed.connect(self._restyle)
        self._rebuild()

    def set_recent(self, recent: tuple[OpenedSession, ...]) -> None:
        """What the library remembers, newest first."""
        self._recent = recent
        self._rebuild()

    def _rebuild(self) -> None:
        self.model.rebuild(self._recent, self._state.root, self._state.session)
        self.tree.expandAll()
        current = self.model.current()
        if current.isValid():
            self.tree.setCurrentIndex(current)
            self.tree.scrollTo(current)
        count = len(self._recent) or int(self._state.root is not None)
        self._title.set_facts(f"{count:,}" if count else "")
        self._stack.setCurrentIndex(0 if self.model.rowCount() else 1)

    def _activate(self, index: QModelIndex) -> None:
        session = index.data(SessionRole.SESSION)
        path = index.data(SessionRole.PATH)
        if isinstance(session, Session):
            if session is not self._state.session:
                self.child_requested.emit(session)
        elif path:
            self.open_requested.emit(Path(path))

    def _restyle(self) -> None:
        self.tree.viewport().update()
