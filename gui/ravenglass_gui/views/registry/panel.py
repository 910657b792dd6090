"""The registry at the call: every item with its address, what is alive and why, and what an address stands for."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QPushButton, QWidget

from ravenglass.errors import RavenglassError
from ravenglass.replay.answers.resolving import Resolved
from ravenglass.replay.living import Living
from ravenglass.replay.run import Run
from ravenglass.replay.vocabulary import RegistryEntry, select
from ravenglass.safe.visible import visible
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.registry.model import RegistryColumn, RegistryModel, all_fields
from ravenglass_gui.views.shared.list_page import ListPage, column_of, facts_label, make_table, select_row
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.shared.text_page import TextPage
from ravenglass_gui.widgets.pace import after_rest

_PAUSE_MS = 150
_FRAME_S = 0.016
"""Where the registry takes longer than a frame, scrubbing passes it by: it is shown once the playhead rests."""
_WIDTHS = {
    RegistryColumn.MESSAGE: 54,
    RegistryColumn.TIER: 72,
    RegistryColumn.STATE: 80,
    RegistryColumn.TASK: 48,
    RegistryColumn.SCHEDULED: 70,
    RegistryColumn.RESULT: 56,
    RegistryColumn.TOKENS: 66,
}
_ELASTIC = (RegistryColumn.ADDRESS, RegistryColumn.ALIVE)
"""Columns that share what is left, so that nothing scrolls sideways."""


class RegistryPanel(LivePanel):
    """Selecting an entry selects its message; the address field resolves any address at the call."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "registryPanel", parent)
        self.model = RegistryModel(self)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter, for example  tier:task state:standby auth.py")
        self.filter.setToolTip("Entries that have every word; field:value looks in one field (id, ttl, scope, …).")
        self.filter.setAccessibleName("Filter of the registry")
        self.filter.setClearButtonEnabled(True)
        self.count = facts_label(self)
        self.address = QLineEdit(self)
        self.address.setPlaceholderText("cxt://… to resolve at this call")
        self.address.setAccessibleName("Address to resolve")
        self.address.setClearButtonEnabled(True)
        self.resolve_button = QPushButton("Resolve", self)
        self.resolve_button.setToolTip("Shows what the address stands for at this call, and selects its message.")
        self.answer = QLabel(self)
        self.answer.setTextFormat(self.count.textFormat())
        self.answer.setWordWrap(True)
        self.text = TextPage("What the address stands for", self)
        self.view = make_table(self, self.model, "Registry entries", _WIDTHS)
        self.view.setProperty("cells", "plain")
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # addresses begin alike, and differ at their ends
        header = self.view.horizontalHeader()
        header.setStretchLastSection(False)
        for column in _ELASTIC:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.details = facts_label(self)
        self.details.setWordWrap(True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details.setAccessibleName("Every field of the entry")
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        self._page = ListPage(self.view, self)
        self._empty = self._page.empty
        self._pause = after_rest(self, _PAUSE_MS)
        self._pause.triggered.connect(self.read)
        self._took = 0.0
        self._read_of: Run | None = None
        self._updating = False
        self._lay_out()
        self.forget_answer()
        self.filter.textChanged.connect(self._pause.throttle)
        self.filter.returnPressed.connect(self.read)
        self.address.returnPressed.connect(self.resolve)
        self.address.textChanged.connect(self.forget_answer)
        self.resolve_button.clicked.connect(self.resolve)
        state.selection_changed.connect(self._show_selected)

    def _lay_out(self) -> None:
        top, middle = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.filter, 1)
        top.addWidget(self.count)
        middle.addWidget(self.address, 1)
        middle.addWidget(self.resolve_button)
        layout = column_of(self)
        layout.addLayout(top)
        layout.addWidget(self._page, 2)
        layout.addWidget(self.details)
        layout.addLayout(middle)
        layout.addWidget(self.answer)
        layout.addWidget(self.text, 1)

    def refresh(self) -> None:
        if self._took > _FRAME_S and self.state.run is self._read_of and self.state.call:
            self._pause.throttle()
        else:
            self.read()

    def read(self) -> None:
        """Show the registry of the call now."""
        self._pause.cancel()
        begun = time.perf_counter()
        self._read()
        self._took, self._read_of = time.perf_counter() - begun, self.state.run

    def _read(self) -> None:
        run, call = self.state.run, self.state.call
        self.forget_answer()
        self.resolve_button.setEnabled(run is not None and call > 0)
        if run is None or not call:
            self._show((), None)
            self.count.setText("")
            there = "Every context item that is known at a call appears here"
            self._page.say(why_empty(self.state, there, lacks="registry of this call"))
            return
        known = run.registry(call)
        try:
            found = select(known, self.filter.text())
        except RavenglassError as error:
            self._show((), None)
            self.count.setText("")
            self._page.say(str(error), "Clear the filter", self.filter.clear)
            return
        self._show(found, Living(run, call))
        count = amount(len(known), "entry", "entries")
        self.count.setText(count if len(found) == len(known) else f"{len(found):,} of {count}")
        if found:
            self._page.show_list()
            self._show_selected()
        else:
            self._page.say(f"None of the {count} has all these words.", "Clear the filter", self.filter.clear)

    def _show(self, entries: Sequence[RegistryEntry], living: Living | None) -> None:
        self._updating = True
        self.model.show(entries, living)
        self.details.hide()
        self._updating = False

    def _chosen(self, current: QModelIndex) -> None:
        entry = self.model.entry(current.row()) if current.isValid() else None
        alive = self.model.alive(current.row()) if entry is not None else None
        why = "" if alive is None else f" · {'alive' if alive.alive else 'not alive'}: {alive.why}"
        self.details.setText("" if entry is None else visible(all_fields(entry, short=True).replace("\n", " · ") + why))
        self.details.setVisible(entry is not None)
        if entry is not None and not self._updating:
            self.state.select(entry.message)

    def _show_selected(self) -> None:
        message = self.state.selected
        if not self.sees() or message is None:
            return
        index = self.view.currentIndex()
        current = self.model.entry(index.row()) if index.isValid() else None
        if current is None or current.message != message:
            self._updating = True
            select_row(self.view, self.model.row_of(message))
            self._updating = False

    # -- addresses -------------------------------------------------------------------------------------------

    def resolve(self) -> None:
        """Show what the address in the field stands for at the call; a sentence says where it stands for nothing."""
        run, call = self.state.run, self.state.call
        address = self.address.text().strip()
        if run is None or not call or not address:
            return
        try:
            found = run.resolve(address, call)
        except RavenglassError as error:
            self._say(str(error), bad=True)
            return
        self.state.select(found.message)
        self._say(facts(found))
        self.text.set_text(found.text, "")
        self.text.show()

    def forget_answer(self) -> None:
        """What an address stood for is of one call; another one asks again."""
        self.answer.hide()
        self.text.hide()

    def _say(self, sentence: str, *, bad: bool = False) -> None:
        self.answer.setProperty("role", "bad" if bad else "facts")
        self.answer.style().unpolish(self.answer)
        self.answer.style().polish(self.answer)
        self.answer.setText(visible(sentence))
        self.answer.show()
        self.text.hide()


def facts(found: Resolved) -> str:
    """What an address stands for, its text aside."""
    said = [f"#{found.message}", f"{found.state.label} at call {found.call:,}", f"sha256 {found.fingerprint[:16]}…"]
    if found.lines is not None:
        said.append(f"lines {found.lines[0]:,} to {found.lines[1]:,}")
    return " · ".join((*said, *(part for part in (found.part, found.changed) if part)))
