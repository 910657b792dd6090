"""Moves of the playhead."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.navigation import Navigator
from tests.gui.recordings import write_chat


@pytest.fixture
def go(state: DebuggerState, tmp_path: Path) -> Navigator:
    session = open_session(write_chat(tmp_path / "chat.json", exchanges=45))
    state.set_session(session)
    state.set_run(replay(session, load("tight-32k")))
    return Navigator(state, state)


def test_that_turns_are_left_through_their_first_call(go: Navigator, state: DebuggerState) -> None:
    state.set_call(14)
    go.previous_turn()
    assert state.call == 11
    go.previous_turn()
    assert state.call == 1
    go.previous_turn()
    assert state.call == 1
    go.last()
    go.next_turn()
    assert state.call == 45


def test_that_the_next_turn_is_another_one_from_its_first_call_too(go: Navigator, state: DebuggerState) -> None:
    go.first()
    visited = []
    for _ in range(5):
        go.next_turn()
        visited.append(state.call)
    assert visited == [11, 21, 31, 41, 41]


def test_that_the_marks_are_those_of_the_run_that_is_shown(go: Navigator, state: DebuggerState) -> None:
    assert state.session is not None
    tight = go.marks()
    state.set_run(replay(state.session, load("default")))
    assert go.marks() == Navigator(state, state).marks() != tight


def test_that_run_to_break_finds_one_at_the_last_call(go: Navigator, state: DebuggerState, tmp_path: Path) -> None:
    assert state.run is not None
    last = max(n for n, path in enumerate(state.run.paths, 1) if path == "slow")
    session = open_session(write_chat(tmp_path / "shorter.json", exchanges=last))
    state.set_session(session)
    state.set_run(replay(session, load("tight-32k")))
    state.set_call(last - 1)
    go.run_to_break()
    assert state.call == last


def test_that_marked_events_are_visited_in_order_and_the_end_is_told(
    qtbot: QtBot, go: Navigator, state: DebuggerState
) -> None:
    go.first()
    visited = []
    marks = go.marks()
    assert len(marks) > 2
    for _ in marks:
        go.next_event()
        visited.append(state.call)
    assert visited == [mark for mark in marks if mark > 1][: len(marks)] + [marks[-1]] * (marks[0] == 1)
    with qtbot.waitSignal(state.message_posted) as posted:
        go.next_event()
    assert posted.args == ["info", "There is no marked event after this call."]


def test_that_run_to_break_visits_every_slow_path_and_then_says_so(
    qtbot: QtBot, go: Navigator, state: DebuggerState
) -> None:
    assert state.run is not None
    slow = [n for n, path in enumerate(state.run.paths, 1) if path != "fast"]
    go.first()
    visited = []
    for _ in slow:
        go.run_to_break()
        visited.append(state.call)
    assert visited == [n for n in slow if n > 1][: len(slow)]
    with qtbot.waitSignal(state.message_posted):
        go.run_to_break()


def test_that_playing_moves_on_and_stops_at_the_last_call(qtbot: QtBot, go: Navigator, state: DebuggerState) -> None:
    state.set_call(42)
    go.set_speed(200)
    go.toggle_play()
    assert go.playing
    qtbot.waitUntil(lambda: not go.playing, timeout=5_000)
    assert state.call == 45


def test_that_playing_at_the_end_starts_again_and_a_second_press_stops(go: Navigator, state: DebuggerState) -> None:
    go.last()
    go.toggle_play()
    assert state.call == 1
    go.toggle_play()
    assert not go.playing


def test_that_nothing_moves_without_a_session(qtbot: QtBot) -> None:
    state = DebuggerState()
    go = Navigator(state, state)
    for act in (go.first, go.last, go.next_turn, go.previous_turn, go.run_to_break, go.toggle_play, go.next_event):
        act()
    assert state.call == 0
    assert not go.playing
