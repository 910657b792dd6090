"""Trace events as a list: in the order they fell, filtered by kind and text, growing while a curator is stepped."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.safe.visible import visible
from ravenglass.trace import TraceEvent
from ravenglass_gui.text.event_text import kind, search_text, summary
from ravenglass_gui.text.plain import plain_tip

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class EventRole(IntEnum):
    """Beside Qt's roles."""

    EVENT = Qt.ItemDataRole.UserRole + 1


class TraceModel(QAbstractListModel):
    """`show` replaces the events, `filter_by` chooses which of them are listed. New ones at the end are appended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[TraceEvent, ...] = ()
        self._listed: list[TraceEvent] = []
        self._hidden_kinds: frozenset[str] = frozenset()
        self._text = ""

    def show(self, events: Sequence[TraceEvent]) -> None:
        self._all = tuple(events)
        self._list()

    def filter_by(self, hidden_kinds: frozenset[str], text: str) -> None:
        """Leave out these kinds, and events that do not hold `text` (letter case ignored)."""
        self._hidden_kinds, self._text = hidden_kinds, text.strip().lower()
        self._list()

    def _list(self) -> None:
        text = self._text
        listed = [e for e in self._all if e.event not in self._hidden_kinds and (not text or text in search_text(e))]
        have = len(self._listed)
        if have and len(listed) >= have and listed[:have] == self._listed:
            if len(listed) > have:
                self.beginInsertRows(_ROOT, have, len(listed) - 1)
                self._listed = listed
                self.endInsertRows()
            return
        self.beginResetModel()
        self._listed = listed
        self.endResetModel()

    @property
    def total(self) -> int:
        """Events before filtering."""
        return len(self._all)

    def kinds(self) -> dict[str, int]:
        """How many events of each kind there are, before filtering, in order of first appearance."""
        counts: dict[str, int] = {}
        for event in self._all:
            counts[event.event] = counts.get(event.event, 0) + 1
        return counts

    def first_of(self, call: int) -> int | None:
        """The first row with an event of a call."""
        return next((row for row, event in enumerate(self._listed) if event.call == call), None)

    def event_at(self, row: int) -> TraceEvent | None:
        return self._listed[row] if 0 <= row < len(self._listed) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._listed)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        event = self.event_at(index.row()) if index.isValid() else None
        if event is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return visible(f"{kind(event).title}: {summary(event)}")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{event.event}, call {event.call:,}\n{summary(event)}")
        if role == EventRole.EVENT:
            return event
        return None
