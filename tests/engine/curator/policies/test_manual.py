"""The manual policy: what a person submits is spoken as tool calls, what was wrong with it comes back."""

from __future__ import annotations

import pytest

from ravenglass.curator.policies.manual import ManualPolicy, Rejection, Submission
from ravenglass.hub.item import State
from ravenglass.replay import Run
from ravenglass.replay.stepper import ReplayLoop
from tests.engine.curator.policies.pressure import busy_run, slow_call

WANTED = frozenset({0, 3, 4, 21, 22})


@pytest.fixture(scope="module")
def run() -> Run:
    return busy_run()


def step_to(loop: ReplayLoop, event: str) -> bool:
    """Step up to and with the next event of that name; False where there is none."""
    while (found := loop.step()) is not None:
        if found.event == event:
            return True
    return False


def archivable(run: Run) -> int:
    """A message that is on standby at the slow call and in nobody's way."""
    call = slow_call(run)
    return next(m for m in range(5, run.rows(call - 1)) if run.state(call - 1, m) == State.STANDBY)


@pytest.mark.rule("6.18")
def test_that_a_submitted_plan_becomes_the_window(run: Run) -> None:
    policy = ManualPolicy()
    assert policy.waiting
    policy.submit(Submission(WANTED, relevance={3: 0.9, 5: 0.1, 6: 0.1}, notes="mine"))
    assert not policy.waiting
    loop = run.loop(slow_call(run), policy)
    loop.run()
    assert loop.result is not None
    assert loop.result.path == "slow"
    calls = next(e.payload["tool_calls"] for e in loop.events if e.event == "curator_llm_response")
    assert [c["name"] for c in calls] == [
        "curator_set_relevance", "curator_set_relevance", "curator_build_context",
    ]  # fmt: skip
    assert calls[0]["arguments"] == {"message_ids": [5, 6], "relevance": 0.1}
    group_of = run.session.structure.group_of
    assert {group_of[m] for m in WANTED} <= set(loop.result.assembled.placed)
    assert policy.rejection is None
    assert policy.refusals == ()
    assert policy.waiting


def test_that_archiving_takes_effect_with_the_plan(run: Run) -> None:
    message = archivable(run)
    policy = ManualPolicy()
    policy.submit(Submission(WANTED, archive=frozenset({message}), reason="not needed"))
    loop = run.loop(slow_call(run), policy)
    loop.run()
    archived = [e for e in loop.events if e.event == "archived" and message in e.messages]
    assert [e.payload["reason"] for e in archived] == ["not needed"]


@pytest.mark.rule("6.18")
def test_that_a_rejected_plan_comes_back_with_reasons_and_can_be_tried_again(run: Run) -> None:
    policy = ManualPolicy()
    policy.submit(Submission(WANTED | {9_999}))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "plan_rejected")
    assert policy.rejection is not None
    assert policy.rejection.step == 1
    assert "9999" in policy.rejection.reasons[0]
    policy.submit(Submission(WANTED))
    assert step_to(loop, "slow_path_accepted")
    assert policy.rejection is None


def test_that_the_assemblers_verdict_comes_back_with_its_figures(run: Run) -> None:
    """A plan that names a message and archives it contradicts itself."""
    message = archivable(run)
    policy = ManualPolicy()
    policy.submit(Submission(WANTED | {message}, archive=frozenset({message})))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "plan_rejected")
    rejection = policy.rejection
    assert isinstance(rejection, Rejection)
    assert "is in the window, so it cannot be archived" in rejection.reasons[0]
    assert rejection.budget == run.budget.available
    assert rejection.tokens is not None
    assert 0 < rejection.tokens <= rejection.budget


def test_that_a_second_try_forgets_what_the_first_archived_and_rated(run: Run) -> None:
    message = archivable(run)
    policy = ManualPolicy()
    policy.submit(Submission(WANTED | {message}, archive=frozenset({message}), relevance={message: 1.0}))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "plan_rejected")
    policy.submit(Submission(WANTED | {message}))
    assert step_to(loop, "slow_path_accepted")
    assert loop.conversation is not None
    assert not loop.conversation.desk.relevance
    assert message not in {m for e in loop.run() if e.event == "archived" for m in e.messages}


def test_that_a_second_try_forgets_what_the_first_made_of_the_working_state(run: Run) -> None:
    policy = ManualPolicy()
    policy.submit(Submission(WANTED | {9_999}, goals=("only of the first try",)))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "plan_rejected")
    policy.submit(Submission(WANTED))
    assert step_to(loop, "slow_path_accepted")
    assert loop.update is None
    assert loop.conversation is not None
    assert "only of the first try" not in str(loop.conversation.desk.working_state)


def test_that_refused_tools_are_told_even_where_the_plan_is_accepted(run: Run) -> None:
    policy = ManualPolicy()
    policy.submit(Submission(WANTED, archive=frozenset({0}), relevance={4: 2.0}))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "slow_path_accepted")
    assert policy.rejection is None
    assert len(policy.refusals) == 2
    assert any("have to stay in the window" in refusal for refusal in policy.refusals)
    assert any("relevance" in refusal for refusal in policy.refusals)


def test_that_a_question_without_a_submission_ends_in_the_fail_safe(run: Run) -> None:
    loop = run.loop(slow_call(run), ManualPolicy())
    loop.run()
    assert loop.result is not None
    assert loop.result.path == "fail_safe"
    assert loop.conversation is not None
    assert loop.conversation.reason == "No plan was submitted for step 1; the fail-safe decides."


def test_that_a_later_submission_replaces_an_earlier_one(run: Run) -> None:
    policy = ManualPolicy()
    policy.submit(Submission(frozenset({9_999})))
    policy.submit(Submission(WANTED))
    loop = run.loop(slow_call(run), policy)
    assert step_to(loop, "slow_path_accepted")
    assert not any(e.event == "plan_rejected" for e in loop.events)
