"""The page of what recorded compactions and clearings took: a table, and the selected row in words."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ravenglass.replay.figures import Aftermath
from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.replay.run import Run
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.regret_text import aftermath_words
from ravenglass_gui.views.needs.aftermath_model import COST, WORDS, AftermathModel
from ravenglass_gui.views.needs.details import Details
from ravenglass_gui.views.shared.list_page import ListPage, fit_columns, make_table, select_row

_WIDE = 840
"""Pixels of the table from which it also has the cost; below, the words under it do."""
_HINT = "Select a row to read what it took and what came of it."


class AftermathPage(QWidget):
    """Selecting a row moves to the first call after it. A simulated run has none: the page says whose they are."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.model, self.details = AftermathModel(self), Details(self, lines=4)
        self.view = make_table(self, self.model, "After each compaction", dict[int, int]())
        self.view.setProperty("cells", "plain")
        self.list_page = ListPage(self.view, self)
        self._updating = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.list_page, 1)
        layout.addWidget(self.details)
        self.view.selectionModel().selectionChanged.connect(self._chosen)
        self.view.clicked.connect(self._go)

    def show_run(self, run: Run) -> int | None:
        """What was done to the window of a run; returns how many rows, None for a simulated one."""
        made = run.aftermaths if isinstance(run, RecordedRun) else ()
        before = self.current()
        self._updating = True
        self.model.show(made)
        select_row(self.view, made.index(before) if before in made else None)
        self._fit()
        self._updating = False
        self.details.setVisible(bool(made))
        self._tell()
        if made:
            self.list_page.show_list()
        elif isinstance(run, RecordedRun):
            self.list_page.say("The record holds no compaction and no clearing: nothing was taken out of its window.")
        else:
            self.list_page.say(
                "Compactions belong to the recorded run: they are what the agent did to its own window. The run that is"
                " shown is simulated.",
                "Show the recorded run",
                lambda: self._state.show_recorded(True),
            )
        return len(made) if isinstance(run, RecordedRun) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.view.setColumnHidden(COST, self.width() < _WIDE)
        fit_columns(self.view, WORDS)

    def _chosen(self) -> None:
        if not self._updating:
            self._tell()
            self._go()

    def current(self) -> Aftermath | None:
        """The selected row."""
        rows = self.view.selectionModel().selectedRows()
        return self.model.made(rows[0].row()) if rows else None

    def _go(self) -> None:
        if (made := self.current()) is not None:
            self._state.set_call(made.call)

    def _tell(self) -> None:
        made = self.current()
        self.details.say(_HINT if made is None else aftermath_words(made))

    def restyle(self) -> None:
        self.model.repaint_marks()
