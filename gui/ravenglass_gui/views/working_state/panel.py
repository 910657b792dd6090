"""Goals, open threads and decisions at the call under the playhead, what changed of them, and changes by hand."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ravenglass.errors import PlanError
from ravenglass.replay.run import Run
from ravenglass.replay.vocabulary import StateEdit, WorkingState, checked
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.working_state.entries import Entry, entries, logged_entries
from ravenglass_gui.views.working_state.line_editor import LineWish
from ravenglass_gui.views.working_state.line_list import LineList
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle


class WorkingStatePanel(LivePanel):
    """Clicking a line's source selects that message; a changed line makes a branch from the call on."""

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
        self.lines.wished.connect(self._change)
        self._at: tuple[Run | None, int] = (None, 0)

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if self._at != (run, call):
            self.lines.close_editor()
        self._at = (run, call)
        if run is None or not call:
            self._show_nothing()
            return
        if is_recorded(run):
            self.title.set_facts("recorded")
            self._say(
                "The record holds no working state: this engine makes it, in the simulated run. Press R to show that."
            )
            return
        frame = run.frame(call)
        before = run.frame(call - 1).working_state if call > 1 else WorkingState()
        self.title.set_facts(f"simulated · {frame.working_state_tokens:,} tokens in the window", "simulated")
        self._empty.hide()
        self.lines.show()
        self.lines.limit = run.profile.max_line_chars
        self.lines.show_entries([*entries(frame.working_state, before, run.profile), *_note(run, call)])

    def _show_nothing(self) -> None:
        log, call = self.state.log, self.state.call
        recorded = log.state(call).working_state if log is not None and call and self.state.session is None else None
        if recorded is None:
            there = "The goals, open threads and decisions at the call appear here"
            self._say(why_empty(self.state, there, lacks="working state at this call"))
            self.title.set_facts("")
            return
        self.title.set_facts("recorded")
        self._empty.hide()
        self.lines.show()
        self.lines.show_entries(logged_entries(recorded))

    def _change(self, wish: LineWish) -> None:
        run, call = self._at
        if run is None:
            return
        edit = StateEdit(call, wish.list, wish.before, wish.after)
        try:
            edit = checked(edit, run.frame(call).working_state, run.profile)
        except PlanError as error:
            self.lines.editor.show_error(str(error))
            return
        self.lines.close_editor()
        self.state.add_change(edit)

    def _say(self, sentence: str) -> None:
        self.lines.hide()
        self._empty.show()
        self._empty.say(sentence)


def _note(run: Run, call: int) -> list[Entry]:
    """Where the window holds another state than this, why, and from which call on it will hold this one."""
    state = run.frame(call).working_state
    if state.is_empty and run.injected(call).is_empty:
        return [Entry("note", "Lines come from todo and plan tools, the user's constraints and commits, or from you.")]
    if run.injected(call) == state:
        return []
    later = next((n for n in range(call + 1, run.calls + 1) if run.paths[n - 1] != "fast"), None)
    when = f"with the next slow path, at call {later:,}" if later else "with a slow path; none follows in this run"
    held = "an older state" if not run.injected(call).is_empty else "none yet"
    return [Entry("note", f"The window of this call holds {held}: lines go into it {when}.")]
