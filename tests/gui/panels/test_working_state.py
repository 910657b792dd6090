"""The working state panel: what holds, what is new, what is gone."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.curator.working_state import Line, WorkingState
from ravenglass.profile import Profile
from ravenglass.replay import Run
from ravenglass_gui.models.working_state import Entry, entries
from ravenglass_gui.panels.working_state import WorkingStatePanel
from ravenglass_gui.state import DebuggerState


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> WorkingStatePanel:
    shown: WorkingStatePanel = show(WorkingStatePanel(loaded), 320, 300)
    return shown


def test_that_new_lines_are_marked_and_removed_ones_listed() -> None:
    before = WorkingState(goals=(Line("old", 3), Line("kept", 4)))
    now = WorkingState(goals=(Line("kept", 4), Line("fresh", 9)))
    assert entries(now, before, Profile())[:4] == [
        Entry("heading", "Goals", "2 of 8"),
        Entry("line", "kept", "#4", 4),
        Entry("added", "fresh", "#9", 9),
        Entry("removed", "old", "#3", 3),
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
