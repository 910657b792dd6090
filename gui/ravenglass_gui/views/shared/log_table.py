"""The messages of a logged call as a table: what the log says of each, and a dash for what it does not say."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor

from ravenglass.safe.visible import visible
from ravenglass_gui.state.open_log import LogRow
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

UNSAID = "–"


class LogColumn(IntEnum):
    """Columns from left to right."""

    ID = 0
    ROLE = 1
    TIER = 2
    TOKENS = 3
    RELEVANCE = 4
    WINDOW = 5
    TEXT = 6


HEADERS = ("#", "role", "tier", "tokens", "relevance", "window", "address · snippet")
_NUMERIC = frozenset({LogColumn.ID, LogColumn.TOKENS, LogColumn.RELEVANCE})


class LogTableModel(RowTable):
    """`show` replaces the rows."""

    headers = HEADERS
    numeric = _NUMERIC

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[LogRow] = []

    def show(self, rows: Sequence[LogRow]) -> None:
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def row(self, row: int) -> LogRow | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, message: int) -> int | None:
        return next((n for n, row in enumerate(self._rows) if row.message.id == message), None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row(index.row()) if index.isValid() else None
        if row is None:
            return None
        column = LogColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return visible(cell_text(row, column))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and row.included is not True:
            return QColor(colours().dim)
        if role == Qt.ItemDataRole.ToolTipRole:
            unsaid = cell_text(row, column) == UNSAID
            return "The log does not say." if unsaid else plain_tip(row.message.snippet or "")
        return None


def cell_text(row: LogRow, column: LogColumn) -> str:
    """A cell in words."""
    said = row.message
    match column:
        case LogColumn.ID:
            return str(said.id)
        case LogColumn.ROLE:
            return said.role or UNSAID
        case LogColumn.TIER:
            return said.tier or UNSAID
        case LogColumn.TOKENS:
            return UNSAID if said.tokens is None else f"{said.tokens:,}"
        case LogColumn.RELEVANCE:
            return UNSAID if said.relevance is None else f"{said.relevance:.2f}"
        case LogColumn.WINDOW:
            place = UNSAID if row.included is None else "in" if row.included else "out"
            return f"{place}, archived" if row.archived else place
        case _:
            return one_line("  ".join(part for part in (said.address, said.snippet) if part)) or UNSAID
