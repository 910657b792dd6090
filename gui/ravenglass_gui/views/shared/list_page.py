"""What panels with a list share: the list or a sentence in its place, the looks of a table, following a selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QStackedLayout, QTableView, QVBoxLayout, QWidget

from ravenglass_gui.widgets.empty_state import EmptyState

ROW_HEIGHT = 24
"""Pixels of a row in every table and list of messages, events and archivings."""

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


def make_table(parent: QWidget, model: QAbstractItemModel, name: str, widths: Mapping[C, int]) -> QTableView:
    """A table of rows of one height, one of them selected, whose last column takes what is left."""
    view = QTableView(parent)
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


def select_row(view: QAbstractItemView, row: int | None, column: int = 0) -> None:
    """Make a row the current and selected one; None selects nothing."""
    selection = view.selectionModel()
    if row is None:
        selection.clear()
    else:
        selection.setCurrentIndex(view.model().index(row, column), _FLAGS)
