"""Regrets as a table: what a response needed, where it was, since when and why its source was out. Sorted by any
column."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.figures import UPPER_BOUND, Regret
from ravenglass_gui.text.numbers import UNKNOWN
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable


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
KINDS = {"name": "name", "fetch_again": "fetch again"}
_NUMERIC = frozenset({NeedsColumn.CALL, NeedsColumn.TOKENS, NeedsColumn.LOST, NeedsColumn.COST})
_DESCENDING = Qt.SortOrder.DescendingOrder


class NeedsModel(RowTable):
    """`show` replaces the regrets; they keep the order that was asked for."""

    headers = HEADERS
    numeric = _NUMERIC

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
        self._column, self._order = NeedsColumn(column), order
        self.show(self._regrets)

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

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._regrets)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        regret = self.regret(index.row()) if index.isValid() else None
        if regret is None:
            return None
        column = NeedsColumn(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_text(regret, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(told(regret))
        return None


def cell_text(regret: Regret, column: NeedsColumn) -> str:
    """A cell in words."""
    match column:
        case NeedsColumn.CALL:
            return f"{regret.call:,}"
        case NeedsColumn.KIND:
            return KINDS[regret.kind]
        case NeedsColumn.WHAT:
            return one_line(regret.what)
        case NeedsColumn.SOURCE:
            more = len(regret.sources) - 1
            return f"#{regret.message}" + (f" and {more:,} more" if more else "")
        case NeedsColumn.WHERE:
            return regret.where.replace("_", " ")
        case NeedsColumn.TOKENS:
            return f"{regret.tokens:,}"
        case NeedsColumn.LOST:
            return f"{regret.lost_at:,}" if regret.lost_at else UNKNOWN
        case NeedsColumn.COST:
            return "" if regret.paid is None else f"${regret.paid.cost:,.4f}"
        case NeedsColumn.BY:
            return one_line(regret.by)


def told(regret: Regret) -> str:
    """The regret in sentences."""
    lost = "When it left is not known."
    if regret.lost_at:
        lost = f"It left the window at call {regret.lost_at:,}: {regret.by}."
    sources = ", ".join(f"#{message}" for message in regret.sources)
    if regret.paid is None:
        said = (
            f"The response #{regret.response} of call {regret.call:,} needed {regret.what}, which {sources} held in"
            f" full in"
            f" the recorded window; in this one it is {regret.where}, so it is at risk."
        )
        return f"{said} {lost}\n{UPPER_BOUND}"
    paid = regret.paid
    took = "" if paid.seconds is None else f", {paid.seconds:,.1f} s"
    said = (
        f"The response #{regret.response} of call {regret.call:,} fetched {regret.what} again,"
        f" which {sources} had shown."
    )
    return f"{said} {lost} Paid again: {paid.tokens:,} tokens{took}, ${paid.cost:,.4f}."
