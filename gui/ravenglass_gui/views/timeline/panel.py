"""The timeline: tokens by tier at every call, limits, marked events, and the playhead that all panels follow."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from ravenglass_gui.state.absence import no_call
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shown import is_recorded, words
from ravenglass_gui.views.timeline.legend import Legend
from ravenglass_gui.views.timeline.series import Series, drawn_part, series, summary
from ravenglass_gui.views.timeline.view import TimelineView
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle


class TimelinePanel(QWidget):
    """Shows `state.run`; a click or drag in it moves `state.call`."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setMinimumHeight(150)
        self._state = state
        self._series: Series | None = None
        self._title = SectionTitle("Timeline")
        self.view = TimelineView()
        self._empty = EmptyState()
        plot = QWidget()
        plot_layout = QVBoxLayout(plot)
        plot_layout.setContentsMargins(0, 0, 0, 0)
        plot_layout.setSpacing(2)
        plot_layout.addWidget(self.view, 1)
        self.legend = Legend()
        plot_layout.addWidget(self.legend)
        self._stack = QStackedLayout()
        self._stack.addWidget(plot)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addLayout(self._stack, 1)
        self.view.scrubbed.connect(state.set_call)
        state.run_changed.connect(self._show_run)
        state.other_changed.connect(self._show_run)
        state.call_changed.connect(self._show_call)
        state.part_changed.connect(self._show_part)
        self._show_run()

    @property
    def series(self) -> Series | None:
        """What is drawn now."""
        return self._series

    def _show_run(self) -> None:
        run = self._state.run
        if run is None or not run.calls:
            self._series = None
            self._empty.say(self._why_empty())
            self._title.set_facts("")
            self._stack.setCurrentIndex(1)
            return
        self._series = series(run, self._state.other, self._state.recorded)
        self._title.set_facts(summary(run), words(run))
        self.legend.show_lines(self._series.outline_words, reported=self._series.reported is not None)
        self.view.set_series(self._series)
        self.view.set_call(self._state.call)
        self._stack.setCurrentIndex(0)

    def _show_part(self) -> None:
        """The run that is being made, as far as it is there, over the one that is shown."""
        part, run = self._state.part, self._state.run
        if self._series is None or run is None:
            return
        drawn = None if part is None or is_recorded(run) or part.calls > run.calls else drawn_part(part)
        self.view.set_part(drawn)
        being_made = f"being replayed · {drawn.calls:,} of {run.calls:,} calls" if drawn is not None else summary(run)
        self._title.set_facts(being_made, words(run))

    def _show_call(self, call: int) -> None:
        self.view.set_call(call)

    def _why_empty(self) -> str:
        session = self._state.session
        log = self._state.log
        if session is None and log is not None:
            return (
                f"Recorded trace log: {log.facts()}. It holds no tokens by tier to draw;"
                " Left and Right go from call to call."
            )
        if session is None:
            return (
                "Tokens by tier for every model call of a session."
                " Open a recorded session with Ctrl+O, or drop its file here."
            )
        if self._state.run is None:
            return "This session is being replayed; its timeline appears when that is done."
        return no_call(session)
