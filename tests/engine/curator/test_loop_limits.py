"""The loop's limits: what counts as its time, what a policy is told of it, what a policy may hand over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ravenglass.curator.loop import Answer, CuratorCall, CuratorLoop, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.planner import Planner
from ravenglass.replay import Run
from ravenglass.trace import Json
from tests.engine.curator.policies.pressure import busy_run, slow_call


class Clock:
    """Time that only passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """Gives fixed answers; `think` seconds pass at each."""

    name: Author = "model"

    def __init__(self, clock: Clock, *answers: Answer, think: float = 0.0) -> None:
        self._clock, self._answers, self._think = clock, iter(answers), think
        self.left: list[float] = []

    def answer(self, so_far: Deliberation) -> Answer:
        self.left.append(so_far.left)
        self._clock.now += self._think
        return next(self._answers, Answer("", ()))


@pytest.fixture(scope="module")
def run() -> Run:
    return busy_run(timeout_s=30, max_steps=12)


def desk_of(run: Run) -> Iterator[CuratorLoop]:
    loop = run.loop(slow_call(run))
    while loop.conversation is None:
        loop.step()
    yield loop.conversation


def loop_with(run: Run, policy: object, clock: Clock) -> CuratorLoop:
    (made,) = desk_of(run)
    return CuratorLoop(made.desk, policy, clock=clock)  # type: ignore[arg-type]


@pytest.mark.rule("6.5")
def test_that_a_person_who_steps_slowly_uses_up_no_time_limit(run: Run) -> None:
    clock = Clock()
    loop = loop_with(run, Planner(), clock)
    while loop.step() is not None:
        clock.now += 1_000
    assert not loop.failed_safe


def test_that_time_spent_inside_the_steps_ends_in_the_fail_safe(run: Run) -> None:
    clock = Clock()
    policy = Scripted(clock, think=12)
    loop = loop_with(run, policy, clock)
    while loop.step() is not None:
        clock.now += 1_000
    assert loop.failed_safe
    assert loop.reason == "the curator took longer than 30 s"
    assert policy.left == [30, 18, 6]


def test_that_a_call_with_a_problem_is_not_run_and_gets_it_as_its_result(run: Run) -> None:
    clock = Clock()
    bad = CuratorCall("curator_set_relevance", {"message_ids": [0], "relevance": 0.0}, "unreadable")
    loop = loop_with(run, Scripted(clock, Answer("", (bad,))), clock)
    events = []
    while (event := loop.step()) is not None:
        events.append(event)
    results = [e.payload["result"] for e in events if e.event == "curator_tool_result"]
    assert results == [{"error": "unreadable"}]
    assert loop.desk.relevance == {}


def test_that_the_requests_of_a_policy_with_texts_are_in_the_trace(run: Run) -> None:
    class Talking(Scripted):
        def request(self, so_far: Deliberation) -> list[Json]:
            return [{"role": "user", "content": f"step {so_far.step}"}]

    clock = Clock()
    loop = loop_with(run, Talking(clock), clock)
    event = loop.step()
    assert event is not None
    assert event.payload["messages"] == [{"role": "user", "content": "step 1"}]


@pytest.mark.rule("6.8")
def test_that_used_up_steps_tell_why_the_last_plan_came_back(run: Run) -> None:
    clock = Clock()
    bad = Answer("", (CuratorCall("curator_build_context", {"include_message_ids": [9_999]}),))
    loop = loop_with(run, Scripted(clock, *[bad] * 12), clock)
    while loop.step() is not None:
        pass
    assert loop.reason.startswith("no accepted plan after 12 steps; the last one: message ids [9999] are not known")
