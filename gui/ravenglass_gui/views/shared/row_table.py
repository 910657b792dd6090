"""Base of tables whose columns have fixed names, numbers to the right and everything else to the left."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RowTable(QAbstractTableModel):
    """Subclasses give `headers` and `numeric`, and answer for the rows."""

    headers: ClassVar[tuple[str, ...]] = ()
    numeric: ClassVar[frozenset[int]] = frozenset()
    tips: ClassVar[tuple[str, ...]] = ()
    """What each column is, for the tooltips of the headers."""

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.headers)

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Where a column's cells and its header stand."""
        side = Qt.AlignmentFlag.AlignRight if column in self.numeric else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.headers):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headers[section]
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self.tips):
            return self.tips[section]
        return self.alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None
