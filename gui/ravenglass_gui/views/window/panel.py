"""The window: exactly what the call under the playhead saw, in order."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QSizePolicy, QToolButton, QWidget
from superqt import QElidingLabel

from ravenglass.replay.frame import Frame, Window
from ravenglass.replay.run import Run
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.log_text import window_facts
from ravenglass_gui.state.shown import PATHS, is_recorded, provider_words, unit
from ravenglass_gui.text.needs_text import injection_words
from ravenglass_gui.text.numbers import amount, percent
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.views.shared.list_page import ListPage, column_of, select_row
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.shared.log_page import LogPage
from ravenglass_gui.views.window.delegate import WindowView
from ravenglass_gui.views.window.model import Block, WindowColumn, WindowModel, entries


class WindowPanel(LivePanel):
    """Selecting a block selects its message."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "windowPanel", parent)
        self.model = WindowModel(self)
        self.view = WindowView(self)
        self.view.setModel(self.model)
        self.view.setAccessibleName("Window of the call, block by block")
        self.view.setProperty("role", "table")
        self.view.setColumnWidth(WindowColumn.ID, 56)
        self.view.setColumnWidth(WindowColumn.WHAT, 168)
        self.view.setColumnWidth(WindowColumn.TOKENS, 150)
        self.view.header().setStretchLastSection(True)
        self.view.header().setSectionsMovable(False)
        self.view.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.facts = QElidingLabel(self)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setProperty("role", "facts")
        self.facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.changed_only = QToolButton(self)
        self.changed_only.setText("Only changes")
        self.changed_only.setToolTip("Show only what changed since the previous call, and what left the window")
        self.changed_only.setCheckable(True)
        self.changed_only.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.changed_only.setAccessibleName("Only what changed since the previous call")
        self.changed_only.toggled.connect(self.refresh)
        self._page = ListPage(self.view, self)
        self._empty = self._page.empty
        self.log = LogPage(state, "Recorded window of the call", self)
        self._page.also(self.log)
        top = QHBoxLayout()
        top.addWidget(self.facts, 1)
        top.addWidget(self.changed_only)
        layout = column_of(self)
        layout.addLayout(top)
        layout.addWidget(self._page, 1)
        self._updating = False
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        state.selection_changed.connect(self._show_selected)
        state.other_changed.connect(self.invalidate)  # with the recorded run comes the fit
        self.restyle()

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._show_nothing()
            return
        self.changed_only.show()
        window = run.window(call)
        self.facts.setText(facts(run, window, run.frame(call)))
        self.facts.setToolTip(
            f"Blocks are in {unit(run)}.\n{provider_words(run, call).tip}\n{injection_words(run.injection(call))}"
        )
        previous = run.window(call - 1) if call > 1 and self.changed_only.isChecked() else None
        listed = entries(window, previous, changed_only=self.changed_only.isChecked())
        self._updating = True
        self.model.show(listed)
        self._updating = False
        if listed:
            self._page.show_list()
            self.view.setAutoScroll(False)
            self._show_selected()
            self.view.setAutoScroll(True)
        elif window.messages:
            self._page.say("Nothing changed since the previous call.", "Show the whole window", self._show_all)
        else:
            self._page.say(f"Call {call:,} saw no message: the record holds none before it.")

    def _show_all(self) -> None:
        self.changed_only.setChecked(False)

    def _show_nothing(self) -> None:
        self.model.show([])
        self.facts.setText("")
        self.facts.setToolTip("")
        log, call = self.state.log, self.state.call
        self.changed_only.setVisible(log is None or self.state.session is not None)
        if self.state.session is None and log is not None and call:
            rows = [row for row in log.rows(call) if row.included]
            self.log.show_rows(rows, window_facts(log.summary(call)))
            self._page.show_page(self.log)
        else:
            self._page.say(why_empty(self.state, "What each model call saw appears here"))

    def _chosen(self, current: QModelIndex) -> None:
        entry = self.model.entry(current.row()) if current.isValid() and not self._updating else None
        if not isinstance(entry, Block):
            return
        if entry.message.id is None:
            self.state.block_chosen.emit(entry.message)
            return
        self.state.block_chosen.emit(None)
        self.state.select(entry.message.id)

    def _show_selected(self) -> None:
        if not self.sees():
            return
        selection = self.view.selectionModel()
        current = self.model.entry(self.view.currentIndex().row()) if self.view.currentIndex().isValid() else None
        message = self.state.selected
        if isinstance(current, Block) and current.message.id == message and selection.hasSelection():
            return
        select_row(self.view, self.model.row_of(message) if message is not None else None)

    def restyle(self) -> None:
        self.changed_only.setIcon(icon("mdi6.delta"))
        self.view.viewport().update()


def facts(run: Run, window: Window, frame: Frame) -> str:
    """`63 messages · 48,203 of 93,000 tokens est. · slow path · 1,240 cached · repeated injection 91 %`, and the
    provider's tokens. What is cut off in a narrow window stands last, and elsewhere too."""
    of = "" if is_recorded(run) else f" of {run.budget.available:,}"
    said = [amount(frame.included, "message"), f"{window.tokens:,}{of} tokens est.", PATHS[window.path]]
    if window.impossible:
        said.append("impossible: the current user message alone is over the budget")
    if not is_recorded(run):
        said.append(f"{run.cache_read(window.call):,} cached")
    if frame.injection.ratio is not None:
        said.append(f"repeated injection {percent(frame.injection.ratio)}")
    if provider := provider_words(run, window.call).text:
        said.append(provider)
    return " · ".join(said)
