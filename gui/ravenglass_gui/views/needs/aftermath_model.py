"""What each recorded compaction or clearing took, and what came of it, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.figures import Aftermath
from ravenglass_gui.text.numbers import UNKNOWN, amount
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable

HEADERS = (
    "before call", "what", "messages", "tokens", "results verbatim", "mentioned", "gone", "fetched again",
    "tokens again", "time", "cost", "to next edit", "median before",
)  # fmt: skip
_WORDS = 1
"""The column that holds words."""


class AftermathModel(RowTable):
    """One row for each, in the order of the record."""

    headers = HEADERS
    numeric = frozenset(range(len(HEADERS))) - {_WORDS}

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Aftermath, ...] = ()

    def show(self, rows: Sequence[Aftermath]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def made(self, row: int) -> Aftermath | None:
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        made = self.made(index.row()) if index.isValid() else None
        if made is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return cells(made)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            within = f"Fetched again is counted within the next {amount(made.within, 'call')}."
            return plain_tip(f"{made.note}\n{within}" if made.note else within)
        return None


def cells(made: Aftermath) -> tuple[str, ...]:
    """The cells of a row in words."""
    again, results = made.fetched_again, made.results
    return (
        f"{made.call:,}", made.kind, f"{made.messages:,}", f"{made.tokens:,}", f"{results.verbatim:,}",
        f"{results.mentioned:,}", f"{results.gone:,}", f"{again.count:,}", f"{again.tokens:,}",
        UNKNOWN if again.seconds is None else f"{again.seconds:,.1f} s", f"${again.cost:,.4f}",
        "no edit" if made.to_next_edit is None else amount(made.to_next_edit, "call"),
        UNKNOWN if made.median_before is None else f"{made.median_before:g} calls",
    )  # fmt: skip
