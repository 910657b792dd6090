"""The shared state: announces real changes once, clamps, and keeps what still exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.changes import HandChange
from ravenglass.replay.run import Run
from ravenglass.sessions import open_session
from ravenglass_gui.state import DebuggerState
from tests.gui.recordings import write_chat


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = write_chat(tmp_path_factory.mktemp("chat") / "chat.json", exchanges=30)
    return replay(open_session(path), load("tight-32k"))


def test_that_a_new_run_keeps_the_call_that_still_exists(state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    state.set_run(run)
    assert state.call == 30
    state.set_call(7)
    state.set_run(run)
    assert state.call == 7


def test_that_a_session_takes_run_call_selection_and_changes_with_it(state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.select(3)
    state.add_change(HandChange(1, "pin", 3))
    state.set_session(None)
    assert (state.run, state.call, state.selected, state.changes, state.root) == (None, 0, None, (), None)


def test_that_a_sub_agent_keeps_the_root_of_its_file(state: DebuggerState, run: Run) -> None:
    child = run.session
    root = object.__new__(type(run.session))
    state.set_session(child, root)
    assert state.root is root
    state.set_session(child)
    assert state.root is child


def test_that_nothing_is_announced_that_did_not_change(qtbot: QtBot, state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.set_call(5)
    for signal, act in (
        (state.call_changed, lambda: state.set_call(5)),
        (state.selection_changed, lambda: state.select(state.selected)),
        (state.filter_changed, lambda: state.set_filter(state.filter)),
        (state.profile_changed, lambda: state.set_profile(state.profile)),
        (state.profile_changed, state.undo_change),
    ):
        with qtbot.assertNotEmitted(signal):
            act()


@given(moves=st.lists(st.integers(-100, 100), max_size=20))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_the_call_never_leaves_the_run(state: DebuggerState, run: Run, moves: list[int]) -> None:
    state.set_session(run.session)
    state.set_run(run)
    for move in moves:
        state.set_call(state.call + move)
        assert 1 <= state.call <= run.calls


def test_that_moving_the_playhead_ends_the_stepped_conversation(state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    state.set_run(run)
    assert state.step_curator() is not None
    assert state.loop is not None
    state.set_call(state.call - 1)
    assert state.loop is None


def test_that_stepping_without_a_run_does_nothing(state: DebuggerState) -> None:
    assert state.step_curator() is None
    assert state.loop is None


class _Sender(QObject):
    said = Signal(object, int)


def test_that_five_thousand_signals_from_python_all_arrive() -> None:
    """Some versions of PySide end the process after some thousand emits from Python."""
    sender = _Sender()
    heard: list[int] = []
    sender.said.connect(lambda _, number: heard.append(number))
    for number in range(5_000):
        sender.said.emit({"number": number}, number)
    assert heard == list(range(5_000))


def test_that_playing_through_thousands_of_calls_announces_each(state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    state.set_run(run)
    heard: list[int] = []
    state.call_changed.connect(heard.append)
    wanted = [1 + n % run.calls for n in range(5_000)]
    for call in wanted:
        state.set_call(call)
    assert heard == [call for n, call in enumerate(wanted) if call != (wanted[n - 1] if n else run.calls)]


def test_that_the_recordings_of_these_tests_are_read_whole(tmp_path: Path) -> None:
    session = open_session(write_chat(tmp_path / "chat.json", exchanges=12))
    assert len(session.structure.calls) == 12
    assert not session.damage


def test_that_the_current_request_is_selected_when_nothing_is_yet(state: DebuggerState, run: Run) -> None:
    state.set_session(run.session)
    assert state.selected is None
    state.set_run(run)
    assert state.selected == run.frame(state.call).user_message is not None
