"""Plans that a person made for a slow path: the replay takes them, the stepped conversation ends in the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.policies.manual import ManualPolicy
from ravenglass.hub.item import State
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun, branch, replay
from ravenglass.replay.stepping.changes import HandPlan
from ravenglass.sessions.model.session import Session
from tests.engine.builders import profiles, sessions, with_calls
from tests.engine.replay.runs import thorough
from tests.engine.replay.stepping.test_changes import _pressed


def _slow(run: SimulatedRun) -> int:
    return next(number for number, path in enumerate(run.paths, 1) if path == "slow")


def test_that_the_window_holds_what_the_plan_names_and_what_may_not_be_missing() -> None:
    base = _pressed()
    call = _slow(base)
    run = replay(base.session, base.profile, [HandPlan(call, frozenset({1}))])
    held = {m.id for m in run.window(call).messages if m.id is not None}
    exempt = run.rerun(call).result.assembled
    assert exempt is not None
    assert {1, 2} <= held
    assert held == {m for g in exempt.placed for m in run.inputs.features.groups[g].messages if m < run.rows(call)}
    assert not base.in_window(call, 1)
    why = run.why(call, 2)
    assert why.headline == f"It is in because the plan made by hand for call {call} names a message of its group."
    assert (why.rank, why.cut_rank) == (None, None)
    out = next(m for m in range(run.rows(call)) if not run.in_window(call, m))
    assert run.why(call, out).headline == f"It is out because the plan made by hand for call {call} does not name it."


def test_that_a_plan_at_a_call_on_the_fast_path_changes_nothing() -> None:
    base = _pressed()
    assert base.paths[0] == "fast"
    run = replay(base.session, base.profile, [HandPlan(1, frozenset())])
    assert [repr(run.window(n)) for n in range(1, run.calls + 1)] == [
        repr(base.window(n)) for n in range(1, base.calls + 1)
    ]


def test_that_a_plan_over_the_budget_is_trimmed_and_says_what_it_asked_for() -> None:
    base = _pressed()
    call = max(number for number, path in enumerate(base.paths, 1) if path == "slow")
    run = replay(base.session, base.profile, [HandPlan(call, frozenset(range(base.rows(call))))])
    assembled = run.rerun(call).result.assembled
    assert assembled is not None
    assert assembled.asked > run.budget.available >= run.window_tokens[call - 1]
    assert assembled.dropped


def test_that_what_cannot_be_archived_is_left_and_the_rest_of_the_plan_holds() -> None:
    base = _pressed()
    call = max(number for number, path in enumerate(base.paths, 1) if path == "slow")
    idle = next(m for m in range(base.rows(call)) if base.state(call - 1, m) is State.STANDBY)
    newest = base.rows(call) - 1
    run = replay(base.session, base.profile, [HandPlan(call, frozenset(), archive=frozenset({idle, newest}))])
    assert run.row(call, idle).archived
    assert run.in_window(call, newest)
    entry = next(e for e in run.archive(call) if idle in e.messages)
    assert (entry.by, entry.reason, entry.call) == ("hand", "archived by hand", call)


def test_that_the_trace_names_the_person() -> None:
    base = _pressed()
    call = _slow(base)
    run = replay(base.session, base.profile, [HandPlan(call, frozenset({1}))])
    verdict = next(e for e in run.events(call) if e.event == "slow_path_accepted")
    plan = verdict.payload["plan"]
    assert isinstance(plan, dict)
    assert plan["author"] == "manual"


@thorough
@given(st.data(), sessions().filter(with_calls), profiles())
@pytest.mark.rule("6.18")
def test_that_the_conversation_with_a_person_ends_in_the_window_of_the_branch(
    data: st.DataObject, built: Session, p: Profile
) -> None:
    base = replay(built, p)
    call = data.draw(st.integers(1, base.calls))
    plan = HandPlan(
        call, data.draw(st.frozensets(st.integers(0, max(0, base.rows(call) - 1)))), data.draw(st.booleans())
    )
    made = replay(built, p, [plan])
    person = ManualPolicy()
    person.submit(
        HandPlan(call, frozenset(m for m in plan.include if m < base.rows(call)), plan.working_state).submission()
    )
    asked = base.loop(call, person)
    asked.run()
    again = made.loop(call)
    again.run()
    bulk = made.rerun(call).result
    for loop in (asked, again):
        assert loop.result is not None
        assert (loop.result.path, loop.result.tokens) == (bulk.path, bulk.tokens)
        assert loop.result.assembled == bulk.assembled
    assert repr(branch(base, call, changes=[plan]).window(call)) == repr(made.window(call))
