"""Entries of a registry as a table. Whether an entry is alive, and why, is asked only for rows that are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.living import Alive, Living
from ravenglass.replay.vocabulary import FIELDS, RegistryEntry, shown
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

_HASHES = ("fingerprint", "parameters")
_DIGITS = 12
"""Of a hash, where there is no room for all of them; the tooltip has them."""


class RegistryColumn(IntEnum):
    """Columns from left to right."""

    MESSAGE = 0
    ADDRESS = 1
    TIER = 2
    STATE = 3
    TASK = 4
    SCHEDULED = 5
    RESULT = 6
    TOKENS = 7
    ALIVE = 8


HEADERS = ("#", "address", "tier", "state", "task", "last call", "result", "tokens", "alive, and why")
_NUMERIC = frozenset({RegistryColumn.MESSAGE, RegistryColumn.TASK, RegistryColumn.SCHEDULED, RegistryColumn.TOKENS})


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
        return "" if alive is None else f"{'yes' if alive.alive else 'no'}: {one_line(alive.why)}"

    def _tip(self, row: int, entry: RegistryEntry) -> str:
        alive = self.alive(row)
        why = "" if alive is None else f"\n{alive.why}."
        return f"{all_fields(entry)}{why}"


def cell_text(entry: RegistryEntry, column: RegistryColumn) -> str:
    """A cell in words, of the columns that the entry itself answers."""
    match column:
        case RegistryColumn.MESSAGE:
            return f"#{entry.message}"
        case RegistryColumn.ADDRESS:
            return one_line(entry.context_id).removeprefix("cxt://")
        case RegistryColumn.TIER:
            return entry.tier
        case RegistryColumn.STATE:
            return entry.state.label
        case RegistryColumn.TASK:
            return f"{entry.task:,}"
        case RegistryColumn.SCHEDULED:
            return "none" if entry.scheduled is None else f"{entry.scheduled:,}"
        case RegistryColumn.RESULT:
            return entry.result or ""
        case RegistryColumn.TOKENS:
            return f"{entry.tokens:,}"
    return ""


def all_fields(entry: RegistryEntry, *, short: bool = False) -> str:
    """Every field that an entry has, a line each; those that it cannot have are left out. `short`: hashes by their
    first digits."""
    said = []
    for name in FIELDS:
        value = one_line(shown(entry, name))
        if short and name in _HASHES:
            value = value[:_DIGITS]
        if value:
            said.append(f"{name.replace('_', ' ')} {value}")
    return "\n".join(said)
