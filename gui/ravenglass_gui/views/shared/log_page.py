"""The messages of a logged call, where a trace log is open by itself. Selecting one selects it everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.open_log import LogRow
from ravenglass_gui.views.shared.list_page import facts_label, make_table, select_row
from ravenglass_gui.views.shared.log_table import LogColumn, LogTableModel

_WIDTHS = {
    LogColumn.ID: 56,
    LogColumn.ROLE: 92,
    LogColumn.TIER: 80,
    LogColumn.TOKENS: 72,
    LogColumn.RELEVANCE: 84,
    LogColumn.WINDOW: 104,
}


class LogPage(QWidget):
    """Says in a line above the table that it is recorded, and what the log holds."""

    def __init__(self, state: DebuggerState, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.model = LogTableModel(self)
        self.view = make_table(self, self.model, name, _WIDTHS)
        self.view.setProperty("cells", "plain")
        self.facts = facts_label(self)
        self.facts.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.facts)
        layout.addWidget(self.view, 1)
        self._updating = False
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        state.selection_changed.connect(self._show_selected)

    def show_rows(self, rows: Sequence[LogRow], facts: str) -> None:
        self._updating = True
        self.model.show(rows)
        self._updating = False
        self.facts.setText(facts)
        self._show_selected()

    def _chosen(self, current: QModelIndex) -> None:
        row = self.model.row(current.row()) if current.isValid() and not self._updating else None
        if row is not None:
            self._state.select(row.message.id)

    def _show_selected(self) -> None:
        message = self._state.selected
        row = self.model.row_of(message) if message is not None else None
        if self.view.currentIndex().row() != row or not self.view.selectionModel().hasSelection():
            select_row(self.view, row)
