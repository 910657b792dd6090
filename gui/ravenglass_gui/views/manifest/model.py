"""The manifest as a table: an ordered list of message ids, and rows fetched from the run when they are looked at.

The engine filters and sorts (`Run.query`); this model holds ids only. When the playhead moves and the ids stay
the same, or grow or shrink at the end, rows are changed in place, so that scrolling and selection survive.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.replay.frame import ManifestRow
from ravenglass.replay.run import Run
from ravenglass.safe.visible import visible
from ravenglass_gui.state.planning import Tick

Index = QModelIndex | QPersistentModelIndex
_CACHED_ROWS = 4_096
_ROOT = QModelIndex()


class ManifestColumn(IntEnum):
    """Columns from left to right."""

    ID = 0
    CALL = 1
    ROLE = 2
    TIER = 3
    STATE = 4
    TOKENS = 5
    SCORE = 6
    FLAGS = 7
    TEXT = 8
    TICK = 9
    """What a plan by hand says of the row; shown first, and only while one is filled in."""


class ManifestRole(IntEnum):
    """What a view or delegate can ask for besides Qt's own roles."""

    ROW = Qt.ItemDataRole.UserRole + 1
    """The whole `ManifestRow`."""
    MESSAGE = Qt.ItemDataRole.UserRole + 2
    """The message id."""
    TERM = Qt.ItemDataRole.UserRole + 3
    """The filter term that the cell's value stands for, empty where there is none."""
    TICK = Qt.ItemDataRole.UserRole + 4
    """The `Tick` of the row; None while no plan is filled in."""


HEADERS = ("#", "call", "role", "tier", "state", "tokens", "score", "flags", "address · snippet", "plan")
SORT_KEYS = ("id", "call", "role", "tier", "state", "tokens", "score", "flags", "snippet", "id")
"""Names that `Run.query` sorts by, one a column."""
NUMERIC = frozenset({ManifestColumn.ID, ManifestColumn.CALL, ManifestColumn.TOKENS, ManifestColumn.SCORE})
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

FLAG_WORDS = {
    "protected": "protected: in the opening exchanges, exempt from trimming",
    "pinned": "pinned: may not be archived, the last to go",
    "archived": "archived: evicted, comes back verbatim by its reference",
    "stub": "shrunk: the window holds a stub of it (head, tail, size, address)",
    "updated": "updated: the window holds the file as an edit since left it, not as it was read",
    "expired": "expired: a later message shows newer content",
    "orphan": "orphan: a result whose call is not in the record",
    "unanswered": "unanswered: the record holds no result of its call",
    "error": "error: the tool reported a failure",
}
"""Flags that the table draws, in drawing order, with the words of their tooltip."""


class ManifestModel(QAbstractTableModel):
    """`show` sets what is listed. Ids are unique; a row's message is `message_at(row)`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._call = 0
        self._ids: Sequence[int] = ()
        self._places: dict[int, int] | None = None
        self._rows: OrderedDict[int, ManifestRow] = OrderedDict()
        self._sort, self._descending = ManifestColumn.ID, False
        self._tick: Callable[[int], Tick] | None = None

    def set_ticks(self, tick: Callable[[int], Tick] | None) -> None:
        """Where the ticks of a plan by hand come from; None while there is none. Again after they changed."""
        self._tick = tick
        if self._ids:
            self.dataChanged.emit(
                self.index(0, ManifestColumn.TICK), self.index(len(self._ids) - 1, ManifestColumn.TICK)
            )

    def set_sort(self, column: ManifestColumn, descending: bool) -> None:
        """Which column the ids are ordered by; only said in the header, the engine sorts."""
        self._sort, self._descending = column, descending
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(ManifestColumn) - 1)

    def show(self, run: Run | None, call: int, ids: Sequence[int]) -> None:
        """List `ids` of `run` at `call`, in that order."""
        before, after = self._ids, ids
        common = min(len(before), len(after))
        grows = len(after) > len(before)
        if before[:common] != after[:common]:
            self.beginResetModel()
            self._take(run, call, after)
            self.endResetModel()
            return
        if len(after) < common or len(before) > common:
            self.beginRemoveRows(_ROOT, common, len(before) - 1)
            self._take(run, call, after)
            self.endRemoveRows()
        elif grows:
            self.beginInsertRows(_ROOT, common, len(after) - 1)
            self._take(run, call, after)
            self.endInsertRows()
        else:
            self._take(run, call, after)
        if common:
            self.dataChanged.emit(self.index(0, 0), self.index(common - 1, len(ManifestColumn) - 1))

    def _take(self, run: Run | None, call: int, ids: Sequence[int]) -> None:
        self._run, self._call, self._ids, self._places = run, call, ids, None
        self._rows.clear()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(ManifestColumn)

    def ids(self) -> Sequence[int]:
        """The messages that are listed, from top to bottom."""
        return self._ids

    def message_at(self, row: int) -> int | None:
        return self._ids[row] if 0 <= row < len(self._ids) else None

    def row_of(self, message: int) -> int | None:
        """Where a message is listed, or None."""
        if message < len(self._ids) and self._ids[message] == message:
            return message  # the common case: unfiltered, sorted by id
        if self._places is None:
            self._places = {id_: row for row, id_ in enumerate(self._ids)}
        return self._places.get(message)

    def row_data(self, row: int) -> ManifestRow | None:
        """The manifest row at a table row, from the cache or the run."""
        message = self.message_at(row)
        if message is None or self._run is None:
            return None
        known = self._rows.get(message)
        if known is None:
            known = self._run.row(self._call, message)
            self._rows[message] = known
            if len(self._rows) > _CACHED_ROWS:
                self._rows.popitem(last=False)
        else:
            self._rows.move_to_end(message)
        return known

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.row_data(index.row())
        if row is None:
            return None
        column = ManifestColumn(index.column())
        if column is ManifestColumn.TICK or role == ManifestRole.TICK:
            return self._tick_data(row, role)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return visible(cell_text(row, column))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in NUMERIC else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(row, column)
        if role == ManifestRole.ROW:
            return row
        if role == ManifestRole.MESSAGE:
            return row.id
        if role == ManifestRole.TERM:
            return filter_term(row, column)
        return None

    def _tick_data(self, row: ManifestRow, role: int) -> object:
        """A cell of the column of ticks; of every other column what the plan says of the row."""
        tick = self._tick(row.id) if self._tick is not None else None
        if role == ManifestRole.TICK:
            return tick
        if role in (ManifestRole.ROW, ManifestRole.MESSAGE):
            return row if role == ManifestRole.ROW else row.id
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT
        if tick is None or role == ManifestRole.TERM:
            return "" if role == ManifestRole.TERM else None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return tick.value
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if tick in (Tick.IN, Tick.FIXED) else Qt.CheckState.Unchecked
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(ManifestColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._header(ManifestColumn(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in NUMERIC else _LEFT
        return None

    def _header(self, column: ManifestColumn) -> str:
        """The column's name; an arrow on its inner side where the list is ordered by it."""
        if column is not self._sort:
            return HEADERS[column]
        arrow = "↓" if self._descending else "↑"
        return f"{arrow} {HEADERS[column]}" if column in NUMERIC else f"{HEADERS[column]} {arrow}"


def cell_text(row: ManifestRow, column: ManifestColumn) -> str:
    """A cell in words: what is copied, exported and read out."""
    match column:
        case ManifestColumn.ID:
            return str(row.id)
        case ManifestColumn.CALL:
            return str(row.call)
        case ManifestColumn.ROLE:
            return f"{row.role} {row.tool}".rstrip()
        case ManifestColumn.TIER:
            return row.tier
        case ManifestColumn.STATE:
            return row.state.label
        case ManifestColumn.TOKENS:
            return f"{row.tokens:,}"
        case ManifestColumn.SCORE:
            return f"{row.score:.2f}"
        case ManifestColumn.FLAGS:
            return " ".join(flag for flag in FLAG_WORDS if flag in row.flags)
        case _:
            return f"{row.address}  {row.snippet}"


def tooltip(row: ManifestRow, column: ManifestColumn) -> str | None:
    """Words for what a cell can only hint at; a line each."""
    if column is ManifestColumn.FLAGS:
        return "\n".join(words for flag, words in FLAG_WORDS.items() if flag in row.flags) or None
    if column is ManifestColumn.SCORE:
        return f"relevance {row.relevance:.2f}, recency {row.recency:.2f}, source reliability {row.reliability:.2f}"
    if column is ManifestColumn.STATE:
        place = f"in the window, {row.form.label}" if row.included else "not in the window"
        return f"{row.state.label}, {place}" + (", changed at this call" if row.changed else "")
    if column is ManifestColumn.TEXT:
        return row.address
    return None


def filter_term(row: ManifestRow, column: ManifestColumn) -> str:
    """The filter term that keeps rows with this cell's value; empty where none is exact."""
    match column:
        case ManifestColumn.ROLE:
            return f"role:{row.role}"
        case ManifestColumn.TIER:
            return f"tier:{row.tier}"
        case ManifestColumn.STATE:
            return f"state:{row.state.label}"
        case ManifestColumn.FLAGS:
            flags = [flag for flag in FLAG_WORDS if flag in row.flags]
            return f"flag:{flags[0]}" if flags else ""
        case _:
            return ""
