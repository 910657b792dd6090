"""The trace: events of the call under the playhead or of all slow paths, and the curator stepped event by event."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ravenglass.replay.run import Run
from ravenglass.safe.visible import visible
from ravenglass.trace import TraceEvent
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.state.stepping import stepper_of
from ravenglass_gui.text.event_text import KINDS
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.trace.delegate import TraceDelegate
from ravenglass_gui.views.trace.model import TraceModel
from ravenglass_gui.views.trace.payload_view import PayloadView
from ravenglass_gui.views.trace.slow_paths import SlowPathEvents
from ravenglass_gui.widgets.empty_state import EmptyState

_THIS_CALL, _SEVERAL, _RECORDED = 0, 1, 2


class TracePanel(LivePanel):
    """While a curator is stepped its conversation is shown instead, growing."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "tracePanel", parent)
        self.stepper = stepper_of(state)
        self.model = TraceModel(self)
        self._hidden: set[str] = set()
        self._beside: tuple[OpenLog, tuple[TraceEvent, ...]] | None = None
        self.slow_paths = SlowPathEvents(self)
        self.slow_paths.grown.connect(self._grown)
        self.scope = QComboBox(self)
        self._offer_scopes()
        self.scope.setAccessibleName("Which events are listed")
        self.scope.currentIndexChanged.connect(self.refresh)
        self.kinds = QToolButton(self)
        self.kinds.setText("Kinds")
        self.kinds.setAccessibleName("Which kinds of events are listed")
        self.kinds.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.kinds_menu = QMenu(self.kinds)
        self.kinds_menu.aboutToShow.connect(self._fill_kinds)
        self.kinds.setMenu(self.kinds_menu)
        self.text = QLineEdit(self)
        self.text.setPlaceholderText("Filter by text")
        self.text.setMinimumWidth(self.fontMetrics().horizontalAdvance("Filter by text") + 24)
        self.text.setAccessibleName("Filter events by text")
        self.text.setClearButtonEnabled(True)
        self.text.textChanged.connect(self._filter)
        self.count = QLabel(self)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setProperty("role", "facts")
        self.policy = QComboBox(self)
        self.policy.addItems(["Planner", "By hand"])
        self.policy.setAccessibleName("Who answers the curator's question")
        self.policy.setToolTip(
            "Planner: the scheduler's own plan. By hand: you tick what the window holds; the assembler judges it."
        )
        self.policy.currentIndexChanged.connect(self._choose_policy)
        self.step = self._button("Step", "One event further (the curator's conversation at this call)", "Step curator")
        self.to_end = self._button("To end", "Step on until the verdict", "Run to end")
        self.stop = self._button("Stop", "End the stepped conversation and show the events of the replay", "Stop")
        self.step.clicked.connect(self.stepper.step)
        self.to_end.clicked.connect(self.stepper.finish)
        self.stop.clicked.connect(self.stepper.stop)
        self.view = self._make_view()
        self.payload = PayloadView(self)
        self.payload.message_chosen.connect(state.select)
        self._empty = EmptyState(self)
        self._lay_out()
        state.session_changed.connect(self._offer_scopes)
        state.stepping_changed.connect(self.invalidate)
        self.restyle()

    def _button(self, words: str, tip: str, name: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setToolTip(tip)
        button.setAccessibleName(name)
        return button

    def _make_view(self) -> QListView:
        view = QListView(self)
        view.setModel(self.model)
        self._delegate = TraceDelegate(view)
        view.setItemDelegate(self._delegate)
        view.setUniformItemSizes(True)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName("Events")
        view.selectionModel().currentChanged.connect(self._chosen)
        view.clicked.connect(self._jump)
        return view

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(6)
        for widget in (self.scope, self.kinds):
            top.addWidget(widget)
        top.addWidget(self.text, 1)
        top.addWidget(self.count)
        for button in (self.policy, self.step, self.to_end, self.stop):
            top.addWidget(button)
        body = QWidget(self)
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(body)
        split.addWidget(self.payload)
        split.setSizes([600, 400])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(split, 1)

    def _offer_scopes(self) -> None:
        """A log by itself has its calls; a session in a workspace has the trace that its engine wrote besides."""
        session, log = self.state.session, self.state.log
        wanted = ["This call", "All calls" if session is None and log is not None else "All slow paths"]
        if session is not None and log is not None:
            wanted.append("Recorded trace")
        if [self.scope.itemText(n) for n in range(self.scope.count())] == wanted:
            return
        with QSignalBlocker(self.scope):
            self.scope.clear()
            self.scope.addItems(wanted)

    def _choose_policy(self, index: int) -> None:
        self.stepper.by_hand = index == 1

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        stepping = self.stepper.active
        self.stop.setEnabled(stepping)
        for button in (self.step, self.to_end):
            button.setEnabled(run is not None and bool(call) and not self.stepper.done)
        self.scope.setEnabled(not stepping)
        log = self.state.log
        alone = self.state.session is None and log is not None
        for control in (self.policy, self.step, self.to_end, self.stop):
            control.setVisible(not alone)
        if run is None and log is not None and call:
            self._show_log(log, call)
            return
        self.policy.setEnabled(run is not None and bool(call) and not stepping)
        if run is None or not call:
            self.model.show(())
            self.payload.show_event(None)
            self.count.setText("")
            self._empty.say(why_empty(self.state, "What was decided at each call appears here"))
            self._stack.setCurrentWidget(self._empty)
            return
        self.slow_paths.pause()
        several = self.scope.currentIndex() == _SEVERAL and not stepping
        self._delegate.show_call = self.scope.currentIndex() != _THIS_CALL and not stepping
        at = self.view.currentIndex().row()
        if stepping:
            self.model.show(self.stepper.events)
        elif several:
            self.slow_paths.gather(run)
            self.model.show(self.slow_paths.events)
        elif self.scope.currentIndex() == _RECORDED and log is not None:
            at = self._show_beside(log, run, at)
        else:
            self.model.show(run.events(call))
        self._after_listing(at, stepping)

    def _show_log(self, log: OpenLog, call: int) -> None:
        """A trace log by itself: its events, in the order they were written."""
        at = self.view.currentIndex().row()
        several = self.scope.currentIndex() == _SEVERAL
        self._delegate.show_call = several
        calls = range(1, log.calls + 1) if several else (call,)
        self.model.show([event for number in calls for event in log.events(number)])
        self._after_listing(at, stepping=False)

    def _show_beside(self, log: OpenLog, run: Run, at: int) -> int:
        """All that the engine recorded of this session; gives the row of the playhead's call, `at` where it has none
        or is one of its rows already."""
        if self._beside is None or self._beside[0] is not log:
            self._beside = (log, log.beside(run.session))
        self.model.show(self._beside[1])
        event = self.model.event_at(at)
        if event is not None and event.call == self.state.call:
            return at
        first = self.model.first_of(self.state.call)
        return at if first is None else first

    @property
    def _recorded(self) -> bool:
        """Whether what is listed was recorded, not simulated."""
        alone = self.state.session is None and self.state.log is not None
        return alone or (self.scope.currentIndex() == _RECORDED and not self.stepper.active)

    def _grown(self) -> None:
        """More events of slow paths are there; hidden panels stop gathering."""
        if self.isVisible():
            self.model.show(self.slow_paths.events)
            self._after_listing(self.view.currentIndex().row(), stepping=False)
        else:
            self.slow_paths.pause()
            self._stale = True

    def _after_listing(self, at: int, stepping: bool) -> None:
        shown, total = self.model.rowCount(), self.model.total
        words = amount(total, "event") if shown == total else f"{shown:,} of {amount(total, 'event')}"
        gathers = self.scope.currentIndex() == _SEVERAL and not stepping and self.state.run is not None
        if gathers and not self.slow_paths.complete:
            words += ", gathering…"
        if stepping:
            words += " · conversation over" if self.stepper.done else " · stepping"
        self.count.setText(words + (" · recorded" if self._recorded else ""))
        if shown:
            self._stack.setCurrentWidget(self.view)
            row = shown - 1 if stepping else min(max(at, 0), shown - 1)
            if self.view.currentIndex().row() != row:
                self.view.setCurrentIndex(self.model.index(row, 0))
            self._chosen(self.model.index(row, 0))
            return
        self.payload.show_event(None)
        if total:
            self._empty.say(f"The filter hides {amount(total, 'event')}.", "Show all events", self._show_all)
        elif gathers:
            if not self.slow_paths.complete:
                return
            self._empty.say("Every call of this run took the fast path; there is no slow path to show.")
        else:
            self._empty.say("No event was recorded at this call.")
        self._stack.setCurrentWidget(self._empty)

    def _fill_kinds(self) -> None:
        self.kinds_menu.clear()
        self.kinds_menu.addAction("Show all kinds", self._show_all)
        self.kinds_menu.addSeparator()
        for name, count in self.model.kinds().items():
            title = KINDS[name].title if name in KINDS else name
            action = QAction(visible(f"{title}  ({count:,})").replace("&", "&&"), self.kinds_menu)
            action.setCheckable(True)
            action.setChecked(name not in self._hidden)
            action.toggled.connect(lambda on, n=name: self.set_kind_shown(n, on))
            self.kinds_menu.addAction(action)

    def set_kind_shown(self, name: str, shown: bool) -> None:
        """List or leave out a kind of event."""
        (self._hidden.discard if shown else self._hidden.add)(name)
        self._filter()

    def _show_all(self) -> None:
        self._hidden.clear()
        self.text.clear()
        self._filter()

    def _filter(self) -> None:
        self.model.filter_by(frozenset(self._hidden), self.text.text())
        self.kinds.setText(f"Kinds ({len(self._hidden)} hidden)" if self._hidden else "Kinds")
        self._after_listing(self.view.currentIndex().row(), self.stepper.active)

    def _chosen(self, current: QModelIndex) -> None:
        self.payload.show_event(self.model.event_at(current.row()) if current.isValid() else None)

    def _jump(self, index: QModelIndex) -> None:
        """A click on an event moves the playhead to its call and selects the first message it is about."""
        event = self.model.event_at(index.row())
        if event is None:
            return
        if event.messages:
            self.state.select(event.messages[0])
        several = self.scope.currentIndex() != _THIS_CALL and not self.stepper.active
        if several and event.call and event.call != self.state.call:
            self.state.set_call(event.call)

    def restyle(self) -> None:
        self.step.setIcon(icon("step"))
        self.to_end.setIcon(icon("run"))
        self.view.viewport().update()
