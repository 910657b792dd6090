"""Archivings as a table, oldest first: what went when, by whom, why, its tokens and its reference."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.replay.frame import ArchiveEntry
from ravenglass_gui.models.plain import one_line, plain_tip

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """Columns from left to right."""

    CALL = 0
    MESSAGES = 1
    TOKENS = 2
    BY = 3
    BACK = 4
    REASON = 5
    REF = 6


HEADERS = ("call", "messages", "tokens", "by", "back at", "why", "reference")
_NUMERIC = frozenset({Column.CALL, Column.TOKENS, Column.BACK})


class ArchiveModel(QAbstractTableModel):
    """`show` replaces the entries; those that only grew at the end keep their rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[ArchiveEntry, ...] = ()

    def show(self, entries: Sequence[ArchiveEntry]) -> None:
        before, after = self._entries, tuple(entries)
        common = min(len(before), len(after))
        if before[:common] != after[:common]:
            self.beginResetModel()
            self._entries = after
            self.endResetModel()
        elif len(after) > common:
            self.beginInsertRows(_ROOT, common, len(after) - 1)
            self._entries = after
            self.endInsertRows()
        elif len(before) > common:
            self.beginRemoveRows(_ROOT, common, len(before) - 1)
            self._entries = after
            self.endRemoveRows()

    def entry(self, row: int) -> ArchiveEntry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, message: int) -> int | None:
        """The latest entry that holds a message."""
        for row in range(len(self._entries) - 1, -1, -1):
            if message in self._entries[row].messages:
                return row
        return None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        column = Column(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_text(entry, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column in (Column.REASON, Column.REF):
            return plain_tip(entry.reason if column is Column.REASON else entry.ref)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(Column(section))
        return None


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMERIC else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def cell_text(entry: ArchiveEntry, column: Column) -> str:
    """A cell in words."""
    match column:
        case Column.CALL:
            return f"{entry.call:,}"
        case Column.MESSAGES:
            return " ".join(f"#{m}" for m in entry.messages) if len(entry.messages) < 4 else _span(entry)
        case Column.TOKENS:
            return f"{entry.tokens:,}"
        case Column.BY:
            return entry.by
        case Column.BACK:
            return "" if entry.retrieved_at is None else f"{entry.retrieved_at:,}"
        case Column.REASON:
            return one_line(entry.reason)
        case Column.REF:
            return entry.ref


def _span(entry: ArchiveEntry) -> str:
    return f"#{entry.messages[0]} … #{entry.messages[-1]} ({len(entry.messages)})"
