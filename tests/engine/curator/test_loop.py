from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.desk import Desk
from ravenglass.curator.loop import Answer, CuratorCall, CuratorLoop, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.planner import Planner, plan_of
from ravenglass.curator.working_state.state import EMPTY
from ravenglass.errors import RavenglassError
from ravenglass.scheduler.packing import schedule
from ravenglass.scheduler.view import View
from tests.engine.curator.desks import Brought, Clock, NamedArchive, converse
from tests.engine.curator.policies_for_tests import Scripted, Wild
from tests.engine.curator.test_assembler import conversation
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import STANDBY, look, plain, views


def build(*messages: int) -> CuratorCall:
    return CuratorCall("curator_build_context", {"include_message_ids": list(messages)})


SEARCH = CuratorCall("curator_search_history", {"query": "login"})


def small() -> View:
    return look(conversation(10, 20, 30), plain(max_steps=4, timeout_s=30), places={1: STANDBY})


@pytest.mark.rule("6.15")
@thorough
@given(views())
def test_that_the_planner_always_ends_in_an_accepted_plan(view: View) -> None:
    loop, events = converse(view, Planner())
    assert loop.assembled is not None
    assert not loop.failed_safe
    assert events[-1].payload["tool"] == "curator_build_context"
    decision = schedule(view)
    named = {view.features.session.structure.group_of[m] for m in plan_of(view, decision).include}
    assert named == set(decision.include)


@pytest.mark.rule("6.4", "6.10")
@thorough
@given(views(), st.integers(0, 2**32), st.sampled_from(("model", "manual", "recorded")))
def test_that_any_conversation_ends_within_its_steps_with_a_window_within_budget(
    view: View, seed: int, name: Author
) -> None:
    loop, events = converse(view, Wild(seed, name))
    assert loop.assembled is not None
    assert loop.done
    assert loop.assembled.verdict.tokens <= view.budget.available
    asked = [e for e in events if e.event == "curator_llm_request"]
    assert len(asked) <= view.profile.max_steps
    assert loop.failed_safe == bool(loop.reason)
    assert loop.step() is None


@pytest.mark.rule("6.6", "6.19")
def test_that_a_step_is_one_event_and_a_conversation_alternates() -> None:
    _, events = converse(small(), Scripted([SEARCH], [build(0)]))
    assert [e.event for e in events] == [
        "curator_llm_request", "curator_llm_response", "curator_tool_result",
        "curator_llm_request", "curator_llm_response", "curator_tool_result",
    ]  # fmt: skip
    assert [e.payload["step"] for e in events] == [1, 1, 1, 2, 2, 2]


@pytest.mark.rule("6.7")
def test_that_the_first_accepted_plan_ends_the_loop() -> None:
    policy = Scripted([build(0), SEARCH])
    loop, events = converse(small(), policy)
    assert [e.payload["tool"] for e in events if e.event == "curator_tool_result"] == ["curator_build_context"]
    assert (policy.asked, loop.failed_safe, loop.reason) == (1, False, "")


@pytest.mark.rule("6.13")
def test_that_a_rejected_plan_comes_back_with_reasons_and_may_be_tried_again() -> None:
    archive = CuratorCall("curator_archive_messages", {"message_ids": [1], "reason": "old"})
    policy = Scripted([archive, build(1)], [build(3)])
    loop, events = converse(small(), policy)
    (rejected,) = (e for e in events if e.event == "plan_rejected")
    assert rejected.payload["errors"] == ["message 1 is in the window, so it cannot be archived"]
    assert rejected.payload["retry_allowed"] is True
    assert policy.turns[-1].results[-1][1]["ok"] is True
    assert loop.assembled is not None
    assert loop.assembled.archive == {1: "old"}
    assert not loop.failed_safe


@pytest.mark.rule("6.6")
def test_that_the_policy_sees_the_results_of_its_calls() -> None:
    policy = Scripted([SEARCH, CuratorCall("curator_read_memory", {})], [build(0)])
    converse(small(), policy)
    assert [request.name for request, _ in policy.turns[-1].results] == [
        "curator_search_history", "curator_read_memory", "curator_build_context",
    ]  # fmt: skip


@pytest.mark.rule("6.8")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RavenglassError("The endpoint is gone."), "The endpoint is gone."),
        (KeyError("choices"), "KeyError: 'choices'"),
        (RecursionError("too deep"), "RecursionError: too deep"),
    ],
)
def test_that_a_policy_that_raises_ends_in_the_fail_safe(error: Exception, reason: str) -> None:
    loop, events = converse(small(), Scripted(error))
    assert loop.failed_safe
    assert loop.reason == reason
    assert events[-1].event == "slow_path_exception"
    assert events[-1].payload == {"step": 1, "error": reason}
    assert loop.assembled is not None


def test_that_a_policy_whose_question_cannot_be_asked_ends_in_the_fail_safe() -> None:
    class Mute(Scripted):
        def request(self, so_far: Deliberation) -> list[dict[str, object]]:
            raise ValueError(f"no words at step {so_far.step}")

    loop, events = converse(small(), Mute([build(0)]))
    assert (loop.failed_safe, loop.reason) == (True, "ValueError: no words at step 1")
    assert [e.event for e in events] == ["slow_path_exception"]


def test_that_a_keyboard_interrupt_is_not_swallowed() -> None:
    class Interrupted(Scripted):
        def answer(self, so_far: Deliberation) -> Answer:
            raise KeyboardInterrupt(so_far.step)

    with pytest.raises(KeyboardInterrupt):
        converse(small(), Interrupted([]))


@pytest.mark.rule("6.4", "6.8")
def test_that_a_policy_that_never_builds_uses_up_its_steps() -> None:
    policy = Scripted([SEARCH])
    loop, _ = converse(small(), policy)
    assert policy.asked == 4
    assert (loop.failed_safe, loop.reason) == (True, "no accepted plan after 4 steps")


def test_that_a_policy_that_says_nothing_uses_up_its_steps_too() -> None:
    loop, events = converse(small(), Scripted([]))
    assert loop.failed_safe
    assert {e.payload.get("finish_reason") for e in events if e.event == "curator_llm_response"} == {"stop"}


def test_that_the_last_rejection_is_named_where_no_plan_was_accepted() -> None:
    archive = CuratorCall("curator_archive_messages", {"message_ids": [1], "reason": "old"})
    loop, _ = converse(small(), Scripted([archive, build(1)]))
    assert loop.reason == (
        "no accepted plan after 4 steps; the last one: message 1 is in the window, so it cannot be archived"
    )


class Slow(Scripted):
    """Thinks for a while before each answer."""

    def __init__(self, clock: Clock, seconds: float, *answers: list[CuratorCall]) -> None:
        super().__init__(*answers)
        self._clock, self._seconds = clock, seconds

    def answer(self, so_far: Deliberation) -> Answer:
        self._clock.now += self._seconds
        return super().answer(so_far)


@pytest.mark.rule("6.5", "6.8")
def test_that_an_answer_that_comes_too_late_is_not_carried_out() -> None:
    clock = Clock()
    loop, events = converse(small(), Slow(clock, 31, [build(0)]), clock)
    assert (loop.failed_safe, loop.reason) == (True, "the curator took longer than 30 s")
    assert [e.event for e in events] == ["curator_llm_request", "curator_llm_response"]


@pytest.mark.rule("6.5")
def test_that_the_time_of_all_steps_counts_together() -> None:
    clock = Clock()
    policy = Slow(clock, 12, [SEARCH])
    loop, _ = converse(small(), policy, clock)
    assert loop.reason == "the curator took longer than 30 s"
    assert policy.asked == 3


def test_that_an_answer_in_time_is_carried_out() -> None:
    clock = Clock()
    loop, _ = converse(small(), Slow(clock, 14, [SEARCH], [build(0)]), clock)
    assert not loop.failed_safe


@pytest.mark.rule("6.14")
@pytest.mark.parametrize("name", ["", "rm -rf", "curator_build", "CURATOR_BUILD_CONTEXT"])
def test_that_an_unknown_tool_gets_the_names_of_those_there_are(name: str) -> None:
    _, events = converse(small(), Scripted([CuratorCall(name, {})], [build(0)]))
    (result, *_) = (e.payload["result"] for e in events if e.event == "curator_tool_result")
    assert isinstance(result, dict)
    assert str(result["error"]).startswith(f"there is no tool {name!r}; there are curator_search_history, ")


def test_that_a_request_says_what_there_is_to_decide() -> None:
    _, events = converse(small(), Scripted([build(0)]))
    payload = events[0].payload
    assert payload["policy"] == "model"
    assert payload["groups"] == {"active": 3, "standby": 1}
    assert payload["message_count"] == 7
    assert (payload["budget"], payload["target"]) == (10_000, 10_000)
    assert len(list(payload["tools"])) == 8  # type: ignore[call-overload]  # a list of names


@pytest.mark.rule("6.4", "6.5")
def test_that_the_limits_of_the_design_are_twelve_steps_and_thirty_seconds() -> None:
    view = look(conversation(10, 10))
    policy = Scripted([SEARCH])
    loop, _ = converse(view, policy)
    assert (policy.asked, loop.reason) == (12, "no accepted plan after 12 steps")
    clock = Clock()
    late, in_time = Slow(clock, 30.5, [build(0)]), Slow(clock, 30, [build(0)])
    assert converse(view, late, clock)[0].failed_safe
    assert not converse(view, in_time, clock)[0].failed_safe


@pytest.mark.rule("6.5")
def test_that_time_that_a_tool_took_counts_before_the_policy_is_asked_again() -> None:
    clock = Clock()

    class Slow(NamedArchive):
        def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Brought:
            clock.now += 31
            return super().retrieve(ref, mode, max_tokens)

    policy = Scripted([CuratorCall("curator_retrieve_archived", {"refs": ["day/s.jsonl#1-1"]})], [build(0)])
    loop = CuratorLoop(Desk(small(), Slow(), EMPTY, policy.name), policy, clock=clock)
    while loop.step() is not None:
        pass
    assert policy.asked == 1
    assert loop.failed_safe
    assert loop.reason == "the curator took longer than 30 s"
