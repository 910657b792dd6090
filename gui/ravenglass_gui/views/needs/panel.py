"""Regrets of the shown run, opened by a click; the four classes, the control; what recorded compactions took."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from ravenglass.replay.figures import UPPER_BOUND, Regret
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.needs_text import classes_words, control_words, recall_words
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.needs.aftermath_model import AftermathModel
from ravenglass_gui.views.needs.model import NeedsColumn, NeedsModel
from ravenglass_gui.views.shared.list_page import ROW_HEIGHT, ListPage, column_of, facts_label, make_table
from ravenglass_gui.views.shared.live_panel import LivePanel

_WIDTHS = {
    NeedsColumn.CALL: 60,
    NeedsColumn.KIND: 92,
    NeedsColumn.WHAT: 300,
    NeedsColumn.SOURCE: 130,
    NeedsColumn.WHERE: 84,
    NeedsColumn.TOKENS: 76,
    NeedsColumn.LOST: 68,
    NeedsColumn.COST: 76,
}
_MOST_ROWS = 4
"""Rows of the lower table that are seen without scrolling."""


class NeedsPanel(LivePanel):
    """A click on a regret moves to its call and selects the source; the buttons select source or response."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "needsPanel", parent)
        self.model, self.after = NeedsModel(self), AftermathModel(self)
        self.recall, self.classes, self.control = facts_label(self), facts_label(self), facts_label(self)
        self.control.setToolTip(
            "Control: of the results that could be fetched again, the share that was while the source still stood in"
            " the"
            " window, beside the share that was after its loss. The difference is what trimming did."
        )
        self.source_button = QPushButton("Select the source", self)
        self.response_button = QPushButton("Select the response", self)
        self.view = make_table(self, self.model, "Regrets", _WIDTHS)
        self.view.setProperty("cells", "plain")
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(NeedsColumn.CALL, Qt.SortOrder.AscendingOrder)
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        self.view.clicked.connect(self.select_source)
        self.view.doubleClicked.connect(self.select_response)
        self.aftermaths = make_table(self, self.after, "After each compaction", dict[NeedsColumn, int]())
        self.aftermaths.setProperty("cells", "plain")
        self.aftermaths.clicked.connect(self._go)
        self._page = ListPage(self.view, self)
        self._empty = self._page.empty
        self._lay_out()
        self.source_button.clicked.connect(self.select_source)
        self.response_button.clicked.connect(self.select_response)
        self._run: Run | None = None

    def _lay_out(self) -> None:
        layout = column_of(self)
        for label in (self.recall, self.classes, self.control):
            layout.addWidget(label)
        layout.addWidget(self._page, 1)
        layout.addWidget(self.aftermaths)
        bottom = QHBoxLayout()
        bottom.addWidget(self.source_button)
        bottom.addWidget(self.response_button)
        bottom.addStretch(1)
        layout.addLayout(bottom)

    def refresh(self) -> None:
        run = self.state.run if self.state.call else None
        if run is self._run and run is not None:
            return
        self._run = run
        self._show_figures(run)
        self.model.show(() if run is None else run.regrets)
        made = run.aftermaths if isinstance(run, RecordedRun) else ()
        self.after.show(made)
        self.aftermaths.setVisible(bool(made))
        rows = min(len(made), _MOST_ROWS) + 2
        self.aftermaths.setMaximumHeight(rows * ROW_HEIGHT)
        if self.model.rowCount():
            self._page.show_list()
        else:
            self._page.say(self._why_nothing(run))
        self._enable()

    def _show_figures(self, run: Run | None) -> None:
        labels = (self.recall, self.classes, self.control)
        if run is None:
            for label in labels:
                label.setText("")
            return
        m = run.metrics
        self.recall.setText(recall_words(m))
        self.recall.setToolTip(plain_tip(UPPER_BOUND))
        self.classes.setText(f"names: {classes_words(m.names)} · fetches again: {classes_words(m.fetches_again)}")
        self.control.setText(control_words(m.control))

    def _why_nothing(self, run: Run | None) -> str:
        if run is None:
            return why_empty(
                self.state, "What responses needed and the window lacked appears here", lacks="needs of this call"
            )
        if run.kind == "recorded":
            return "Nothing was fetched again after a loss in the recorded run."
        needs = run.metrics.names + run.metrics.fetches_again
        held = f"of {amount(needs.total, 'need')}" if needs.total else "because no response needs anything earlier"
        return f"Nothing is at risk under this profile, {held}."

    def _current(self) -> Regret | None:
        index = self.view.currentIndex()
        return self.model.regret(index.row()) if index.isValid() else None

    def _chosen(self, current: QModelIndex) -> None:
        del current
        self._enable()

    def _enable(self) -> None:
        for button in (self.source_button, self.response_button):
            button.setEnabled(self._current() is not None)

    def select_source(self) -> None:
        """Move to the call of the regret and select the message that was out."""
        if (regret := self._current()) is not None:
            self.state.set_call(regret.call)
            self.state.select(regret.message)

    def select_response(self) -> None:
        """Move to the call of the regret and select its response."""
        if (regret := self._current()) is not None:
            self.state.set_call(min(regret.call + 1, self._run.calls if self._run is not None else regret.call))
            self.state.select(regret.response)

    def _go(self, index: QModelIndex) -> None:
        if (made := self.after.made(index.row())) is not None:
            self.state.set_call(made.call)
