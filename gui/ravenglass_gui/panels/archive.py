"""What was archived up to the call, full-text search over it, and retrieval by hand."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ravenglass.curator.archive import RetrieveMode
from ravenglass.errors import RavenglassError
from ravenglass.replay.changes import HandChange
from ravenglass.replay.frame import ArchiveEntry
from ravenglass_gui.models.archive import ArchiveModel, Column
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.live_panel import LivePanel
from ravenglass_gui.widgets.numbers import amount

_ROW_HEIGHT = 24
_PAUSE_MS = 200
_WIDTHS = {Column.CALL: 60, Column.MESSAGES: 120, Column.TOKENS: 76, Column.BY: 96, Column.BACK: 68, Column.REASON: 320}


class ArchivePanel(LivePanel):
    """Selecting an entry selects its first message."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "archivePanel", parent)
        self.model = ArchiveModel(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search the archived texts")
        self.search.setAccessibleName("Search the archived texts")
        self.search.setClearButtonEnabled(True)
        self.count = QLabel(self)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setProperty("role", "facts")
        self.mode = QComboBox(self)
        self.mode.addItem("Exact", "exact")
        self.mode.addItem("Snippet", "snippet")
        self.mode.setToolTip("Exact: the recorded texts up to the cap. Snippet: the beginning of each message.")
        self.mode.setAccessibleName("How much of each message is retrieved")
        self.cap = QSpinBox(self)
        self.cap.setRange(50, 200_000)
        self.cap.setSingleStep(50)
        self.cap.setGroupSeparatorShown(True)
        self.cap.setPrefix("at most ")
        self.cap.setSuffix(" tokens")
        self.cap.setAccessibleName("Token cap of a retrieval")
        self._cap_of_profile = 0
        self.show_button = QPushButton("Retrieve to read", self)
        self.show_button.setToolTip("Shows it in the message pane; the run stays as it is.")
        self.branch_button = QPushButton("Retrieve into the window (branch)", self)
        self.branch_button.setToolTip("From this call on the messages are in the window: a new run beside this one.")
        self.view = self._make_view()
        self._empty = EmptyState(self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.refresh)
        self._updating = False
        self._lay_out()
        self.search.textChanged.connect(self._pause.start)
        self.search.returnPressed.connect(self.refresh)
        self.show_button.clicked.connect(self.retrieve)
        self.branch_button.clicked.connect(self.retrieve_into_window)
        state.selection_changed.connect(self._follow_selection)
        self.restyle()

    def _make_view(self) -> QTableView:
        view = QTableView(self)
        view.setModel(self.model)
        view.setAccessibleName("Archived groups")
        view.setStyleSheet(
            "QTableView::item { padding: 0 8px; border: none; } QHeaderView::section { padding: 4px 8px; }"
        )
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.verticalHeader().setMinimumSectionSize(_ROW_HEIGHT)
        view.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        view.horizontalHeader().setHighlightSections(False)
        view.horizontalHeader().setStretchLastSection(True)
        for column, width in _WIDTHS.items():
            view.setColumnWidth(column, width)
        view.selectionModel().currentRowChanged.connect(self._chosen)
        view.doubleClicked.connect(self.retrieve)
        return view

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.search, 1)
        top.addWidget(self.count)
        for widget in (self.mode, self.cap, self.show_button, self.branch_button):
            bottom.addWidget(widget)
        bottom.addStretch(1)
        body = QWidget(self)
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        layout.addLayout(bottom)

    def refresh(self) -> None:
        self._pause.stop()
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._show(())
            self.count.setText("")
            self._say(
                "Open a session to see what is archived at each call."
                if self.state.session is None
                else "There is no replayed call yet, so nothing is archived."
            )
            return
        if self._cap_of_profile != run.profile.retrieve_tokens:
            self._cap_of_profile = run.profile.retrieve_tokens
            self.cap.setValue(self._cap_of_profile)
        entries = run.archive(call)
        shown = self._found(entries)
        self._show(shown)
        tokens = sum(entry.tokens for entry in shown)
        count = amount(len(entries), "entry", "entries")
        words = count if len(shown) == len(entries) else f"{len(shown):,} of {count}"
        self.count.setText(f"{words} · {tokens:,} tokens" if entries else "")
        if shown:
            self._stack.setCurrentWidget(self.view)
            self._follow_selection()
        elif entries:
            self._say(f"None of the {count} holds this text.", "Clear the search", self.search.clear)
        else:
            self._say(self._why_nothing())
        self._enable()

    def _why_nothing(self) -> str:
        run, call = self.state.run, self.state.call
        later = run.archive() if run is not None else ()
        if later:
            return f"Nothing is archived up to call {call:,}; the first archiving is at call {later[0].call:,}."
        return "This run archives nothing: no group scored low enough or waited long enough on standby."

    def _found(self, entries: tuple[ArchiveEntry, ...]) -> tuple[ArchiveEntry, ...]:
        """Entries that hold the searched text, as the engine's filter finds it."""
        text, run = self.search.text().strip(), self.state.run
        if not text or run is None:
            return entries
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        found = set(run.query(self.state.call, f'"{quoted}"'))
        return tuple(entry for entry in entries if not found.isdisjoint(entry.messages))

    def _show(self, entries: tuple[ArchiveEntry, ...]) -> None:
        self._updating = True
        self.model.show(entries)
        self._updating = False
        self._enable()

    def _say(self, sentence: str, label: str = "", act: object = None) -> None:
        self._empty.say(sentence, label, act if callable(act) else None)
        self._stack.setCurrentWidget(self._empty)

    def _enable(self) -> None:
        chosen = self._current() is not None
        self.show_button.setEnabled(chosen)
        self.branch_button.setEnabled(chosen)

    def _current(self) -> ArchiveEntry | None:
        index = self.view.currentIndex()
        return self.model.entry(index.row()) if index.isValid() else None

    def _chosen(self, current: QModelIndex) -> None:
        entry = self.model.entry(current.row()) if current.isValid() else None
        if entry is not None and not self._updating and self.state.selected not in entry.messages:
            self.state.select(entry.messages[0])
        self._enable()

    def _follow_selection(self) -> None:
        if not self.isVisible():
            self._stale = True
            return
        message = self.state.selected
        current = self._current()
        if message is None or (current is not None and message in current.messages):
            return
        row = self.model.row_of(message)
        selection = self.view.selectionModel()
        if row is None:
            selection.clear()
        else:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            selection.setCurrentIndex(self.model.index(row, 0), flags)

    def retrieve(self) -> None:
        """Bring the selected entry back to read, in the message pane."""
        entry, run = self._current(), self.state.run
        if entry is None or run is None:
            return
        mode: RetrieveMode = "snippet" if self.mode.currentData() == "snippet" else "exact"
        try:
            brought = run.retrieve(entry.ref, mode=mode, max_tokens=self.cap.value())
        except RavenglassError as error:
            self.state.post("error", f"{error}. Nothing was retrieved.")
            return
        self.state.show_retrieved(brought)

    def retrieve_into_window(self) -> None:
        """From this call on the entry's messages are in the window: a branch."""
        entry = self._current()
        if entry is not None:
            self.state.add_change(HandChange(self.state.call, "retrieve", entry.messages[0]))

    def restyle(self) -> None:
        self.show_button.setIcon(icon("mdi6.eye-outline"))
        self.branch_button.setIcon(icon("retrieved"))
