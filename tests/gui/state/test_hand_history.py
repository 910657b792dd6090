"""Changes by hand, undone and made again."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.stepping.changes import Change
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.hand_history import KEPT, Changes
from tests.proofs import examples


def pin(call: int, message: int = 1) -> HandChange:
    return HandChange(call, "pin", message)


def _call(change: Change) -> int:
    return change.call


@given(moves=st.lists(st.one_of(st.integers(1, 60), st.sampled_from(("undo", "redo"))), max_size=40))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_undo_and_redo_lead_through_what_was_in_force(run: SimulatedRun, moves: list[int | str]) -> None:
    state = DebuggerState()
    state.set_session(run.session)
    past: list[Changes] = [()]
    at = 0
    for number, move in enumerate(moves):
        if move == "undo":
            state.undo_change()
            at = max(at - 1, 0, len(past) - 1 - KEPT if at == 0 else 0)
        elif move == "redo":
            state.redo_change()
            at = min(at + 1, len(past) - 1)
        else:
            assert isinstance(move, int)
            state.add_change(pin(move, number))
            past[at + 1 :] = [tuple(sorted((*past[at], pin(move, number)), key=_call))]
            at += 1
            if len(past) > KEPT + 1:
                del past[0]
                at -= 1
        assert state.changes == past[at]


def test_that_undo_shows_the_former_run_at_once(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_profile(run.profile)
    state.set_run(run)
    state.add_change(pin(5))
    changed = replay(run.session, run.profile, state.changes)
    state.set_run(changed)
    state.undo_change()
    assert state.run is run
    state.redo_change()
    assert state.run is changed


def test_that_a_run_of_another_profile_is_not_brought_back(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_profile(run.profile)
    state.set_run(run)
    state.add_change(pin(5))
    state.set_profile(run.profile.with_values(trim_target=0.31))
    slid = replay(run.session, state.profile, state.changes)
    state.set_run(slid)
    state.undo_change()
    assert state.changes == ()
    assert state.run is slid  # the bridge replays under the profile in force


def test_that_the_last_twenty_changes_can_be_taken_back(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    for call in range(1, 26):
        state.add_change(pin(call))
    for _ in range(25):
        state.undo_change()
    assert [change.call for change in state.changes] == [1, 2, 3, 4, 5]
    assert not state.history.canUndo()


def test_that_another_session_has_no_history(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.add_change(pin(5))
    state.set_session(None)
    state.undo_change()
    assert state.changes == ()
    assert not state.history.canUndo()
    assert not state.history.canRedo()


def test_that_what_was_asked_for_in_vain_is_taken_back(state: DebuggerState, run: SimulatedRun) -> None:
    state.set_session(run.session)
    state.set_profile(run.profile)
    state.set_run(run)
    state.add_change(pin(5))
    state.set_profile(run.profile.with_values(trim_target=0.31))
    state.go_back_to(run)
    assert (state.changes, state.profile, state.run) == ((), run.profile, run)
    state.redo_change()
    assert state.changes == (pin(5),)
