"""Any JSON value as a tree of two columns, built only where it is opened.

Long strings are cut in the view; `PayloadRole.FULL` gives them whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.safe.visible import visible

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_CUT = 160


class PayloadRole(IntEnum):
    """Beside Qt's roles."""

    FULL = Qt.ItemDataRole.UserRole + 1
    """The value as text, uncut: strings as they are, the rest as JSON text."""
    PATH = Qt.ItemDataRole.UserRole + 2
    """Where the value stands, as `plan.include[3]`."""


@dataclass(eq=False, slots=True)
class _Node:
    key: str
    value: object
    parent: _Node | None
    row: int
    made: dict[int, _Node] = field(default_factory=dict)
    """Children that someone has asked for, by row."""
    names: tuple[str, ...] | None = None

    def size(self) -> int:
        return len(self.value) if _is_container(self.value) else 0  # type: ignore[arg-type]

    def child(self, row: int) -> _Node:
        """The child at a row, made when first asked for."""
        known = self.made.get(row)
        if known is None:
            key, value = self._pair(row)
            known = self.made[row] = _Node(key, value, self, row)
        return known

    def _pair(self, row: int) -> tuple[str, object]:
        if isinstance(self.value, Mapping):
            if self.names is None:
                self.names = tuple(self.value)
            return str(self.names[row]), self.value[self.names[row]]
        assert isinstance(self.value, Sequence)
        return str(row), self.value[row]


def _is_container(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str | bytes))


class PayloadTreeModel(QAbstractItemModel):
    """`show(value)` replaces the tree. The value must not change while it is shown."""

    def __init__(self, parent: QObject | None = None, headers: tuple[str, str] = ("key", "value")) -> None:
        super().__init__(parent)
        self._headers = headers
        self._root = _Node("", {}, None, 0)

    def show(self, value: object) -> None:
        self.beginResetModel()
        self._root = _Node("", value if _is_container(value) else {"value": value}, None, 0)
        self.endResetModel()

    def _node(self, index: Index) -> _Node:
        node = index.internalPointer() if index.isValid() else None
        return node if isinstance(node, _Node) else self._root

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        node = self._node(parent)
        if parent.isValid() and parent.column() != 0:
            return QModelIndex()
        if 0 <= row < node.size() and column in (0, 1):
            return self.createIndex(row, column, node.child(row))
        return QModelIndex()

    def parent(self, index: Index = _ROOT) -> QModelIndex:  # type: ignore[override]
        above = self._node(index).parent if index.isValid() else None
        if above is None or above is self._root:
            return QModelIndex()
        return self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() and parent.column() != 0 else self._node(parent).size()

    def columnCount(self, _parent: Index = _ROOT) -> int:
        return 2

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        return not (parent.isValid() and parent.column() != 0) and self._node(parent).size() > 0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return visible(node.key if index.column() == 0 else short(node.value))
        if role == PayloadRole.FULL:
            return full(node.value)
        if role == PayloadRole.PATH:
            return self._path(node)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole and section in (0, 1):
            return self._headers[section]
        return None

    def _path(self, node: _Node) -> str:
        steps: list[str] = []
        walk: _Node | None = node
        while walk is not None and walk.parent is not None:
            in_list = not isinstance(walk.parent.value, Mapping)
            steps.append(f"[{walk.key}]" if in_list else f".{walk.key}")
            walk = walk.parent
        return "".join(reversed(steps)).lstrip(".")


def short(value: object) -> str:
    """One line for a value: strings cut, containers by their size."""
    if isinstance(value, Mapping):
        return "empty object" if not value else f"{len(value):,} key{'s' * (len(value) != 1)}"
    if _is_container(value):
        size = len(value)  # type: ignore[arg-type]
        return "empty list" if not size else f"{size:,} item{'s' * (size != 1)}"
    if isinstance(value, str):
        line = value[:_CUT].replace("\n", " ⏎ ")
        return line if len(value) <= _CUT else f"{line}… ({len(value):,} characters)"
    return _scalar(value)


def full(value: object) -> str:
    """The value whole: a string as it is, everything else as indented JSON text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2, default=str) if _is_container(value) else _scalar(value)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
