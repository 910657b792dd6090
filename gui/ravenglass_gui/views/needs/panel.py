"""What responses needed and the window lacked: a line of figures, and two pages that share the room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget
from superqt import QElidingLabel

from ravenglass.replay.run import Run
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.needs_text import recall_tip, recall_words, regrets_tip, regrets_words
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.needs.aftermath_page import AftermathPage
from ravenglass_gui.views.needs.page_switch import PageSwitch
from ravenglass_gui.views.needs.regret_page import RegretPage
from ravenglass_gui.views.shared.list_page import ListPage, column_of, facts_label
from ravenglass_gui.views.shared.live_panel import LivePanel


class NeedsPanel(LivePanel):
    """Follows the shown run; the playhead changes nothing here."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "needsPanel", parent)
        self.switch = PageSwitch(self)
        self.recall = facts_label(self)
        self.paid = QElidingLabel(parent=self)
        self.paid.setTextFormat(Qt.TextFormat.PlainText)
        self.paid.setProperty("role", "facts")
        self.regrets, self.after = RegretPage(state, self), AftermathPage(state, self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.regrets)
        self._pages.addWidget(self.after)
        self._page = ListPage(self._pages, self)
        self._empty = self._page.empty
        self._top = QWidget(self)
        top = QHBoxLayout(self._top)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(14)
        top.addWidget(self.switch)
        top.addWidget(self.recall)
        top.addWidget(self.paid, 1)
        layout = column_of(self)
        layout.addWidget(self._top)
        layout.addWidget(self._page, 1)
        self.switch.chosen.connect(self._turn)
        self.setFocusProxy(self.regrets.view)
        self._run: Run | None = None

    def refresh(self) -> None:
        run = self.state.run if self.state.call else None
        if run is self._run and run is not None:
            return
        self._run = run
        self._top.setVisible(run is not None)
        if run is None:
            self.regrets.clear()
            there = "What responses needed and the window lacked appears here"
            self._page.say(why_empty(self.state, there, lacks="needs of this call"))
            return
        self._page.show_list()
        m = run.metrics
        self.recall.setText(recall_words(m))
        self.recall.setToolTip(plain_tip(recall_tip(m)))
        self.paid.setText(regrets_words(m))
        self.paid.setToolTip(plain_tip(f"{regrets_words(m)}.\n{regrets_tip(m)}"))
        self.regrets.show_run(run)
        self.switch.count(0, len(run.regrets))
        self.switch.count(1, self.after.show_run(run))

    def _turn(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self.setFocusProxy((self.regrets, self.after)[page].view)

    def restyle(self) -> None:
        super().restyle()
        self.regrets.restyle()
        self.after.restyle()
