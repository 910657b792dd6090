"""The session browser: what was opened, and what every agent keeps on this machine or a folder holds, by project.

Opens nothing itself: the window passes its signals to the bridge. Titles and figures of sessions come behind.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QMenu, QStackedLayout, QTreeView, QVBoxLayout, QWidget

from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import ListedSession, OpenedSession, SavedRun
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.theme.palette import theme
from ravenglass_gui.views.sessions.model import SessionRole, SessionsModel
from ravenglass_gui.views.sessions.node import Node
from ravenglass_gui.views.sessions.tree import SessionTree
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.pace import after_rest, at_most_every
from ravenglass_gui.widgets.section import SectionTitle
from ravenglass_gui.work.browse.browsing import Browser

_TYPING_MS = 150
_COALESCE_MS = 250
"""Changes of the list that come close together are shown together."""


class SessionsPanel(QWidget):
    """`browser` lists folders; without one only what was opened is shown."""

    open_requested = Signal(Path)
    child_requested = Signal(object)
    """A `Session` of the open file (the file's own or a sub-agent) that is to be shown."""
    dialog_requested = Signal()
    run_requested = Signal(object)
    """A `SavedRun` whose session is to be shown under its profile."""
    forget_requested = Signal(Path)
    """A folder that is to be listed no more."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None, browser: Browser | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessions")
        self._state, self._browser = state, browser
        self._recent: tuple[OpenedSession, ...] = ()
        self._runs: tuple[SavedRun, ...] = ()
        self._title = SectionTitle("Sessions")
        self.model = SessionsModel(self)
        self.tree = SessionTree(self.model, self)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter by title, project, agent")
        self.filter.setAccessibleName("Filter the sessions")
        self.filter.setClearButtonEnabled(True)
        self._empty = EmptyState()
        self._stack = QStackedLayout()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addWidget(self.filter)
        layout.addLayout(self._stack, 1)
        self._node: Node | None = None
        self.actions_ = LocalActions(
            self.tree,
            "Sessions",
            {
                "session_open": self._open,
                "session_details": self._describe,
                "list_again": self._list_again,
                "copy_path": self._copy_path,
                "forget": self._forget,
            },
        )
        self._soon = at_most_every(self, _COALESCE_MS)
        self._soon.triggered.connect(self._rebuild)
        self._typed = after_rest(self, _TYPING_MS)
        self._typed.triggered.connect(self._rebuild)
        self.filter.textChanged.connect(self._typed.throttle)
        self.tree.clicked.connect(self._activate)
        self.tree.entered_row.connect(self._activate)
        self.tree.seen.connect(self._seen)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        state.session_changed.connect(self._rebuild)
        state.grown.connect(self._later)
        if browser is not None:
            browser.changed.connect(self._later)
            browser.detailed.connect(self._detailed)
        theme.changed.connect(self._restyle)
        self._rebuild()

    def set_recent(self, recent: tuple[OpenedSession, ...]) -> None:
        """What the library remembers, newest first."""
        self._recent = recent
        self._rebuild()

    def set_runs(self, runs: tuple[SavedRun, ...]) -> None:
        """The saved runs of all sessions, newest first."""
        self._runs = runs
        self._rebuild()

    def refresh(self) -> None:
        """List every folder again."""
        if self._browser is not None:
            self._browser.refresh()

    def show_shelf(self, root: Path) -> None:
        """Bring a listed folder into view."""
        self._rebuild()
        index = self.model.find(("shelf", root))
        if index.isValid():
            self.tree.expand(index)
            self.tree.scrollTo(index, QTreeView.ScrollHint.PositionAtTop)

    @Slot()
    def _later(self) -> None:
        self._soon.throttle()

    @Slot()
    def _rebuild(self) -> None:
        self._soon.cancel()
        self._typed.cancel()
        shelves = self._browser.shelves if self._browser is not None else ()
        words = self.filter.text()
        with self.tree.kept():
            self.model.rebuild(self._recent, self._state.root, self._state.session, shelves, words, self._runs)
        self.tree.follow(self.model.current())
        known = sum(len(shelf.sessions) for shelf in shelves)
        count = known or len(self._recent) or int(self._state.root is not None)
        self._title.set_facts(f"{count:,}" if count else "")
        self.filter.setVisible(bool(shelves) or count > 8 or bool(words))
        filled = bool(self.model.rowCount())
        if not filled:
            self._explain(words, shelves)
        self._stack.setCurrentIndex(0 if filled else 1)

    def _explain(self, words: str, shelves: object) -> None:
        if words:
            self._empty.say(f"No session has {words!r} in its title, project or agent.", "Show all", self.filter.clear)
        elif self._browser is not None and self._browser.looked and not shelves:
            self._empty.say(
                "No agent that is known keeps sessions on this machine."
                " Open a recorded session or a folder of them, or drop it on the window.",
                "Open…",
                self.dialog_requested.emit,
            )
        else:
            self._empty.say(
                "The sessions you opened, by project. Open a recorded session, or drop its file on the window.",
                "Open…",
                self.dialog_requested.emit,
            )

    @Slot(object, object)
    def _detailed(self, shelf: Shelf, items: tuple[ListedSession, ...]) -> None:
        if not self.model.update(shelf, items):
            self._later()

    @Slot()
    def _seen(self) -> None:
        """What is on screen gets its details first."""
        if self._browser is not None:
            nodes = [self.model.node(index) for index in self.tree.on_screen()]
            self._browser.want([(n.root, n.place) for n in nodes if n is not None and n.root and n.place])

    def _activate(self, index: QModelIndex) -> None:
        session = index.data(SessionRole.SESSION)
        path = index.data(SessionRole.PATH)
        node = self.model.node(index)
        if isinstance(session, Session):
            if session is not self._state.session:
                self.child_requested.emit(session)
        elif path:
            root = self._state.root
            if root is None or root.place.absolute() != Path(path).absolute():
                self.open_requested.emit(Path(path))
        elif node is not None and node.run is not None:
            self.run_requested.emit(node.run)
        elif node is not None and node.kind == "more":
            self.model.show_whole(node.key)
            self._rebuild()
        elif node is not None and node.kind in ("section", "project"):
            self.tree.turn(index)

    def _menu(self, at: QPoint) -> None:
        node = self.model.node(self.tree.indexAt(at))
        if node is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu, node)
        if not menu.isEmpty():
            menu.popup(self.tree.viewport().mapToGlobal(at))

    def fill_menu(self, menu: QMenu, node: Node) -> None:
        """What can be done with a row."""
        self._node, browser = node, self._browser
        shelf = browser.shelf(node.root) if browser is not None and node.root is not None else None
        if node.kind == "left":
            self.actions_.fill(menu, ("session_open", "copy_path"))
        elif node.place is not None:
            listed = browser is not None and node.root is not None
            self.actions_.fill(menu, ("session_open", *(["session_details"] if listed else ()), "copy_path"))
        elif node.run is not None:
            self.actions_.fill(menu, ("session_open", *(["copy_path"] if node.run.folder is not None else ())))
        elif node.kind == "section" and shelf is not None:
            self.actions_.fill(menu, ("list_again", "copy_path", *(["forget"] if shelf.opened else ())))

    def _open(self) -> None:
        if self._node is not None and self._node.run is not None:
            self.run_requested.emit(self._node.run)
        elif self._node is not None and self._node.place is not None:
            self.open_requested.emit(self._node.place)

    def _describe(self) -> None:
        node = self._node
        if self._browser is not None and node is not None and node.root is not None and node.place is not None:
            self._browser.describe(node.root, node.place)

    def _list_again(self) -> None:
        if self._browser is not None and self._node is not None and self._node.root is not None:
            self._browser.add(self._node.root)

    def _copy_path(self) -> None:
        if self._node is not None:
            run = self._node.run
            path = run.folder if run is not None else self._node.place or self._node.root
            QGuiApplication.clipboard().setText(str(path))

    def _forget(self) -> None:
        if self._node is not None and self._node.root is not None:
            self.forget_requested.emit(self._node.root)

    def _restyle(self) -> None:
        self.tree.viewport().update()
