"""Regrets as a table: what a response needed, where it was, since when and why its source was out. Sorted by any
column; the selected regret stays selected."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QModelIndex, QObject, Qt

from ravenglass.replay.figures import UPPER_BOUND, Regret
from ravenglass_gui.text.needs_text import WHERE
from ravenglass_gui.text.numbers import UNKNOWN
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.text.regret_text import regret_words
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable
from ravenglass_gui.widgets.where_mark import where_pixmap


class NeedsColumn(IntEnum):
    """Columns from left to right."""

    CALL = 0
    KIND = 1
    WHAT = 2
    SOURCE = 3
    WHERE = 4
    TOKENS = 5
    LOST = 6
    COST = 7
    BY = 8


HEADERS = ("call", "kind", "needed", "source", "where", "tokens", "lost at", "cost", "why it was out")
TIPS = (
    "The call whose response needed it.",
    "A name that an earlier message introduced, or a result that is fetched again.",
    "The names of one source, or the file, command, pattern or address.",
    "The latest message that introduced it, and how many others did.",
    "Where it was in the window of the call: mentioned (only mentions of it) or gone.",
    "Tokens of the source.",
    "The call whose window first lacked the source.",
    "Price of what was paid again, as new input.",
    "What took the source out of the window.",
)
KINDS = {"name": "name", "fetch_again": "fetch again"}
_NUMERIC = frozenset({NeedsColumn.CALL, NeedsColumn.TOKENS, NeedsColumn.LOST, NeedsColumn.COST})
_DESCENDING = Qt.SortOrder.DescendingOrder


class NeedsModel(RowTable):
    """`show` replaces the regrets; they keep the order that was asked for."""

    headers = HEADERS
    numeric = _NUMERIC
    tips = TIPS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._regrets: tuple[Regret, ...] = ()
        self._column, self._order = NeedsColumn.CALL, Qt.SortOrder.AscendingOrder

    def show(self, regrets: Sequence[Regret]) -> None:
        self.beginResetModel()
        self._regrets = self._sorted(regrets)
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(HEADERS):
            return
        self.layoutAboutToBeChanged.emit()
        self._column, self._order = NeedsColumn(column), order
        kept = self.persistentIndexList()
        held = [self._regrets[index.row()] for index in kept]
        self._regrets = self._sorted(self._regrets)
        places = {id(regret): row for row, regret in enumerate(self._regrets)} if kept else {}
        moved = [self.index(places[id(regret)], index.column()) for index, regret in zip(kept, held, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _sorted(self, regrets: Sequence[Regret]) -> tuple[Regret, ...]:
        return tuple(sorted(regrets, key=self._key, reverse=self._order == _DESCENDING))

    def _key(self, regret: Regret) -> tuple[float | str, int, str]:
        value: float | str
        match self._column:
            case NeedsColumn.SOURCE:
                value = regret.message
            case NeedsColumn.TOKENS:
                value = regret.tokens
            case NeedsColumn.LOST:
                value = regret.lost_at
            case NeedsColumn.COST:
                value = regret.paid.cost if regret.paid is not None else -1.0
            case NeedsColumn.CALL:
                value = regret.call
            case _:
                value = cell_text(regret, self._column).casefold()
        return value, regret.call, regret.what

    def regret(self, row: int) -> Regret | None:
        return self._regrets[row] if 0 <= row < len(self._regrets) else None

    def row_of(self, regret: Regret | None) -> int | None:
        """Where an equal regret stands now."""
        return self._regrets.index(regret) if regret in self._regrets else None

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._regrets)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        regret = self.regret(index.row()) if index.isValid() else None
        if regret is None:
            return None
        column = NeedsColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_text(regret, column)
        if role == Qt.ItemDataRole.DecorationRole and column is NeedsColumn.WHERE:
            return where_pixmap(regret.where)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(told(regret), longest=1_200)
        return None

    def repaint_marks(self) -> None:
        """The palette was switched: marks have other colours."""
        if self._regrets:
            last: QModelIndex = self.index(len(self._regrets) - 1, NeedsColumn.WHERE)
            self.dataChanged.emit(self.index(0, NeedsColumn.WHERE), last, [Qt.ItemDataRole.DecorationRole])


def cell_text(regret: Regret, column: NeedsColumn) -> str:
    """A cell in words."""
    match column:
        case NeedsColumn.CALL:
            return f"{regret.call:,}"
        case NeedsColumn.KIND:
            return KINDS[regret.kind]
        case NeedsColumn.WHAT:
            more = len(regret.names) - 1
            return one_line(regret.what) + (f" +{more:,}" if more > 0 else "")
        case NeedsColumn.SOURCE:
            more = len(regret.sources) - 1
            return f"#{regret.message}" + (f" +{more:,}" if more else "")
        case NeedsColumn.WHERE:
            return WHERE[regret.where]
        case NeedsColumn.TOKENS:
            return f"{regret.tokens:,}"
        case NeedsColumn.LOST:
            return f"{regret.lost_at:,}" if regret.lost_at else UNKNOWN
        case NeedsColumn.COST:
            return "" if regret.paid is None else f"${regret.paid.cost:,.4f}"
        case NeedsColumn.BY:
            return one_line(regret.by)


def told(regret: Regret) -> str:
    """The regret in sentences, with what recall can not tell where it is only at risk."""
    return regret_words(regret) if regret.paid is not None else f"{regret_words(regret)}\n{UPPER_BOUND}"
