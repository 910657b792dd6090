"""Entries of a registry as a table. Whether an entry is alive, and why, is asked only for rows that are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.living import Alive, Living
from ravenglass.replay.vocabulary import RegistryEntry
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

_DIGITS = 8
"""Digits of a fingerprint in a cell; the tooltip has all of them."""


class RegistryColumn(IntEnum):
    """Columns from left to right."""

    MESSAGE = 0
    ADDRESS = 1
    TIER = 2
    STATE = 3
    TTL = 4
    PRIORITY = 5
    TOKENS = 6
    FINGERPRINT = 7
    ALIVE = 8


HEADERS = ("message", "address", "tier", "state", "ttl", "priority", "tokens", "fingerprint", "alive, and why")
_NUMERIC = frozenset({RegistryColumn.MESSAGE, RegistryColumn.PRIORITY, RegistryColumn.TOKENS})


class RegistryModel(RowTable):
    """`show` replaces the entries."""

    headers = HEADERS
    numeric = _NUMERIC

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[RegistryEntry, ...] = ()
        self._living: Living | None = None
        self._known: dict[int, Alive] = {}

    def show(self, entries: Sequence[RegistryEntry], living: Living | None) -> None:
        """`living` answers for these entries at their call."""
        self.beginResetModel()
        self._entries, self._living, self._known = tuple(entries), living, {}
        self.endResetModel()

    def entry(self, row: int) -> RegistryEntry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, message: int) -> int | None:
        """The entry of a message; of what comes from it, where it has none itself."""
        found = [row for row, entry in enumerate(self._entries) if entry.message == message]
        return next((row for row in found if self._entries[row].group is not None), found[0] if found else None)

    def alive(self, row: int) -> Alive | None:
        """Whether the entry of a row is alive, and why."""
        entry = self.entry(row)
        if entry is None or self._living is None:
            return None
        if row not in self._known:
            self._known[row] = self._living.of(entry)
        return self._known[row]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        column = RegistryColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(index.row(), entry, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tip(index.row(), entry))
        return None

    def _text(self, row: int, entry: RegistryEntry, column: RegistryColumn) -> str:
        if column is not RegistryColumn.ALIVE:
            return cell_text(entry, column)
        alive = self.alive(row)
        return "" if alive is None else f"{'alive' if alive.alive else 'not alive'}: {one_line(alive.why)}"

    def _tip(self, row: int, entry: RegistryEntry) -> str:
        alive = self.alive(row)
        why = "" if alive is None else f"\n{alive.why}."
        group = "it is no message" if entry.group is None else f"group {entry.group:,}"
        return (
            f"{entry.context_id}\nnamespace {entry.namespace}, scope {entry.scope}, source {entry.source},"
            f" schema {entry.schema}, {group}\nsha256 {entry.fingerprint}{why}"
        )


def cell_text(entry: RegistryEntry, column: RegistryColumn) -> str:
    """A cell in words, of the columns that the entry itself answers."""
    match column:
        case RegistryColumn.MESSAGE:
            return f"#{entry.message}"
        case RegistryColumn.ADDRESS:
            return one_line(entry.context_id)
        case RegistryColumn.TIER:
            return entry.tier
        case RegistryColumn.STATE:
            return entry.state.label
        case RegistryColumn.TTL:
            return f"{entry.ttl:,} s" if isinstance(entry.ttl, int) else entry.ttl.replace("_", " ")
        case RegistryColumn.PRIORITY:
            return f"{entry.priority:.2f}"
        case RegistryColumn.TOKENS:
            return f"{entry.tokens:,}"
        case RegistryColumn.FINGERPRINT:
            return entry.fingerprint[:_DIGITS]
    return ""
