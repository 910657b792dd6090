"""What was archived up to the call, full-text search over it, and retrieval by hand."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from ravenglass.errors import RavenglassError
from ravenglass.replay.frame import ArchiveEntry
from ravenglass.replay.stepping.changes import HandChange
from ravenglass.replay.vocabulary import RetrieveMode
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.recorded.archive import RecordedArchive
from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.views.archive.model import ArchiveColumn, ArchiveModel, Shown
from ravenglass_gui.views.shared.list_page import ListPage, column_of, facts_label, make_table, select_row
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.widgets.pace import after_rest

_PAUSE_MS = 200
_NAMED = 4
_SEARCH = "Search the archived texts"
_WIDTHS = {
    ArchiveColumn.CALL: 60,
    ArchiveColumn.MESSAGES: 136,
    ArchiveColumn.TOKENS: 76,
    ArchiveColumn.BY: 96,
    ArchiveColumn.BACK: 68,
    ArchiveColumn.REASON: 320,
}


class ArchivePanel(LivePanel):
    """Selecting an entry selects its first message."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "archivePanel", parent)
        self.model = ArchiveModel(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(_SEARCH)
        self.search.setAccessibleName("Search the archived texts")
        self.search.setClearButtonEnabled(True)
        self.scope = QComboBox(self)
        self.scope.addItems(["This run", "Recorded on disk"])
        self.scope.setAccessibleName("Which archive is listed")
        self.scope.setToolTip("This run: what this profile would archive. Recorded: what the session's engine did.")
        self.scope.currentIndexChanged.connect(self.refresh)
        self.count = facts_label(self)
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
        self.view = make_table(self, self.model, "Archived groups", _WIDTHS)
        self.view.setProperty("cells", "plain")
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        self.view.doubleClicked.connect(self.retrieve)
        self._page = ListPage(self.view, self)
        self._empty = self._page.empty
        self._pause = after_rest(self, _PAUSE_MS)
        self._pause.triggered.connect(self.refresh)
        self._updating = False
        self._lay_out()
        self.search.textChanged.connect(self._pause.throttle)
        self.search.returnPressed.connect(self.refresh)
        self.show_button.clicked.connect(self.retrieve)
        self.branch_button.clicked.connect(self.retrieve_into_window)
        state.selection_changed.connect(self._show_selected)
        self.restyle()

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.scope)
        top.addWidget(self.search, 1)
        top.addWidget(self.count)
        for widget in (self.mode, self.cap, self.show_button, self.branch_button):
            bottom.addWidget(widget)
        bottom.addStretch(1)
        layout = column_of(self)
        layout.addLayout(top)
        layout.addWidget(self._page, 1)
        layout.addLayout(bottom)

    @property
    def _recorded(self) -> RecordedArchive | None:
        """The archive on disk, where it is what is listed: by choice, or because there is no run."""
        archive = self.state.archive
        return archive if self.scope.currentIndex() == 1 or self.state.session is None else None

    def refresh(self) -> None:
        self._pause.cancel()
        run, call = self.state.run, self.state.call
        self.scope.setVisible(self.state.archive is not None and self.state.session is not None)
        if (archive := self._recorded) is not None:
            self._show_recorded(archive)
            return
        self.search.setPlaceholderText(_SEARCH)
        if run is None or not call:
            self._show(())
            self.count.setText("")
            self._page.say(self._why_no_call())
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
            self._page.show_list()
            self._show_selected()
        elif entries:
            self._page.say(f"None of the {count} holds this text.", "Clear the search", self.search.clear)
        else:
            self._page.say(self._why_nothing())
        self._enable()

    def _show_recorded(self, archive: RecordedArchive) -> None:
        self.search.setPlaceholderText("Search references and reasons")
        text = self.search.text().strip().casefold()
        shown = [entry for entry in archive.entries if text in f"{entry.ref} {entry.reason}".casefold()]
        self._show(shown)
        count = amount(len(archive.entries), "entry", "entries")
        words = count if len(shown) == len(archive.entries) else f"{len(shown):,} of {count}"
        self.count.setText(f"{words} · recorded")
        if shown:
            self._page.show_list()
            self._show_selected()
        else:
            sentence = f"None of the {count} has this text in its reference or its reason."
            self._page.say(sentence, "Clear the search", self.search.clear)
        self._enable()

    def _why_no_call(self) -> str:
        log = self.state.log
        if log is not None and self.state.session is None:
            made = log.state(self.state.call)
            refs = ", ".join(made.archive_refs[:_NAMED])
            if made.archived:
                said = f"Recorded: {amount(len(made.archived), 'message')} archived at this call"
                return f"{said}: {refs}." if refs else f"{said}."
        return why_empty(self.state, "What is archived at each call appears here", lacks="archivings at this call")

    def _why_nothing(self) -> str:
        run, call = self.state.run, self.state.call
        if is_recorded(run):
            return (
                "The recorded run archives nothing: what its writer took out of the window is only in the record, where"
                " all of it still is. Press R for the simulated run, which archives."
            )
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

    def _show(self, entries: Sequence[Shown]) -> None:
        self._updating = True
        self.model.show(entries)
        self._updating = False
        self._enable()

    def _enable(self) -> None:
        chosen = self._current() is not None
        self.show_button.setEnabled(chosen)
        self.branch_button.setEnabled(chosen and self._recorded is None)

    def _current(self) -> Shown | None:
        index = self.view.currentIndex()
        return self.model.entry(index.row()) if index.isValid() else None

    def _chosen(self, current: QModelIndex) -> None:
        entry = self.model.entry(current.row()) if current.isValid() else None
        if entry is not None and entry.messages and not self._updating and self.state.selected not in entry.messages:
            self.state.select(entry.messages[0])
        self._enable()

    def _show_selected(self) -> None:
        if not self.sees():
            return
        message = self.state.selected
        current = self._current()
        if message is None or (current is not None and message in current.messages):
            return
        select_row(self.view, self.model.row_of(message))

    def retrieve(self) -> None:
        """Bring the selected entry back to read, in the message pane."""
        entry, run, archive = self._current(), self.state.run, self._recorded
        if entry is None:
            return
        mode: RetrieveMode = "snippet" if self.mode.currentData() == "snippet" else "exact"
        try:
            if archive is not None:
                brought = archive.retrieve(entry.ref, mode, self.cap.value())
            elif run is not None:
                brought = run.retrieve(entry.ref, mode=mode, max_tokens=self.cap.value())
            else:
                return
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
