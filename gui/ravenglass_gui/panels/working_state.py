"""Goals, open threads and decisions at the call under the playhead, and what changed of them."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ravenglass.curator.working_state import WorkingState
from ravenglass_gui.models.working_state import entries
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.line_list import LineList
from ravenglass_gui.widgets.live_panel import LivePanel
from ravenglass_gui.widgets.section import SectionTitle


class WorkingStatePanel(LivePanel):
    """Clicking a line's source selects that message."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "workingStatePanel", parent)
        self.title = SectionTitle("Working state", parent=self)
        self.lines = LineList(self)
        self.lines.setAccessibleName("Working state")
        self._empty = EmptyState(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self.lines, 1)
        layout.addWidget(self._empty, 1)
        self.lines.source_chosen.connect(state.select)

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._say("The goals, open threads and decisions at the call appear here once a session is open.")
            self.title.set_facts("")
            return
        frame = run.frame(call)
        before = run.frame(call - 1).working_state if call > 1 else WorkingState()
        self.title.set_facts(f"call {call:,} · {frame.working_state_tokens:,} tokens")
        if frame.working_state.is_empty and before.is_empty:
            self._say(
                f"No goal, open thread or decision was recorded before call {call:,}. They are taken from todo and plan"
                " tools, the user's constraints and commits."
            )
            return
        self._empty.hide()
        self.lines.show()
        self.lines.show_entries(entries(frame.working_state, before, run.profile))

    def _say(self, sentence: str) -> None:
        self.lines.hide()
        self._empty.show()
        self._empty.say(sentence)
