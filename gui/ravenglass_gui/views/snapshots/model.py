"""Snapshots as a table, oldest first. What one holds is made only for the one that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.vocabulary import Taken
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

_WHY = {
    "task": "a task began",
    "tool_calls": "tool calls done",
    "change": "context changed",
}


class SnapshotColumn(IntEnum):
    """Columns from left to right."""

    STEP = 0
    TASK = 1
    KIND = 2
    WHY = 3


HEADERS = ("call", "task", "kind", "why it was taken")
_NUMERIC = frozenset({SnapshotColumn.STEP, SnapshotColumn.TASK})


class SnapshotModel(RowTable):
    """`show` replaces the snapshots."""

    headers = HEADERS
    numeric = _NUMERIC

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._taken: tuple[Taken, ...] = ()

    def show(self, taken: Sequence[Taken]) -> bool:
        """Whether anything changed."""
        if tuple(taken) == self._taken:
            return False
        self.beginResetModel()
        self._taken = tuple(taken)
        self.endResetModel()
        return True

    def taken(self, row: int) -> Taken | None:
        return self._taken[row] if 0 <= row < len(self._taken) else None

    def row_before(self, call: int) -> int | None:
        """The latest snapshot taken at a call or before it."""
        rows = [row for row, one in enumerate(self._taken) if one.step <= call]
        return max(rows, key=lambda row: self._taken[row].step, default=None)

    def full_of(self, taken: Taken) -> Taken | None:
        """The whole snapshot that a difference refers to."""
        return next((one for one in self._taken if one.kind == "full" and one.step == taken.base), None)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._taken)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        taken = self.taken(index.row()) if index.isValid() else None
        if taken is None:
            return None
        column = SnapshotColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_text(taken, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        return plain_tip(taken.name) if role == Qt.ItemDataRole.ToolTipRole else None


def cell_text(taken: Taken, column: SnapshotColumn) -> str:
    """A cell in words."""
    match column:
        case SnapshotColumn.STEP:
            return f"{taken.step:,}"
        case SnapshotColumn.TASK:
            return f"{taken.task + 1:,}"
        case SnapshotColumn.KIND:
            return taken.kind
        case SnapshotColumn.WHY:
            return _WHY[taken.trigger]
