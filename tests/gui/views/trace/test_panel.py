"""The trace panel and the stepped curator."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run
from ravenglass.trace import TraceEvent
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.stepping import stepper_of
from ravenglass_gui.views.trace.panel import TracePanel
from tests.gui.replayed import slow_call


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> TracePanel:
    shown: TracePanel = show(TracePanel(loaded))
    return shown


def listed(panel: TracePanel) -> list[TraceEvent | None]:
    return [panel.model.event_at(row) for row in range(panel.model.rowCount())]


def test_that_without_a_session_it_says_what_would_be_there(state: DebuggerState, show: Any) -> None:
    panel = show(TracePanel(state))
    assert panel._empty.sentence() == "What was decided at each call appears here once a session is open."
    assert not panel.step.isEnabled()


def test_that_it_lists_the_events_of_the_call_in_order(panel: TracePanel, run: Run) -> None:
    call = slow_call(run)
    panel.state.set_call(call)
    assert listed(panel) == list(run.events(call))
    assert panel.count.text() == f"{len(run.events(call))} events"


def test_that_selecting_an_event_shows_its_payload(panel: TracePanel, run: Run) -> None:
    call = slow_call(run)
    panel.state.set_call(call)
    row = next(r for r, e in enumerate(run.events(call)) if e.event == "slow_path_accepted")
    panel.view.setCurrentIndex(panel.model.index(row, 0))
    keys = [panel.payload.tree.index(r, 0).data() for r in range(panel.payload.tree.rowCount())]
    assert keys == ["plan", "validation"]


def test_that_a_click_on_an_event_selects_the_message_it_is_about(qtbot: QtBot, panel: TracePanel, run: Run) -> None:
    events = run.events(60)
    row = next(r for r, e in enumerate(events) if e.event == "item_registered")
    place = panel.view.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.state.selected == events[row].messages[0]


def test_that_all_slow_paths_are_listed_and_a_click_moves_the_playhead(
    qtbot: QtBot, panel: TracePanel, run: Run
) -> None:
    panel.scope.setCurrentIndex(1)
    qtbot.waitUntil(lambda: panel.slow_paths.complete and "gathering" not in panel.count.text(), timeout=10_000)
    calls = {e.call for e in listed(panel) if e}
    assert calls == {n for n, path in enumerate(run.paths, 1) if path != "fast"}
    place = panel.view.visualRect(panel.model.index(0, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.state.call == min(calls)


def test_that_kinds_can_be_hidden_and_brought_back(qtbot: QtBot, panel: TracePanel, run: Run) -> None:
    panel.state.set_call(slow_call(run))
    for name in {e.event for e in run.events(slow_call(run))}:
        panel.set_kind_shown(name, False)
    total = len(run.events(slow_call(run)))
    assert panel._empty.sentence() == f"The filter hides {total} events."
    qtbot.mouseClick(panel._empty.button(), Qt.MouseButton.LeftButton)
    assert panel.model.rowCount() == total


def test_that_the_kinds_menu_counts_what_there_is(panel: TracePanel, run: Run) -> None:
    panel.state.set_call(slow_call(run))
    panel._fill_kinds()
    texts = [a.text() for a in panel.kinds_menu.actions()]
    changed = sum(e.event == "state_changed" for e in run.events(slow_call(run)))
    assert f"State changed  ({changed})" in texts


def test_that_each_press_of_step_adds_one_event_and_shows_it(qtbot: QtBot, panel: TracePanel, run: Run) -> None:
    panel.state.set_call(slow_call(run))
    for presses in range(1, 6):
        qtbot.mouseClick(panel.step, Qt.MouseButton.LeftButton)
        assert panel.model.rowCount() == presses
        assert panel.view.currentIndex().row() == presses - 1
    assert panel.count.text() == "5 events · stepping"


def test_that_running_to_the_end_gives_what_stepping_gives(qtbot: QtBot, panel: TracePanel, run: Run) -> None:
    call = slow_call(run)
    panel.state.set_call(call)
    qtbot.mouseClick(panel.to_end, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.stepper.done, timeout=10_000)
    assert listed(panel) == run.loop(call).run()
    assert panel.count.text().endswith("· conversation over")
    assert not panel.step.isEnabled()


def test_that_stop_shows_the_events_of_the_replay_again(qtbot: QtBot, panel: TracePanel, run: Run) -> None:
    panel.state.set_call(slow_call(run))
    qtbot.mouseClick(panel.step, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.stop, Qt.MouseButton.LeftButton)
    assert listed(panel) == list(run.events(slow_call(run)))
    assert not panel.stop.isEnabled()


def test_that_leaving_the_call_ends_the_stepping(qtbot: QtBot, panel: TracePanel) -> None:
    panel.stepper.finish()
    panel.state.set_call(1)
    qtbot.wait(20)
    assert not panel.stepper.active


def test_that_there_is_one_stepper_a_state(panel: TracePanel) -> None:
    assert stepper_of(panel.state) is panel.stepper


def test_that_stepping_without_a_run_says_so(state: DebuggerState) -> None:
    said: list[str] = []
    state.message_posted.connect(lambda _level, sentence: said.append(sentence))
    assert stepper_of(state).step() is None
    assert said == ["There is no call to step: open a session first."]
