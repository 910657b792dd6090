"""The working state panel: what holds, what is new, what is gone."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.profile import Profile
from ravenglass.replay import Run, replay
from ravenglass.replay.vocabulary import StateEdit, StateLine, WorkingState
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.working_state.entries import Entry, entries
from ravenglass_gui.views.working_state.panel import WorkingStatePanel


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> WorkingStatePanel:
    shown: WorkingStatePanel = show(WorkingStatePanel(loaded), 320, 300)
    return shown


def test_that_new_lines_are_marked_and_removed_ones_listed() -> None:
    before = WorkingState(goals=(StateLine("old", 3), StateLine("kept", 4)))
    now = WorkingState(goals=(StateLine("kept", 4), StateLine("fresh", 9)))
    assert entries(now, before, Profile())[:4] == [
        Entry("heading", "Goals", "2 of 8", list="goals"),
        Entry("line", "kept", "#4", 4, "goals"),
        Entry("added", "fresh", "#9", 9, "goals"),
        Entry("removed", "old", "#3", 3, "goals"),
    ]


def test_that_an_empty_list_says_so_under_its_limit() -> None:
    rows = entries(WorkingState(), WorkingState(), Profile())
    assert [(r.text, r.facts) for r in rows if r.kind == "heading"] == [
        ("Goals", "0 of 8"),
        ("Open threads", "0 of 12"),
        ("Decisions", "0 of 20"),
    ]
    assert sum(r.kind == "none" for r in rows) == 3


def test_that_every_line_of_the_frame_is_listed(panel: WorkingStatePanel, run: Run) -> None:
    for call in (60, 15, 41):
        panel.state.set_call(call)
        state = run.frame(call).working_state
        wanted = [line.text for part in (state.goals, state.open_threads, state.decisions) for line in part]
        assert [e.text for e in panel.lines.entries() if e.kind in ("line", "added")] == wanted
        assert wanted


def test_that_a_line_leads_to_its_message(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    row = next(r for r in panel.lines._rows if r.entry.source is not None)
    qtbot.mouseClick(row.source, Qt.MouseButton.LeftButton)
    assert panel.state.selected == row.entry.source


def test_that_without_a_session_it_says_what_would_be_there(state: DebuggerState, show: Any) -> None:
    panel = show(WorkingStatePanel(state), 320, 300)
    assert "appear here once a session is open" in panel._empty.sentence()


def row_of(panel: WorkingStatePanel, kind: str) -> Any:
    return next(r for r in panel.lines._rows if r.entry.kind == kind and r.change.isEnabled())


def type_line(qtbot: QtBot, panel: WorkingStatePanel, text: str) -> None:
    editor = panel.lines.editor
    assert editor.isVisible()
    editor.text.setPlainText(text)
    qtbot.keyClick(editor.text, Qt.Key.Key_Return)


def test_that_a_line_is_added_under_its_heading(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    panel.state.set_call(30)
    qtbot.mouseClick(row_of(panel, "heading").change, Qt.MouseButton.LeftButton)
    assert panel.lines.editor.remove.isHidden()
    type_line(qtbot, panel, "ask about\nthe cookie 修复")
    assert panel.state.changes == (StateEdit(30, "goals", "", "ask about the cookie 修复"),)
    assert panel.lines.editor.isHidden()


def test_that_a_line_is_reworded_in_its_place(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    row = next(r for r in panel.lines._rows if r.entry.editable)
    before = row.entry.text
    assert row.entry.list is not None
    qtbot.mouseClick(row.change, Qt.MouseButton.LeftButton)
    assert panel.lines.editor.text.toPlainText() == before
    assert not row.isVisible()
    assert not panel.lines.editor.save.isEnabled()
    type_line(qtbot, panel, "another goal")
    assert panel.state.changes == (StateEdit(60, row.entry.list, before, "another goal"),)


def test_that_a_line_is_removed(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    row = next(r for r in panel.lines._rows if r.entry.editable)
    assert row.entry.list is not None
    qtbot.mouseClick(row.change, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.lines.editor.remove, Qt.MouseButton.LeftButton)
    assert panel.state.changes == (StateEdit(60, row.entry.list, row.entry.text, ""),)


def test_that_escape_leaves_the_line_as_it_was(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    row = next(r for r in panel.lines._rows if r.entry.editable)
    qtbot.mouseClick(row.change, Qt.MouseButton.LeftButton)
    panel.lines.editor.text.setPlainText("no")
    qtbot.keyClick(panel.lines.editor.text, Qt.Key.Key_Escape)
    assert panel.lines.editor.isHidden()
    assert row.isVisible()
    assert panel.state.changes == ()


def test_that_a_line_over_the_limit_cannot_be_saved(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    qtbot.mouseClick(row_of(panel, "heading").change, Qt.MouseButton.LeftButton)
    type_line(qtbot, panel, "x" * 401)
    assert panel.lines.editor.count.text() == "401 / 400"
    assert panel.state.changes == ()


def test_that_what_the_list_holds_already_is_refused_in_place(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    known = next(r.entry for r in panel.lines._rows if r.entry.editable and r.entry.list == "goals")
    qtbot.mouseClick(row_of(panel, "heading").change, Qt.MouseButton.LeftButton)
    type_line(qtbot, panel, known.text)
    assert panel.lines.editor.error.text() == "The goals hold this line already; nothing was changed."
    assert panel.lines.editor.isVisible()
    assert panel.state.changes == ()


def test_that_a_full_list_takes_no_more_lines() -> None:
    lines = tuple(StateLine(f"goal {n}", n) for n in range(8))
    (heading,) = [e for e in entries(WorkingState(goals=lines), WorkingState(), Profile()) if e.text == "Goals"]
    assert heading.full


def test_that_moving_on_puts_the_editor_away(qtbot: QtBot, panel: WorkingStatePanel) -> None:
    qtbot.mouseClick(row_of(panel, "heading").change, Qt.MouseButton.LeftButton)
    panel.state.set_call(10)
    assert panel.lines.editor.isHidden()


def test_that_the_branch_says_what_is_by_hand_and_when_the_window_holds_it(panel: WorkingStatePanel, run: Run) -> None:
    fast = next(n for n in range(20, run.calls) if run.paths[n - 1] == "fast")
    later = next(n for n in range(fast, run.calls + 1) if run.paths[n - 1] != "fast")
    edit = StateEdit(fast, "decisions", "", "keep every public name")
    panel.state.set_run(replay(run.session, run.profile, [edit]))
    panel.state.set_call(fast)
    (entry,) = [e for e in panel.lines.entries() if e.text == edit.after]
    assert entry.by_hand
    row = next(r for r in panel.lines._rows if r.entry == entry)
    assert row.mark.text() == "by hand"
    assert any(f"at call {later}" in e.text for e in panel.lines.entries() if e.kind == "note")
    assert panel.state.run is not None
    assert edit.after in {line.text for line in panel.state.run.injected(later).decisions}
    assert edit.after in "".join(m.text for m in panel.state.run.window(later).messages if m.label == "working state")
