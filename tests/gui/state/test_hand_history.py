"""Changes by hand, undone and made again."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.hand_history import KEPT, Changes, in_order
from tests.proofs import examples


def pin(call: int, message: int = 1) -> HandChange:
    return HandChange(call, "pin", message)


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
            past[at + 1 :] = [in_order((*past[at], pin(move, number)))]
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
    shown = state.run
    state.undo_change()
    assert state.changes == ()
    assert state.run is shown  # the bridge replays under the profile in force


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
