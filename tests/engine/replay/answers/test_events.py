from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given

from ravenglass.hub.item import TRANSITIONS, State
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.sessions.model.session import Message, Usage
from ravenglass.trace import MARKER_EVENTS
from tests.engine.builders import assistant, call, filler, result, session, system, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain

STATES = {state.label: state for state in State}


@thorough
@given(any_runs())
def test_that_every_item_is_registered_once_at_the_call_that_first_knows_it(run: SimulatedRun) -> None:
    seen: Counter[int] = Counter()
    for number in range(1, run.calls + 1):
        registered = [e for e in run.events(number) if e.event == "item_registered"]
        groups = [run.session.structure.group_of[e.messages[0]] for e in registered]
        assert groups == list(range(run.inputs.features.known[number - 1], run.inputs.features.known[number]))
        seen.update(groups)
    assert all(count == 1 for count in seen.values())


@pytest.mark.rule("4.28")
@thorough
@given(any_runs())
def test_that_states_change_only_along_the_state_machine(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        for event in run.events(number):
            if event.event == "state_changed":
                before, after = STATES[str(event.payload["from"])], STATES[str(event.payload["to"])]
                # One call may take several steps (cut, then archived); each of them exists.
                between = TRANSITIONS[before] | {t for s in TRANSITIONS[before] for t in TRANSITIONS[s]}
                assert before is after or after in between


@pytest.mark.rule("8.4")
@thorough
@given(any_runs())
def test_that_replaying_the_events_gives_the_states_of_the_run(run: SimulatedRun) -> None:
    states: dict[int, str] = {}
    for number in range(1, run.calls + 1):
        for event in run.events(number):
            groups = {run.session.structure.group_of[m] for m in event.messages}
            if event.event == "item_registered":
                states.update(dict.fromkeys(groups, "active"))
            elif event.event == "state_changed":
                states.update(dict.fromkeys(groups, str(event.payload["to"])))
            elif event.event == "archived":
                states.update(dict.fromkeys(groups, "archived"))
        for group, state in states.items():
            first = run.session.structure.groups[group].messages[0]
            assert run.state(number, first).label == state


@pytest.mark.rule("6.1")
@thorough
@given(any_runs())
def test_that_the_path_is_said_by_exactly_one_event(run: SimulatedRun) -> None:
    name = {"fast": "fast_path", "slow": "slow_path_accepted", "fail_safe": "fallback"}
    for number in range(1, run.calls + 1):
        said = [e.event for e in run.events(number) if e.event in name.values()]
        assert said == [name[run.paths[number - 1]]]


@thorough
@given(any_runs())
def test_that_the_timeline_marks_the_calls_that_have_the_event(run: SimulatedRun) -> None:
    markers = run.markers()
    assert set(markers) == {"slow_path_accepted", *MARKER_EVENTS}
    names = {n: {e.event for e in run.events(n)} for n in range(1, run.calls + 1)}
    for marker, calls in markers.items():
        assert list(calls) == [n for n in names if marker in names[n]]


@thorough
@given(any_runs())
def test_that_the_verdict_names_what_is_in_the_window(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        for event in run.events(number):
            if event.event == "slow_path_accepted":
                plan, verdict = event.payload["plan"], event.payload["validation"]
                assert isinstance(plan, dict)
                assert isinstance(verdict, dict)
                assert {m for m in range(run.rows(number)) if run.in_window(number, m)} <= set(
                    plan["include_message_ids"]
                )
                assert verdict["total_tokens"] == run.window_tokens[number - 1]
                assert verdict["max_prompt_tokens"] == run.budget.available
                assert verdict["over_by"] == 0


def _work(*texts: str, command: str = "make") -> list[Message]:
    return [m for text in texts for m in (assistant("", call("Bash", command=command)), result(text))]


def test_that_a_call_begins_with_the_budget_and_ends_with_the_response() -> None:
    built = session(user("go"), assistant("done", usage=Usage(1_000, 20, 900, 0)))
    events = replay(built).events(1)
    start, end = events[0], events[-1]
    assert start.event == "curator_start"
    assert start.payload["budget"] == {
        "window": 128_000, "output_reserve": 25_600, "system": 3_000, "safety": 6_400, "available": 93_000,
        "quotas": {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300},
    }  # fmt: skip
    assert (start.payload["threshold_tokens"], start.payload["max_steps"], start.payload["message_count"]) == (
        55_800,
        12,
        1,
    )
    assert (end.payload["message"], end.payload["response"]) == (1, "done")
    assert end.payload["usage"] == {
        "context": 1_000,
        "output": 20,
        "cache_read": 900,
        "cache_write": 0,
        "cache_write_1h": None,
    }
    assert end.ts == built.messages[1].ts


@pytest.mark.rule("8.1")
def test_that_a_trace_line_is_what_the_reference_implementation_reads() -> None:
    event = replay(session(user("登录"), assistant("done"))).events(1)[-1]
    line = json.loads(event.to_json())
    assert set(line) == {"ts", "event", "payload"}
    assert line["ts"] == "2026-01-01T00:00:10+00:00"


@pytest.mark.rule("6.29")
def test_that_a_pin_and_its_move_are_said_with_the_instruction() -> None:
    skill = (assistant("", call("Skill", skill="review")), result("how to review"))
    run = replay(session(user("go"), *skill, *skill, assistant("end")))
    assert [(e.event, e.payload) for n in (2, 3) for e in run.events(n) if e.event.startswith("pin")] == [
        ("pinned", {"instruction": "review"}),
        ("pin_moved", {"instruction": "review", "from": 1, "to": 3}),
    ]


@pytest.mark.rule("3.14")
def test_that_a_demotion_is_said_when_it_is_registered() -> None:
    read = (assistant("", call("Read", file_path="CLAUDE.md")), result(filler(300)))
    run = replay(session(system("x"), user("go"), *read, assistant("ok")), plain(1_000, global_cap=0.1))
    (event,) = (e for e in run.events(2) if e.event == "item_demoted")
    assert (event.payload["from"], event.payload["to"], event.messages) == ("global", "task", (2, 3))


@pytest.mark.rule("10.1")
def test_that_a_result_that_stands_as_a_stub_from_now_on_is_said_to_be_offloaded() -> None:
    built = session(user("go"), *_work(*(f"{n} {filler(300)}" for n in range(8))), assistant("end"))
    run = replay(built, plain(1_500, offload_tokens=100, offload_after=1, stub_chars=40))
    events = [e for n in range(1, run.calls + 1) for e in run.events(n) if e.event == "offloaded"]
    offloaded = {e.messages: e.payload for e in events}
    assert offloaded
    for payload in offloaded.values():
        assert payload["form"] == "offloaded"
        assert int(str(payload["tokens"])) < int(str(payload["full_tokens"]))


@pytest.mark.rule("4.15", "4.33")
def test_that_expiry_names_the_file_and_the_message() -> None:
    messages = [
        user("go"), assistant("", call("Read", file_path="a.py")), result("old"),
        assistant("", call("Write", file_path="a.py", content="new")), result("ok"), assistant("end"),
    ]  # fmt: skip
    run = replay(session(*messages))
    (event,) = (e for e in run.events(3) if e.event == "state_changed")
    assert event.payload["to"] == "expired"
    assert event.payload["reason"] == "a.py was written in #3"


@pytest.mark.rule("6.31")
def test_that_protection_over_its_cap_is_said_with_what_became_droppable() -> None:
    built = session(user(filler(600)), *_work(*(f"{n} {filler(200)}" for n in range(6))), assistant("end"))
    run = replay(built, plain(1_000, protect_first_n=1, protected_cap=0.5))
    (first, *_) = (e for n in range(1, run.calls + 1) for e in run.events(n) if e.event == "protected_overflow")
    assert (first.payload["cap"], first.payload["droppable"]) == (500, [0])


def test_that_changes_by_hand_are_said_to_be_by_hand() -> None:
    built = session(user("go"), *_work("1", "2"), assistant("end"))
    run = replay(built, None, [HandChange(2, "archive", 1), HandChange(3, "retrieve", 1)])
    assert [e.payload["by"] for e in run.events(2) if e.event == "archived"] == []
    run = replay(built, None, [HandChange(3, "archive", 1)])
    assert [(e.payload["by"], e.payload["reason"]) for e in run.events(3) if e.event == "archived"] == [
        ("hand", "archived by hand")
    ]
