"""The page of regrets: where needs were, the control, the table, and the selected regret in words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ravenglass.replay.figures import Regret
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.text.regret_text import regret_words
from ravenglass_gui.views.needs.class_counts import ClassCounts
from ravenglass_gui.views.needs.control_bars import ControlBars
from ravenglass_gui.views.needs.details import Details
from ravenglass_gui.views.needs.model import NeedsColumn, NeedsModel
from ravenglass_gui.views.shared.list_page import ListPage, fit_columns, make_table, select_row

_WIDE = 900
"""Pixels of the table from which it also says why a source was out; below, the words under it do."""
_HINT = "Select a regret to read what happened. Enter goes to its response."


class RegretPage(QWidget):
    """Selecting a regret moves to its call and selects the source; Enter or a double click selects the response."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.model = NeedsModel(self)
        self.counts, self.control, self.details = ClassCounts(self), ControlBars(self), Details(self, lines=4)
        self.view = make_table(self, self.model, "Regrets", dict[NeedsColumn, int]())
        self.view.setProperty("cells", "plain")
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(NeedsColumn.CALL, Qt.SortOrder.AscendingOrder)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list_page = ListPage(self.view, self)
        self._updating = False
        top = QHBoxLayout()
        top.setSpacing(18)
        top.addWidget(self.counts)
        top.addWidget(self.control, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.list_page, 1)
        layout.addWidget(self.details)
        self.setTabOrder(self.view, self.details.source)
        self.setTabOrder(self.details.source, self.details.response)
        self.view.selectionModel().selectionChanged.connect(self._chosen)
        self.view.clicked.connect(self.select_source)
        self.view.doubleClicked.connect(self.select_response)
        self.view.installEventFilter(self)
        self.details.go.connect(self._go)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter on a row of the list means what a double click means, as in other lists."""
        if watched is not self.view or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        self.select_response()
        return True

    def show_run(self, run: Run) -> None:
        """The regrets of a run, with the one that was selected where it is one of them too."""
        recorded, m = isinstance(run, RecordedRun), run.metrics
        self.counts.show_counts(m.names, m.fetches_again)
        self.control.show_control(m.control, m.regrets if recorded else None)
        selected = self.current()
        self._updating = True
        self.model.show(run.regrets)
        self.view.setColumnHidden(NeedsColumn.COST, not recorded)
        select_row(self.view, self.model.row_of(selected))
        self._fit()
        self._updating = False
        if self.model.rowCount():
            self.list_page.show_list()
        else:
            self.list_page.say(why_none(run))
        self.details.setVisible(bool(self.model.rowCount()))
        self._tell()

    def clear(self) -> None:
        self._updating = True
        self.model.show(())
        self._updating = False
        self._tell()

    def current(self) -> Regret | None:
        """The selected regret."""
        rows = self.view.selectionModel().selectedRows()
        return self.model.regret(rows[0].row()) if rows else None

    def select_source(self) -> None:
        """Move to the call of the regret and select the message that was out."""
        if (regret := self.current()) is not None:
            self._go(regret.call, regret.message)

    def select_response(self) -> None:
        """Move to the call of the regret and select its response."""
        if (regret := self.current()) is not None:
            self._go(regret.call, regret.response)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.view.setColumnHidden(NeedsColumn.BY, self.width() < _WIDE)
        fit_columns(self.view, NeedsColumn.WHAT)

    def _go(self, call: int, message: int) -> None:
        self._state.set_call(call)
        self._state.select(message)

    def _chosen(self) -> None:
        if not self._updating:
            self._tell()
            self.select_source()

    def _tell(self) -> None:
        regret = self.current()
        self.details.say(_HINT if regret is None else regret_words(regret), regret)

    def restyle(self) -> None:
        self.model.repaint_marks()


def why_none(run: Run) -> str:
    """What it means that a run has no regret."""
    needs = run.metrics.names + run.metrics.fetches_again
    if not needs.total:
        return "No response of this session needs anything that an earlier message holds, so nothing could be missed."
    if isinstance(run, RecordedRun):
        return "Nothing was fetched again after it had left the recorded window, so nothing was paid for twice."
    return (
        "No regrets: nothing that the recorded window held was missed. Of"
        f" {amount(needs.total, 'need')}, none is at risk under this profile."
    )
