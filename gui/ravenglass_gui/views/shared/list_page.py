"""What panels with a list share: the list or a sentence in its place, the looks of a table, following a selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QStackedLayout, QTableView, QVBoxLayout, QWidget

from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.marks import MARK

ROW_HEIGHT = 24
"""Pixels of a row in every table and list of messages, events and archivings."""
_MEASURED_ROWS = 200
"""Rows whose cells decide how wide a column is; a longer cell further down is elided and has a tooltip."""
_NARROWEST = 36
_PAD, _HEAD_PAD, _MARK_GAP = 12, 10, 10
"""Pixels beside the text of a cell and of a header, and between its mark and its text."""

C = TypeVar("C", bound=int)
_FLAGS = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows


class ListPage(QWidget):
    """Shows one of: the list, what `also` adds, or the sentence said last."""

    def __init__(self, view: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self.empty = EmptyState(self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(view)
        self._stack.addWidget(self.empty)

    def also(self, page: QWidget) -> None:
        """A page that `show_page` brings to the front."""
        self._stack.addWidget(page)

    def show_list(self) -> None:
        self._stack.setCurrentWidget(self._view)

    def show_page(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)

    def say(self, sentence: str, label: str = "", act: Callable[[], None] | None = None) -> None:
        """A sentence instead of the list, with a button under it where `act` is given."""
        self.empty.say(sentence, label, act)
        self._stack.setCurrentWidget(self.empty)


def column_of(panel: QWidget) -> QVBoxLayout:
    """The layout of a panel behind a tab: parts from top to bottom."""
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(8, 8, 8, 8)
    layout.setSpacing(6)
    return layout


def facts_label(parent: QWidget) -> QLabel:
    """Dim plain text beside a panel's controls."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "facts")
    return label


def make_table(parent: QWidget, model: QAbstractItemModel, name: str, widths: Mapping[C, int]) -> PlainTable:
    """A table of rows of one height, one of them selected, whose last column takes what is left."""
    view = PlainTable(parent)
    view.setModel(model)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setProperty("role", "table")
    rows = view.verticalHeader()
    rows.hide()
    rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    rows.setMinimumSectionSize(ROW_HEIGHT)
    rows.setDefaultSectionSize(ROW_HEIGHT)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setStretchLastSection(True)
    for column, width in widths.items():
        view.setColumnWidth(column, width)
    return view


def fit_columns(view: QTableView, elastic: int) -> None:
    """Columns as wide as their headers and first rows; `elastic` takes what is left, so that nothing scrolls
    sideways."""
    header = view.horizontalHeader()
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(_NARROWEST)
    for column in range(header.count()):
        if column == elastic:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        elif not view.isColumnHidden(column):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, _wide(view, column))


def _wide(view: QTableView, column: int) -> int:
    """Pixels that a column's header and its first cells take."""
    model, cells = view.model(), view.fontMetrics()
    title = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
    head = QFontMetrics(ui_font(-1, bold=True)).horizontalAdvance(title) + 2 * _HEAD_PAD
    longest, marks = 0, False
    for row in range(min(model.rowCount(), _MEASURED_ROWS)):
        index = model.index(row, column)
        marks = marks or index.data(Qt.ItemDataRole.DecorationRole) is not None
        wide = cells.horizontalAdvance(str(index.data() or "")) + (MARK + _MARK_GAP if marks else 0)
        longest = max(longest, wide)
    return max(_NARROWEST, head, longest + 2 * _PAD)


class PlainTable(QTableView):
    """Getting the focus selects nothing, so that the first Down goes to the first row."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        selection = self.selectionModel()
        if selection is not None and not selection.hasSelection():
            selection.clearCurrentIndex()


def select_row(view: QAbstractItemView, row: int | None, column: int = 0) -> None:
    """Make a row the current and selected one; None selects nothing."""
    selection = view.selectionModel()
    if row is None:
        selection.clear()
    else:
        selection.setCurrentIndex(view.model().index(row, column), _FLAGS)
