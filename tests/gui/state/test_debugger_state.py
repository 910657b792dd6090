"""The shared state: announces real changes once, clamps, and keeps what still exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.recorded.run import RecordedRun, recorded_run
from ravenglass.replay.run import Run, SimulatedRun
from ravenglass.replay.stepping.changes import HandChange
from ravenglass.sessions import open_session
from ravenglass_gui.state.debugger_state import DebuggerState
from tests.engine.replay.recorded_sessions import compacted, talk
from tests.gui.recordings import write_chat
from tests.gui.replayed import cut_off
from tests.proofs import examples


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SimulatedRun:
    path = write_chat(tmp_path_factory.mktemp("chat") / "chat.json", exchanges=30)
    return replay(open_session(path), load("tight-32k"))


def test_that_a_new_run_keeps_the_call_that_still_exists(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    assert state.call == 30
    state.set_call(7)
    state.set_run(run)
    assert state.call == 7


def test_that_a_session_takes_run_call_selection_and_changes_with_it(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.select(3)
    state.add_change(HandChange(1, "pin", 3))
    state.set_session(None)
    assert (state.run, state.call, state.selected, state.changes, state.root) == (None, 0, None, (), None)


def test_that_a_sub_agent_keeps_the_root_of_its_file(state: DebuggerState, run: SimulatedRun) -> None:
    child = run.session
    root = object.__new__(type(run.session))
    state.set_session(child, root)
    assert state.root is root
    state.set_session(child)
    assert state.root is child


def test_that_nothing_is_announced_that_did_not_change(qtbot: QtBot, state: DebuggerState, run: SimulatedRun) -> None:
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
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_the_call_never_leaves_the_run(state: DebuggerState, run: SimulatedRun, moves: list[int]) -> None:
    state.set_session(run.session)
    state.set_run(run)
    for move in moves:
        state.set_call(state.call + move)
        assert 1 <= state.call <= run.calls


def test_that_moving_the_playhead_ends_the_stepped_conversation(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    assert state.step_curator() is not None
    assert state.loop is not None
    state.set_call(state.call - 1)
    assert state.loop is None


def test_that_another_session_ends_the_stepped_conversation(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.step_curator()
    state.set_session(None)
    assert state.loop is None


def test_that_another_run_ends_the_stepped_conversation(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.step_curator()
    state.set_run(replay(run.session, load("default")))
    assert state.loop is None


def test_that_the_simulated_run_is_shown_until_the_recorded_one_is_read(
    qtbot: QtBot, state: DebuggerState, run: SimulatedRun
) -> None:
    state.set_session(run.session)
    state.show_recorded(True)
    state.set_run(run)
    assert (state.run, state.call) == (run, run.calls)
    recorded = recorded_run(run.session)
    with qtbot.waitSignal(state.run_changed):
        state.set_recorded(recorded)
    assert state.run is recorded


def test_that_what_is_read_beside_the_shown_run_leaves_it_alone(
    qtbot: QtBot, state: DebuggerState, run: SimulatedRun
) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.step_curator()
    with qtbot.waitSignal(state.other_changed), qtbot.assertNotEmitted(state.run_changed):
        state.set_recorded(recorded_run(run.session))
    assert state.loop is not None


def test_that_a_change_by_hand_shows_the_simulated_run(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_run(run)
    state.set_recorded(recorded_run(run.session))
    state.show_recorded(True)
    state.add_change(HandChange(1, "pin", 3))
    assert state.run is run


def test_that_stepping_without_a_run_does_nothing(state: DebuggerState) -> None:
    assert state.step_curator() is None
    assert state.loop is None


def test_that_playing_through_thousands_of_calls_announces_each(state: DebuggerState, run: SimulatedRun) -> None:
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


def test_that_the_current_request_is_selected_when_nothing_is_yet(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    assert state.selected is None
    state.set_run(run)
    assert state.selected == run.frame(state.call).user_message is not None


def test_that_a_session_that_was_read_on_keeps_call_selection_and_filter(
    qtbot: QtBot, state: DebuggerState, run: SimulatedRun
) -> None:
    earlier = replay(cut_off(run.session, 20), run.profile)
    state.set_session(earlier.session)
    state.set_run(earlier)
    calls = earlier.calls
    state.set_call(4)
    state.select(3)
    state.set_filter("role:user")
    with qtbot.waitSignals([state.grown, state.run_changed]), qtbot.assertNotEmitted(state.call_changed):
        state.set_grown(run.session, run)
    assert (state.call, state.selected, state.filter) == (4, 3, "role:user")
    assert (state.session, state.root, state.run) == (run.session, run.session, run)
    assert calls < run.calls


def test_that_a_playhead_at_the_end_goes_on_with_the_session(state: DebuggerState, run: SimulatedRun) -> None:
    earlier = replay(cut_off(run.session, 20), run.profile)
    state.set_session(earlier.session)
    state.set_run(earlier)
    state.set_grown(run.session, run)
    assert state.call == run.calls


def test_that_a_playhead_at_the_end_stays_where_a_conversation_is_stepped(
    qtbot: QtBot, state: DebuggerState, run: SimulatedRun
) -> None:
    earlier = replay(cut_off(run.session, 20), run.profile)
    state.set_session(earlier.session)
    state.set_run(earlier)
    state.step_curator()
    stepped = state.loop
    with qtbot.assertNotEmitted(state.call_changed):
        state.set_grown(run.session, run)
    assert state.call == earlier.calls < run.calls
    assert state.loop is stepped is not None


@pytest.mark.parametrize("past", [0, 1, 20])
def test_that_what_a_replaced_session_does_not_have_is_not_selected(
    state: DebuggerState, run: SimulatedRun, past: int
) -> None:
    earlier = replay(cut_off(run.session, 20), run.profile)
    state.set_session(run.session)
    state.set_run(run)
    state.set_call(25)
    state.select(len(earlier.session.messages) + past)
    state.set_grown(earlier.session, earlier)
    assert state.call == earlier.calls
    assert state.selected is not None
    assert state.selected < len(earlier.session.messages)


class TwoRuns(RuleBasedStateMachine):
    """Whatever comes in whatever order: `run` is one of the two, of the session that is open, and every change of it
    is announced."""

    @initialize()
    def begin(self) -> None:
        self.sessions = (talk(), compacted())
        self.simulated = [[replay(s, load(name)) for name in ("default", "tight-32k")] for s in self.sessions]
        self.recorded = [recorded_run(s) for s in self.sessions]
        self.state = DebuggerState()
        self.at = -1
        self.announced: Run | None = None
        self.outline: Run | None = None
        self.state.run_changed.connect(self._heard)
        self.state.other_changed.connect(self._heard_of_other)

    def _heard(self) -> None:
        self.announced, self.outline = self.state.run, self.state.other

    def _heard_of_other(self) -> None:
        assert self.state.run is self.announced
        self.outline = self.state.other

    @rule(which=st.sampled_from([-1, 0, 1]))
    def open(self, which: int) -> None:
        self.at = which
        self.state.set_session(self.sessions[which] if which >= 0 else None)

    @rule(profile=st.sampled_from([0, 1]))
    def replayed(self, profile: int) -> None:
        if self.at >= 0:
            self.state.set_run(self.simulated[self.at][profile])

    @rule()
    def was_read(self) -> None:
        if self.at >= 0:
            self.state.set_recorded(self.recorded[self.at])

    @rule(on=st.booleans())
    def switch(self, on: bool) -> None:
        self.state.show_recorded(on)
        assert self.state.showing == ("recorded" if on and self.state.recorded is not None else "simulated")

    @rule(trim=st.sampled_from([0.5, 0.7, 0.9]))
    def slide(self, trim: float) -> None:
        before = self.state.profile
        self.state.set_profile(before.with_values(trim_target=trim))
        assert self.state.profile == before or self.state.showing == "simulated"

    @rule(call=st.integers(-3, 30))
    def go(self, call: int) -> None:
        self.state.set_call(call)

    @rule(call=st.integers(1, 4))
    def step(self, call: int) -> None:
        self.state.set_call(call)
        if self.state.simulated is not None:
            self.state.step_curator()
            assert self.state.showing == "simulated"

    @invariant()
    def holds(self) -> None:
        state = self.state
        assert state.run in (state.simulated, state.recorded)
        assert state.run is not state.other or state.run is None
        assert isinstance(state.run, RecordedRun) == (state.showing == "recorded")
        assert all(run is None or run.session is state.session for run in (state.simulated, state.recorded))
        assert 0 <= state.call <= state.calls
        assert (state.call > 0) == (state.calls > 0)
        assert state.run is self.announced
        assert state.other is self.outline
        assert state.loop is None or state.showing == "simulated"


TwoRuns.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=25, deadline=None)
TestTwoRuns = TwoRuns.TestCase
