"""What each recorded compaction or clearing took, and what came of it, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt

from ravenglass.replay.figures import Aftermath
from ravenglass_gui.text.numbers import UNKNOWN
from ravenglass_gui.text.plain import one_line, plain_tip
from ravenglass_gui.text.regret_text import aftermath_words
from ravenglass_gui.views.shared.row_table import ROOT, Index, RowTable
from ravenglass_gui.widgets.where_mark import where_pixmap

HEADERS = (
    "call", "what", "tokens", "verbatim", "mentioned", "gone", "again", "cost", "next edit", "before",
)  # fmt: skip
TIPS = (
    "The first call that was made after it.",
    "What the writer did to its window, as the record says it.",
    "Tokens of the messages that stood in the window before in full, and after it not.",
    "Results that still held and stayed in the window in full.",
    "Results that still held, and of which only mentions were left.",
    "Results that still held, and which nothing named any more.",
    "Fetches of what it took within the next calls (the tooltip of a row says how many).",
    "Tokens of those fetches at the price of new input.",
    "Calls from it up to the next edit, that one included.",
    "Calls between two edits before it, at the median; unknown with fewer than two edits.",
)
COST = 7
WORDS = 1
"""The column that holds words, and takes the room that is left."""
_MARKS = {3: "verbatim", 4: "mentioned", 5: "gone"}


class AftermathModel(RowTable):
    """One row for each, in the order of the record."""

    headers = HEADERS
    numeric = frozenset(range(len(HEADERS))) - {WORDS}
    tips = TIPS

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
        if role == Qt.ItemDataRole.DecorationRole and index.column() in _MARKS:
            return where_pixmap(_MARKS[index.column()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(aftermath_words(made), longest=1_200)
        return None

    def repaint_marks(self) -> None:
        """The palette was switched: marks have other colours."""
        if self._rows:
            last = self.index(len(self._rows) - 1, max(_MARKS))
            self.dataChanged.emit(self.index(0, min(_MARKS)), last, [Qt.ItemDataRole.DecorationRole])


def cells(made: Aftermath) -> tuple[str, ...]:
    """The cells of a row in words."""
    again, results = made.fetched_again, made.results
    return (
        f"{made.call:,}", one_line(f"{made.kind}: {made.note}" if made.note else made.kind),
        f"{made.tokens:,}", f"{results.verbatim:,}", f"{results.mentioned:,}", f"{results.gone:,}", f"{again.count:,}",
        f"${again.cost:,.4f}" if again.count else "",
        "none" if made.to_next_edit is None else f"{made.to_next_edit:,}",
        UNKNOWN if made.median_before is None else f"{made.median_before:g}",
    )  # fmt: skip
