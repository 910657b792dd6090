"""The manifest: every message known at the call under the playhead, filtered and sorted by the engine."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QTableView,
    QWidget,
)

from ravenglass.errors import FilterError
from ravenglass.replay.filter.parser import FILTER_KEYS, parse_filter
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.log_text import manifest_facts
from ravenglass_gui.state.planning import planning_of
from ravenglass_gui.views.manifest.delegate import ManifestDelegate
from ravenglass_gui.views.manifest.filter_completion import Completion, complete, with_term
from ravenglass_gui.views.manifest.filter_field import FilterField
from ravenglass_gui.views.manifest.menu import MessageActions
from ravenglass_gui.views.manifest.model import SORT_KEYS, ManifestColumn, ManifestModel, ManifestRole
from ravenglass_gui.views.manifest.plan_bar import PlanBar
from ravenglass_gui.views.shared.list_page import (
    ROW_HEIGHT,
    ListPage,
    column_of,
    facts_label,
    make_table,
    select_row,
)
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.shared.log_page import LogPage
from ravenglass_gui.widgets.pace import after_rest

_WIDTHS = {
    ManifestColumn.ID: 50,
    ManifestColumn.CALL: 48,
    ManifestColumn.ROLE: 106,
    ManifestColumn.TIER: 80,
    ManifestColumn.STATE: 88,
    ManifestColumn.TOKENS: 64,
    ManifestColumn.SCORE: 56,
    ManifestColumn.FLAGS: 56,
    ManifestColumn.TICK: 44,
}
_SMOOTH_S = 0.02
"""A query slower than this is not asked at every step of a drag."""
_REST_MS = 60


class ManifestPanel(LivePanel):
    """Shares filter and selection with every other panel through the state."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "manifestPanel", parent)
        self._sort, self._descending = ManifestColumn.ID, False
        self._updating = False
        self._query_s = 0.0
        self._rest = after_rest(self, _REST_MS)
        self._rest.triggered.connect(super().invalidate)
        self.model = ManifestModel(self)
        self.planning = planning_of(state)
        self.filter = FilterField(_check, _complete, self)
        self._count = facts_label(self)
        self._count.setMinimumWidth(self.fontMetrics().horizontalAdvance("88,888 of 88,888"))
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.view = self._make_view()
        self.plan = PlanBar(self.planning, self.model.ids, self)
        self.plan_keys = LocalActions(self.view, "Plan", {"toggle_tick": self._toggle_current})
        self._page = ListPage(self.view, self)
        self._empty = self._page.empty
        self.log = LogPage(state, "Recorded manifest of the call", self)
        self._page.also(self.log)
        self._top = QWidget(self)
        top = QHBoxLayout(self._top)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(10)
        top.addWidget(self.filter, 1)
        top.addWidget(self._count, 0, Qt.AlignmentFlag.AlignTop)
        self._count.setMinimumHeight(self.filter.field.sizeHint().height())
        layout = column_of(self)
        layout.addWidget(self.plan)
        layout.addWidget(self._top)
        layout.addWidget(self._page, 1)
        self.actions_on_message = MessageActions(state, self.view, self._filter_by_cell)
        self.filter.accepted.connect(state.set_filter)
        state.filter_changed.connect(self._filter_changed)
        state.selection_changed.connect(self._show_selected)
        self.planning.changed.connect(self._show_plan)
        self.planning.ticked.connect(self._show_ticks)
        self._show_plan()
        self._filter_changed()

    def _make_view(self) -> QTableView:
        view = make_table(self, self.model, "Manifest", _WIDTHS)
        view.setItemDelegate(ManifestDelegate(view))
        view.setMouseTracking(True)
        header = view.horizontalHeader()
        header.setSectionsClickable(True)
        header.moveSection(ManifestColumn.TICK, 0)
        view.clicked.connect(self._clicked)
        header.sectionClicked.connect(self._sort_by)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._open_menu)
        view.selectionModel().currentRowChanged.connect(self._chosen)
        return view

    def invalidate(self) -> None:
        """A query that takes long waits until the playhead rests, so that dragging it stays smooth."""
        if self._query_s > _SMOOTH_S and self.isVisible():
            self._rest.throttle()
        else:
            super().invalidate()

    def refresh(self) -> None:
        """Ask the run for the ids at the call; the view keeps its place."""
        self._rest.cancel()
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._show_nothing()
            return
        self._top.show()
        started = perf_counter()
        try:
            ids = run.query(call, self.state.filter, SORT_KEYS[self._sort], self._descending)
        except FilterError as error:
            self.filter.show_error(error)
            return
        self._query_s = perf_counter() - started
        anchor = self.model.message_at(self.view.rowAt(0)) if self.model.rowCount() else None
        offset = self.view.verticalScrollBar().value() % ROW_HEIGHT
        self._updating = True
        self.model.show(run, call, ids)
        self._updating = False
        known = run.rows(call)
        self._count.setText(f"{len(ids):,} of {known:,}")
        self._count.setToolTip(f"{len(ids):,} shown of {known:,} known at call {call:,}")
        if not ids:
            self._explain_empty(known)
            return
        self._page.show_list()
        self._keep_place(anchor, offset)
        self.view.setAutoScroll(False)
        self._show_selected()
        self.view.setAutoScroll(True)

    def _keep_place(self, anchor: int | None, offset: int) -> None:
        """Bring the row that stood at the top back there, where the list was rebuilt."""
        row = self.model.row_of(anchor) if anchor is not None else None
        if row is not None and self.view.rowAt(0) != row:
            self.view.verticalScrollBar().setValue(row * ROW_HEIGHT + offset)

    def _show_nothing(self) -> None:
        self.model.show(None, 0, [])
        self._count.setText("")
        log, call = self.state.log, self.state.call
        alone = self.state.session is None and log is not None and call > 0
        self._top.setVisible(not alone)
        if alone and log is not None:
            self.log.show_rows(log.rows(call), manifest_facts(log, call))
            self._page.show_page(self.log)
        else:
            self._page.say(why_empty(self.state, "What each model call knew appears here"))

    def _explain_empty(self, known: int) -> None:
        if known:
            hides = "the one message" if known == 1 else f"all {known:,} messages"
            self._page.say(f"The filter hides {hides} known at this call.", "Clear the filter", self._clear_filter)
        else:
            self._page.say(f"The record holds no message before call {self.state.call:,}.")

    def _clear_filter(self) -> None:
        self.state.set_filter("")
        self.view.setFocus()

    def _filter_changed(self) -> None:
        if self.filter.text().strip() != self.state.filter:
            self.filter.set_text(self.state.filter)
        self.invalidate()

    def _filter_by_cell(self) -> None:
        term = self.view.currentIndex().data(ManifestRole.TERM)
        if term:
            self.state.set_filter(with_term(self.state.filter, str(term)))

    def _show_plan(self) -> None:
        """The column of ticks is there while a plan is filled in."""
        active = self.planning.active
        self.view.setColumnHidden(ManifestColumn.TICK, not active)
        self.plan_keys.enabled = active
        self._show_ticks()

    def _show_ticks(self) -> None:
        self.model.set_ticks(self.planning.tick if self.planning.active else None)

    def _clicked(self, index: QModelIndex) -> None:
        message = self.model.message_at(index.row())
        if index.column() == ManifestColumn.TICK and message is not None:
            self.planning.toggle(message)

    def _toggle_current(self) -> None:
        """Space: tick or untick the row that the keyboard is on."""
        message = self.model.message_at(self.view.currentIndex().row())
        if message is not None:
            self.planning.toggle(message)

    def _sort_by(self, section: int) -> None:
        if section == ManifestColumn.TICK:
            return
        self._descending = (
            not self._descending if section == self._sort else section in (ManifestColumn.TOKENS, ManifestColumn.SCORE)
        )
        self._sort = ManifestColumn(section)
        self.model.set_sort(self._sort, self._descending)
        self.refresh()
        if self.state.selected is not None:
            self._reveal(self.state.selected)

    def _chosen(self, current: QModelIndex) -> None:
        if self._updating:
            return  # Qt moves the current row when its row is removed; that is no choice of the person
        message = self.model.message_at(current.row()) if current.isValid() else None
        if message is not None:
            self.state.select(message)

    def _show_selected(self) -> None:
        """Make the shared selection the current row; the view scrolls only if someone else selected it."""
        if not self.sees():
            return
        message = self.state.selected
        row = self.model.row_of(message) if message is not None else None
        current = self.view.currentIndex()
        if row is None or current.row() != row or not self.view.selectionModel().hasSelection():
            select_row(self.view, row, max(0, current.column()))

    def _reveal(self, message: int) -> None:
        row = self.model.row_of(message)
        if row is not None:
            self.view.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.EnsureVisible)

    def _open_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        menu = self.actions_on_message.menu(str(index.data(ManifestRole.TERM) or ""))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.view.viewport().mapToGlobal(place))

    def restyle(self) -> None:
        self.view.viewport().update()


def _check(text: str) -> None:
    parse_filter(text)


def _complete(text: str, cursor: int) -> Completion:
    return complete(text, cursor, FILTER_KEYS)
