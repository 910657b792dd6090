"""The window: exactly what the call under the playhead saw, in order."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from ravenglass.replay.frame import Frame, Window
from ravenglass_gui.models.window import Block, Column, WindowModel, entries
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.live_panel import LivePanel
from ravenglass_gui.widgets.numbers import amount
from ravenglass_gui.widgets.window_delegate import WindowView

PATHS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe"}


class WindowPanel(LivePanel):
    """Selecting a block selects its message."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "windowPanel", parent)
        self.model = WindowModel(self)
        self.view = WindowView(self)
        self.view.setModel(self.model)
        self.view.setAccessibleName("Window of the call, block by block")
        self.view.setStyleSheet("QHeaderView::section { padding: 4px 8px; }")
        self.view.setColumnWidth(Column.ID, 56)
        self.view.setColumnWidth(Column.WHAT, 168)
        self.view.setColumnWidth(Column.TOKENS, 150)
        self.view.header().setStretchLastSection(True)
        self.view.header().setSectionsMovable(False)
        self.view.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.facts = QLabel(self)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setProperty("role", "facts")
        self.changed_only = QToolButton(self)
        self.changed_only.setText("Only changes")
        self.changed_only.setToolTip("Show only what changed since the previous call, and what left the window")
        self.changed_only.setCheckable(True)
        self.changed_only.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.changed_only.setAccessibleName("Only what changed since the previous call")
        self.changed_only.toggled.connect(self.refresh)
        self._empty = EmptyState(self)
        top = QHBoxLayout()
        top.addWidget(self.facts, 1)
        top.addWidget(self.changed_only)
        body = QWidget(self)
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        self._updating = False
        self.view.selectionModel().currentRowChanged.connect(self._chosen)
        state.selection_changed.connect(self._follow_selection)
        self.restyle()

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._show_nothing()
            return
        window = run.window(call)
        self.facts.setText(facts(window, run.frame(call), run.budget.available))
        previous = run.window(call - 1) if call > 1 and self.changed_only.isChecked() else None
        listed = entries(window, previous, changed_only=self.changed_only.isChecked())
        self._updating = True
        self.model.show(listed)
        self._updating = False
        if listed:
            self._stack.setCurrentWidget(self.view)
            self.view.setAutoScroll(False)
            self._follow_selection()
            self.view.setAutoScroll(True)
        elif window.messages:
            self._empty.say(
                "Nothing changed since the previous call.",
                "Show the whole window",
                lambda: self.changed_only.setChecked(False),
            )
            self._stack.setCurrentWidget(self._empty)
        else:
            self._empty.say(f"Call {call:,} saw no message: the record holds none before it.")
            self._stack.setCurrentWidget(self._empty)

    def _show_all(self) -> None:
        self.changed_only.setChecked(False)

    def _show_nothing(self) -> None:
        self.model.show([])
        self.facts.setText("")
        if self.state.session is None:
            self._empty.say("Open a session to see what each model call saw.")
        elif self.state.run is None:
            self._empty.say("The session is being replayed; the window of the call appears here.")
        else:
            self._empty.say("This session records no model call, so there is no window.")
        self._stack.setCurrentWidget(self._empty)

    def _chosen(self, current: QModelIndex) -> None:
        entry = self.model.entry(current.row()) if current.isValid() and not self._updating else None
        if isinstance(entry, Block) and entry.message.id is not None:
            self.state.select(entry.message.id)

    def _follow_selection(self) -> None:
        if not self.isVisible():
            self._stale = True
            return
        selection = self.view.selectionModel()
        current = self.model.entry(self.view.currentIndex().row()) if self.view.currentIndex().isValid() else None
        message = self.state.selected
        if isinstance(current, Block) and current.message.id == message and selection.hasSelection():
            return
        row = self.model.row_of(message) if message is not None else None
        if row is None:
            selection.clear()
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        selection.setCurrentIndex(self.model.index(row, 0), flags)

    def restyle(self) -> None:
        self.changed_only.setIcon(icon("mdi6.delta"))
        self.view.viewport().update()


def facts(window: Window, frame: Frame, available: int) -> str:
    """`63 messages · 48,203 of 93,000 tokens · slow path`."""
    said = [amount(frame.included, "message"), f"{window.tokens:,} of {available:,} tokens", PATHS[window.path]]
    if window.impossible:
        said.append("impossible: the current user message alone is over the budget")
    return " · ".join(said)
