"""Snapshots of the simulated run up to its end, what differs between two of them, and rolling back as a branch."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from ravenglass.replay.run import Run, SimulatedRun
from ravenglass.replay.stepping.changes import rolled_back
from ravenglass.replay.vocabulary import Taken
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.views.shared.list_page import ListPage, column_of, facts_label, make_table, select_row
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.shared.text_page import TextPage
from ravenglass_gui.views.snapshots.differences import Difference, Differences
from ravenglass_gui.views.snapshots.model import SnapshotColumn, SnapshotModel
from ravenglass_gui.work.looking import Looking

_WIDTHS = {SnapshotColumn.STEP: 64, SnapshotColumn.TASK: 60, SnapshotColumn.KIND: 92}


class SnapshotsPanel(LivePanel):
    """The row follows the playhead to the latest snapshot; a click on a row moves the playhead to its call."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "snapshotsPanel", parent)
        self.model = SnapshotModel(self)
        self.facts = facts_label(self)
        self.against = QComboBox(self)
        self.against.setAccessibleName("Snapshot that the chosen one is compared with")
        self.against.setToolTip("What changed from this snapshot to the chosen one.")
        self.back_button = QPushButton("Roll back to here (branch)", self)
        self.text = TextPage("What differs between two snapshots", self)
        self.view = make_table(self, self.model, "Snapshots", _WIDTHS)
        self.view.setProperty("cells", "plain")
        self.view.clicked.connect(self._clicked)
        self.view.activated.connect(self._clicked)
        self.view.selectionModel().currentRowChanged.connect(self._compare)
        self._page = ListPage(self._halves(), self)
        self._empty = self._page.empty
        self._run: Run | None = None
        self._differences: Differences | None = None
        self.looking = Looking(self)
        self.looking.found.connect(self._show)
        self.looking.failed.connect(self.text.set_text)
        layout = column_of(self)
        layout.addWidget(self._page, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.back_button)
        bottom.addWidget(self.facts)
        bottom.addStretch(1)
        layout.addLayout(bottom)
        self.against.currentIndexChanged.connect(self._compare)
        self.back_button.clicked.connect(self.roll_back)
        self.restyle()

    def _halves(self) -> QSplitter:
        """The list, and beside it what differs."""
        halves, right = QSplitter(Qt.Orientation.Horizontal, self), QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(6, 0, 0, 0)
        column.addWidget(self.against)
        column.addWidget(self.text, 1)
        halves.addWidget(self.view)
        halves.addWidget(right)
        halves.setChildrenCollapsible(False)
        return halves

    def refresh(self) -> None:
        run = self.state.run if self.state.call else None
        taken = () if run is None else run.snapshots()
        if run is not self._run:
            self._run = run
            self._differences = Differences(run) if isinstance(run, SimulatedRun) else None
            self.model.show(taken)
            self._fill_choice(taken)
        if run is None:
            self._page.say(why_empty(self.state, "Snapshots of the run appear here", lacks="snapshots of this run"))
        elif not taken:
            self._page.say(_why_none(run))
        else:
            self._page.show_list()
            select_row(self.view, self.model.row_before(self.state.call))
            self.view.scrollTo(self.view.currentIndex())
        self._compare()

    def _fill_choice(self, taken: tuple[Taken, ...]) -> None:
        self.against.blockSignals(True)
        self.against.clear()
        self.against.addItem("Compared with the one before", None)
        for one in taken:
            self.against.addItem(f"Compared with that of call {one.step:,}", one)
        self.against.blockSignals(False)

    def current(self) -> Taken | None:
        """The chosen snapshot."""
        index = self.view.currentIndex()
        return self.model.taken(index.row()) if index.isValid() else None

    def _clicked(self, index: QModelIndex) -> None:
        taken = self.model.taken(index.row())
        if taken is not None:
            self.state.set_call(taken.step)

    def _other(self) -> Taken | None:
        chosen = self.against.currentData()
        return chosen if isinstance(chosen, Taken) else self.model.taken(self.view.currentIndex().row() - 1)

    def _compare(self) -> None:
        run, taken = self._run, self.current()
        can = run is not None and taken is not None and taken.step < run.calls
        self.back_button.setEnabled(can)
        self.back_button.setToolTip(
            "Goes on from this snapshot: changes by hand after it are taken back. Undo brings them again."
            if can
            else "Choose a snapshot that a call comes after."
        )
        self.facts.setText("")
        self.text.set_text("")
        self.looking.forget()
        if run is None or taken is None or self._differences is None or not self.sees():
            return
        full = self.model.full_of(taken) if taken.kind == "difference" else None
        other, made = self._other(), self._differences
        self.text.set_text("Comparing…")
        self.looking.ask(lambda: made.between(taken, other, full))

    def _show(self, difference: Difference) -> None:
        self.facts.setText(difference.facts)
        self.text.set_text(difference.text)

    def roll_back(self) -> None:
        """Bring the run back to the chosen snapshot: a branch, to be undone like every change by hand."""
        taken, run = self.current(), self._run
        if taken is not None and run is not None and taken.step < run.calls:
            changes = self.state.changes
            self.state.set_changes(rolled_back(changes, taken.step, taken.name, taken.task, run.calls))

    def restyle(self) -> None:
        self.back_button.setIcon(icon("undo"))


def _why_none(run: Run) -> str:
    if is_recorded(run):
        return "A recorded run has no snapshots: what its writer kept is in the record. Press R for the simulated run."
    return "This run took no snapshot."
