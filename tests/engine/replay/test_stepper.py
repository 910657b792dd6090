from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.loop import CuratorCall
from ravenglass.curator.plan import Author
from ravenglass.hub.item import State
from ravenglass.replay import SimulatedRun, replay
from ravenglass.trace import EVENT_NAMES, TraceEvent
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.curator.policies_for_tests import Scripted, Wild
from tests.engine.replay.outcome import window_after
from tests.engine.replay.runs import any_runs, caps, runs, states_and_forms, thorough
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import plain


@pytest.mark.rule("6.21")
@thorough
@given(any_runs())
def test_that_the_stepped_loop_ends_in_the_window_of_the_bulk_replay(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        loop = run.loop(number)
        loop.run()
        assert loop.result is not None
        assert (bytes(loop.live.states), bytes(loop.live.forms)) == states_and_forms(run, number)
        assert loop.live.caps == caps(run, number)
        assert (loop.result.path, loop.result.tokens) == (run.paths[number - 1], run.window_tokens[number - 1])
        assert loop.result.moves.archived == run._log.archived.get(number, {})
        assert loop.result.state_version == run._log.versions[number - 1]
        assert window_after(run, loop) == run.window(number)


@pytest.mark.rule("6.20")
@thorough
@given(any_runs())
def test_that_stepping_and_running_give_the_same_events(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        stepped, ran = run.loop(number), run.loop(number)
        events: list[TraceEvent] = []
        while (event := stepped.step()) is not None:
            assert not stepped.done
            events.append(event)
        assert stepped.done
        assert stepped.step() is None
        assert events == stepped.events == ran.run() == ran.events


@thorough
@given(any_runs())
def test_that_the_conversation_is_all_that_a_stepped_call_adds_to_the_trace(run: SimulatedRun) -> None:
    conversation = {"curator_llm_request", "curator_llm_response", "curator_tool_result"}
    for number in range(1, run.calls + 1):
        spoken = [e for e in run.loop(number).run() if e.event not in conversation]
        assert spoken == list(run.events(number))


@pytest.mark.rule("8.3")
@thorough
@given(any_runs())
def test_that_every_event_has_a_known_name_the_call_and_known_messages(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        events = run.loop(number).run()
        assert events[0].event == "curator_start"
        assert events[-1].event == "main_agent_result"
        for event in events:
            assert event.event in EVENT_NAMES
            assert event.call == number
            assert all(0 <= m < len(run.session.messages) for m in event.messages)
            assert event.to_json()


@pytest.mark.rule("6.10", "R1")
@thorough
@given(runs(), st.integers(0, 2**32), st.sampled_from(("model", "manual", "recorded", "planner")))
def test_that_whatever_a_policy_does_the_window_is_valid_and_within_budget(
    run: SimulatedRun, seed: int, name: Author
) -> None:
    for number in range(1, run.calls + 1):
        if run.paths[number - 1] == "fast":
            continue
        loop = run.loop(number, Wild(seed, name))
        events = loop.run()
        assert loop.result is not None
        window = window_after(run, loop)
        assert window.tokens == loop.result.tokens <= run.budget.available
        assert problems(window.messages) == []
        fell_back = [e for e in events if e.event == "fallback"]
        assert bool(fell_back) == (loop.result.path == "fail_safe")
        assert all(e.payload["reason"] for e in fell_back)
        placed = [g for g, form in enumerate(loop.live.forms) if form]
        assert all(loop.live.states[g] != State.ARCHIVED for g in placed)
        users = [m.id for m in run.session.messages[: run.rows(number)] if m.role == "user"]
        if users and not loop.result.impossible:
            assert users[-1] in {m.id for m in window.messages}


def _pressed() -> SimulatedRun:
    """A run whose calls 6 and later archive, and whose last call takes the slow path."""
    tool_group = (assistant("", call("Bash", command="make")), result(filler(400)))
    built = session(user("fix the login"), *tool_group * 12, assistant("end"))
    run = replay(built, plain(1_500, trim_target=0.7, standby_calls=2, fast_path_threshold=0.3))
    assert run.paths[run.calls - 1] == "slow"
    return run


@pytest.mark.rule("6.1")
def test_that_a_loop_over_a_fast_call_has_no_conversation() -> None:
    run = replay(session(user("hello"), assistant("hi")))
    loop = run.loop(1)
    events = loop.run()
    assert "fast_path" in [e.event for e in events]
    assert not [e for e in events if e.event.startswith("curator_llm")]
    assert events == list(run.events(1))
    assert loop.conversation is None


def test_that_the_planner_looks_first_and_builds_at_the_second_step() -> None:
    run = _pressed()
    events = run.loop(run.calls).run()
    tools = [e.payload["tool"] for e in events if e.event == "curator_tool_result"]
    assert tools[:2] == ["curator_search_history", "curator_check_budget"]
    assert tools[-1] == "curator_build_context"
    assert [e.payload["step"] for e in events if e.event == "curator_llm_request"] == [1, 2]


def test_that_a_policy_that_brings_back_what_was_archived_is_said_to_have_retrieved_it() -> None:
    run = _pressed()
    archived = run.archive(run.calls - 1)[0]
    build = CuratorCall("curator_build_context", {"include_message_ids": list(archived.messages)})
    loop = run.loop(run.calls, Scripted([build]))
    events = loop.run()
    assert [(e.payload, e.messages) for e in events if e.event == "retrieved"] == [
        ({"ref": archived.ref, "by": "curator"}, archived.messages)
    ]
    group = run.session.structure.group_of[archived.messages[0]]
    assert State(loop.live.states[group]) is State.ACTIVE


@pytest.mark.rule("6.8")
def test_that_a_failing_policy_is_told_in_the_fallback_event() -> None:
    run = _pressed()
    loop = run.loop(run.calls, Scripted(RuntimeError("no connection")))
    events = loop.run()
    failed = next(e for e in events if e.event == "slow_path_exception")
    fallback = next(e for e in events if e.event == "fallback")
    assert failed.payload["error"] == fallback.payload["reason"] == "RuntimeError: no connection"
    assert loop.result is not None
    assert loop.result.path == "fail_safe"
    assert not [e for e in events if e.event == "slow_path_accepted"]
