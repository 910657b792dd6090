"""Archivings as a table, oldest first: what went when, by whom, why, its tokens and its reference."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.frame import ArchiveEntry
from ravenglass_gui.state.recorded.archive import RecordedEntry
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.views.shared.log_table import UNSAID
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

Shown = ArchiveEntry | RecordedEntry
"""An archiving of the run, or one that is on disk."""


class ArchiveColumn(IntEnum):
    """Columns from left to right."""

    CALL = 0
    MESSAGES = 1
    TOKENS = 2
    BY = 3
    BACK = 4
    REASON = 5
    REF = 6


HEADERS = ("call", "messages", "tokens", "by", "back at", "why", "reference")
_NUMERIC = frozenset({ArchiveColumn.CALL, ArchiveColumn.TOKENS, ArchiveColumn.BACK})


class ArchiveModel(RowTable):
    """`show` replaces the entries; those that only grew at the end keep their rows."""

    headers = HEADERS
    numeric = _NUMERIC

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[Shown, ...] = ()

    def show(self, entries: Sequence[Shown]) -> None:
        before, after = self._entries, tuple(entries)
        common = min(len(before), len(after))
        if before[:common] != after[:common]:
            self.beginResetModel()
            self._entries = after
            self.endResetModel()
        elif len(after) > common:
            self.beginInsertRows(ROOT, common, len(after) - 1)
            self._entries = after
            self.endInsertRows()
        elif len(before) > common:
            self.beginRemoveRows(ROOT, common, len(before) - 1)
            self._entries = after
            self.endRemoveRows()

    def entry(self, row: int) -> Shown | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, message: int) -> int | None:
        """The latest entry that holds a message."""
        for row in range(len(self._entries) - 1, -1, -1):
            if message in self._entries[row].messages:
                return row
        return None

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        column = ArchiveColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_text(entry, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column in (ArchiveColumn.REASON, ArchiveColumn.REF):
            return plain_tip(entry.reason if column is ArchiveColumn.REASON else entry.ref)
        return None


def cell_text(entry: Shown, column: ArchiveColumn) -> str:
    """A cell in words."""
    match column:
        case ArchiveColumn.CALL:
            return UNSAID if entry.call is None else f"{entry.call:,}"
        case ArchiveColumn.MESSAGES:
            return " ".join(f"#{m}" for m in entry.messages) if len(entry.messages) < 4 else _span(entry)
        case ArchiveColumn.TOKENS:
            return UNSAID if entry.tokens is None else f"{entry.tokens:,}"
        case ArchiveColumn.BY:
            return entry.by
        case ArchiveColumn.BACK:
            return "" if entry.retrieved_at is None else f"{entry.retrieved_at:,}"
        case ArchiveColumn.REASON:
            return one_line(entry.reason)
        case ArchiveColumn.REF:
            return entry.ref


def _span(entry: Shown) -> str:
    return f"#{entry.messages[0]} … #{entry.messages[-1]} ({len(entry.messages)})"
