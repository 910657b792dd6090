"""A model's plan over budget goes back to it with what is wrong and by how much; only the last one is trimmed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT, Author
from ravenglass.replay.stepper import ReplayLoop
from tests.engine.curator.policies.pressure import busy_run, slow_call


class Says:
    """One plan a step, the last one again and again. A plan of None names everything."""

    name: Author = "model"

    def __init__(self, *plans: Sequence[int] | None) -> None:
        self.plans = plans
        self.heard: list[dict[str, object]] = []

    def answer(self, so_far: Deliberation) -> Answer:
        self.heard = [result for call, result in so_far.results if call.name == BUILD_CONTEXT]
        view = so_far.desk.view
        plan = self.plans[min(so_far.step, len(self.plans)) - 1]
        ids = list(range(view.features.boundary(view.call))) if plan is None else list(plan)
        return Answer("", (CuratorCall(BUILD_CONTEXT, {"include_message_ids": ids}),))


def curate(policy: Says) -> ReplayLoop:
    run = busy_run()
    loop = run.loop(slow_call(run), policy)
    loop.run()
    assert loop.result is not None
    assert loop.result.assembled is not None
    assert loop.result.assembled.verdict.over_by == 0
    return loop


@pytest.mark.rule("6.42")
def test_that_a_plan_over_budget_comes_back_with_the_tokens_to_save_and_can_be_mended() -> None:
    policy = Says(None, [])
    loop = curate(policy)
    (said,) = [e.payload for e in loop.events if e.event == "plan_rejected"]
    assert said["retry_allowed"] is True
    assert said["over_by"] == int(str(said["total_tokens"])) - int(str(said["max_prompt_tokens"])) > 0
    sentence = str(said["errors"])
    assert f"the plan needs {said['total_tokens']:,} tokens, {said['over_by']:,} over the budget" in sentence
    assert policy.heard[0]["over_by"] == said["over_by"]
    assert loop.result is not None
    assert loop.result.path == "slow"
    assert loop.result.assembled is not None
    assert not any("over the budget" in warning for warning in loop.result.assembled.verdict.warnings)


@pytest.mark.rule("6.42")
def test_that_a_plan_that_stays_over_budget_is_trimmed_at_the_last_step_and_that_is_said() -> None:
    loop = curate(Says(None))
    assert loop.result is not None
    steps = loop.stepper.inputs.profile.max_steps
    assert len([e for e in loop.events if e.event == "plan_rejected"]) == steps - 1
    assert loop.result.path == "slow"
    assert loop.result.assembled is not None
    assert loop.result.assembled.author == "model"
    (accepted,) = [e.payload for e in loop.events if e.event == "slow_path_accepted"]
    assert "left out, the lowest scores first" in str(accepted["validation"])


def test_that_the_last_plan_over_budget_stands_where_no_plan_comes_after_it() -> None:
    class Falls(Says):
        def answer(self, so_far: Deliberation) -> Answer:
            return super().answer(so_far) if so_far.step == 1 else Answer("hm", ())

    loop = curate(Falls(None))
    assert loop.result is not None
    assert loop.result.path == "slow"
    assert loop.conversation is not None
    assert not loop.conversation.failed_safe
