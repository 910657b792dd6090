"""OpenHands' trajectories in files: the containers, the first generation's events, and random damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.formats.openhands.importer import OpenHands
from ravenglass.sessions.importing.importer import read
from ravenglass.sessions.model.session import Session, Usage
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import MemorySource, Opened
from tests.engine.sessions.formats.openhands.events import (
    Json,
    act,
    action,
    asked,
    observed,
    prompt,
    response,
    seen,
    v0,
    v1,
)
from tests.engine.sessions.mutations import damaged, mistyped


def session_of(data: bytes, name: str = "trajectory.json") -> Session:
    opened = Opened(Path(name), MemorySource(data))
    return read(OpenHands(), read_records(opened, Reporter(None, name)))


def of(*events: Json) -> Session:
    return session_of(json.dumps(list(events)).encode())


ONE = response("r1", "c1", said="Let me look", prompt_tokens=100, completion_tokens=7, cache_read_input_tokens=40)
EVENTS = [
    v0(0, "environment", observation="agent_state_changed", content="", extras={"agent_state": "loading"}),
    prompt(1, "the task"),
    v0(2, "user", observation="null", cause=1, content="", extras={}),
    act(3, "c1", ONE),
    seen(4, 3, "c1", "a.txt"),
    v0(5, "agent", action="message", args={"content": "done"}),
]


@pytest.mark.parametrize("key", [None, "history", "trajectory", "events"])
def test_that_a_list_and_an_object_with_a_list_are_read(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(EVENTS if key is None else {key: EVENTS, "metrics": {"cost": 1}}, indent=1))
    session = open_session(path)
    assert (session.format, session.title, session.model) == ("openhands", "the task", "m-1")
    assert [(m.role, m.text) for m in session.messages] == [
        ("user", "the task"),
        ("assistant", "Let me look"),
        ("tool", "a.txt"),
        ("assistant", "done"),
    ]
    labels = [record.label for record in session.other]
    assert labels == ["agent_state_changed", "null", *(["metrics"] if key else [])]
    data = path.read_bytes()
    for message in session.messages:
        for span in message.spans:
            assert json.loads(data[span.offset : span.offset + span.length]) in EVENTS
            assert data.count(b"\n", 0, span.offset) + 1 == span.line


def test_that_benchmark_output_is_one_conversation_a_line(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    pairs = [[EVENTS[1], EVENTS[2]], [EVENTS[3], EVENTS[4]]]
    lines = [{"instance_id": "django-1", "history": EVENTS}, {"instance_id": "django-2", "history": pairs}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    session = open_session(path)
    assert (session.id, session.title, len(session.messages)) == ("django-1", "django-1", 4)
    assert [(child.id, len(child.messages)) for child in session.children] == [("django-2", 3)]
    assert session.warnings[0].startswith("The file holds 2 conversations")


def test_that_events_one_a_line_are_one_conversation(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in [asked(1, "hi"), action(2, "c1", "r1")]))
    assert [m.role for m in open_session(path).messages] == ["user", "assistant"]


def test_that_times_without_a_zone_are_local() -> None:
    from datetime import datetime

    session = of(*EVENTS)
    assert session.messages[0].ts == datetime(2025, 1, 20, 20, 1).timestamp()


def test_that_usage_is_of_the_response_and_counted_once_for_its_parallel_calls() -> None:
    both = response("r1", "c1", "c2", said="two", prompt_tokens=100, completion_tokens=7)
    session = of(prompt(1, "x"), act(2, "c1", both), seen(3, 2, "c1", "a"), act(4, "c2", both), seen(5, 4, "c2", "b"))
    assert [m.role for m in session.messages] == ["user", "assistant", "tool", "tool"]
    assert [call.id for call in session.messages[1].tool_calls] == ["c1", "c2"]
    assert session.messages[1].usage == Usage(100, 7)
    assert len(session.messages[1].spans) == 2
    assert len(session.structure.calls) == 1


def metrics(prompt_tokens: int, completion: int) -> Json:
    return {"accumulated_token_usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion}}


def test_that_accumulated_usage_is_told_by_its_increases_only() -> None:
    totals = [(100, 10), (250, 30), (250, 30), (40, 5), (90, 6)]
    said = [
        v0(n + 2, "agent", action="message", args={"content": f"{n}"}, llm_metrics=metrics(*total))
        for n, total in enumerate(totals)
    ]
    usages = [m.usage for m in of(prompt(1, "x"), *said).messages[1:]]
    assert usages == [Usage(100, 10), Usage(150, 20), None, None, Usage(50, 1)]


def test_that_the_first_total_of_a_file_that_begins_later_is_no_usage() -> None:
    early = v0(2, "agent", action="message", args={"content": "a"})
    late = v0(3, "agent", action="message", args={"content": "b"}, llm_metrics=metrics(900, 90))
    assert [m.usage for m in of(prompt(1, "x"), early, late).messages] == [None, None, None]


def test_that_actions_without_a_call_id_pair_by_their_cause() -> None:
    run = v0(2, "agent", action="run", args={"command": "ls", "thought": "look", "hidden": False})
    session = of(prompt(1, "x"), run, seen(3, 2, None, "a.txt"), seen(4, 9, None, "late", "error"))
    assert (session.messages[1].text, session.messages[1].tool_calls[0].arguments) == ("look", '{"command": "ls"}')
    assert (session.messages[2].role, session.messages[2].text) == ("tool", "a.txt")
    assert session.structure.groups[1].unanswered == ()
    assert (session.messages[3].role, session.messages[3].kind) == ("user", "meta")


def test_that_an_end_without_a_call_is_what_was_said() -> None:
    session = of(prompt(1, "x"), v0(2, "agent", action="finish", args={"final_thought": "all done", "thought": ""}))
    assert (session.messages[1].text, session.messages[1].tool_calls) == ("all done", ())


def test_that_the_system_action_holds_prompt_and_tools() -> None:
    system = v0(0, "agent", action="system", args={"content": "You are", "tools": [{"type": "function"}]})
    session = of(system, prompt(1, "x"))
    assert (session.messages[0].role, session.messages[0].text) == ("system", "You are")
    assert session.tools_text == '[{"type": "function"}]'


def test_that_errors_and_failed_commands_are_errors() -> None:
    session = of(prompt(1, "x"), act(2, "c1", ONE), seen(3, 2, "c1", "no", "error"))
    assert session.messages[2].is_error
    failed = seen(3, 2, "c1", "exit 1", success=False)
    assert of(prompt(1, "x"), act(2, "c1", ONE), failed).messages[2].is_error


def test_that_a_command_of_the_user_and_a_recall_are_no_prompts() -> None:
    recall = v0(4, "environment", observation="recall", content="", extras={"repo_instructions": "Use tabs"})
    empty = v0(5, "environment", observation="recall", content="", extras={})
    ran = v0(1, "user", action="run", args={"command": "make"})
    session = of(ran, seen(2, 1, None, "built"), prompt(3, "x"), recall, empty)
    assert [(m.kind, m.text) for m in session.messages] == [
        ("command", 'run: {"command": "make"}'),
        ("command", "built"),
        ("prompt", "x"),
        ("meta", "Use tabs"),
    ]
    assert [record.label for record in session.other] == ["meta without content"]


def long() -> list[Json]:
    events = [prompt(0, "the task")]
    for n in range(4):
        answer = response(f"r{n}", f"c{n}", said=f"step {n}")
        events += [act(2 * n + 1, f"c{n}", answer), seen(2 * n + 2, 2 * n + 1, f"c{n}", f"out {n}")]
    return events


@pytest.mark.parametrize(
    "how",
    [{"forgotten_event_ids": [1, 2, 3, 4]}, {"forgotten_events_start_id": 1, "forgotten_events_end_id": 4}],
)
def test_that_a_condensation_keeps_what_it_did_not_forget_and_adds_its_summary(how: Json) -> None:
    summed = v0(9, "agent", action="condensation", args={**how, "summary": "so far", "summary_offset": 1})
    session = of(*long(), summed, prompt(10, "go on"))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 9, (0, 5, 6, 7, 8))
    assert "4 events" in marker.note
    assert "position 1" in marker.note
    assert (session.messages[9].kind, session.messages[9].text) == ("summary", "so far")


def test_that_a_second_condensation_replaces_the_first_summary() -> None:
    first = v0(9, "agent", action="condensation", args={"forgotten_event_ids": [1, 2], "summary": "one"})
    second = v0(10, "agent", action="condensation", args={"forgotten_event_ids": [3, 4], "summary": "two"})
    session = of(*long(), first, second)
    assert [marker.keep for marker in session.markers] == [(0, 3, 4, 5, 6, 7, 8), (0, 5, 6, 7, 8)]
    assert [m.text for m in session.messages[9:]] == ["one", "two"]


def test_that_a_call_goes_with_its_result() -> None:
    half = v0(9, "agent", action="condensation", args={"forgotten_event_ids": [2, 3]})
    session = of(*long(), half)
    assert [marker.keep for marker in session.markers] == [(0, 5, 6, 7, 8)]
    assert [record.label for record in session.other] == ["condensation without a summary"]


def test_that_a_delegation_is_a_child_session_of_its_call() -> None:
    start = act(2, "c1", ONE, "delegate", agent="BrowsingAgent")
    inner = response("r2", "c2", said="browse")
    back = seen(5, 2, "c1", "found", "delegate")
    session = of(prompt(1, "x"), start, act(3, "c2", inner), seen(4, 3, "c2", "page"), back, EVENTS[5])
    assert [m.text for m in session.messages] == ["x", "Let me look", "found", "done"]
    (child,) = session.children
    assert (child.title, child.parent_call_id) == ("BrowsingAgent", "c1")
    assert [m.text for m in child.messages] == ["browse", "page"]


def test_that_a_viewers_timeline_is_read() -> None:
    entries = [
        {"id": 1, "type": "message", "content": "help", "actorType": "User"},
        {"id": 2, "type": "thought", "content": "think", "actorType": "Assistant"},
        {"id": 3, "type": "command", "content": "run it", "command": "make", "actorType": "Assistant"},
    ]
    session = session_of(json.dumps({"entries": entries}).encode())
    assert [(m.role, m.text, m.thinking) for m in session.messages] == [
        ("user", "help", ""),
        ("assistant", "", "think"),
        ("assistant", "run it", ""),
    ]
    assert session.messages[2].tool_calls[0].arguments == '{"command": "make"}'


def test_that_a_cut_list_keeps_every_whole_event(tmp_path: Path) -> None:
    data = json.dumps(EVENTS).encode()
    path = tmp_path / "t.json"
    path.write_bytes(data[: data.rindex(b"done")])
    session = open_session(path)
    assert [m.text for m in session.messages] == ["the task", "Let me look", "a.txt"]
    assert (session.format, len(session.damage)) == ("openhands", 1)


MIXED = [
    *long(),
    v0(9, "agent", action="condensation", args={"forgotten_event_ids": [1, 2], "summary": "s", "summary_offset": 1}),
    act(10, "c9", response("r9", "c9", said="hand over"), "delegate", agent="A"),
    seen(11, 10, "c9", "back", "delegate"),
    asked(12, "second generation"),
    action(13, "d1", "r13", "thought of it"),
    observed(14, "d1", "seen it"),
    v1(15, "Condensation", forgotten_event_ids=["e12"], summary="sum", summary_offset=0, llm_response_id="r15"),
    v1(16, "ConversationStateUpdateEvent", key="stats", value={"usage_to_metrics": {"a": {"token_usages": []}}}),
]


@given(value=mistyped(MIXED))
def test_that_values_of_any_type_are_read_without_an_error(value: Any) -> None:
    session = session_of(json.dumps(value).encode())
    for inner in (session, *session.children):
        for marker in inner.markers:
            assert all(m < marker.before for m in marker.keep or ())


@given(at=st.integers(0, len(MIXED) - 1), data=st.data())
def test_that_damage_to_one_event_loses_no_other(at: int, data: st.DataObject) -> None:
    lines = [json.dumps(event).encode() for event in MIXED]
    lines[at] = data.draw(damaged(lines[at])).replace(b"\n", b" ")
    session = session_of(b"\n".join(lines) + b"\n", "events.jsonl")
    whole = [session, *session.children]
    spans = {span for inner in whole for m in inner.messages for span in m.spans}
    spans |= {record.span for inner in whole for record in inner.other}
    read = {session.source.read(span) for span in spans}
    assert {line for n, line in enumerate(lines) if n != at} <= read


@given(count=st.integers(1, len(MIXED)))
def test_that_taking_events_one_by_one_gives_the_same_session(count: int) -> None:
    data = b"\n".join(json.dumps(event).encode() for event in MIXED[:count])
    records = read_records(Opened(Path("x.jsonl"), MemorySource(data)), Reporter(None, "x.jsonl"))
    reading = OpenHands().begin(records)
    for record in records:
        reading.take(record)
        reading.session()
    assert reading.session().messages == session_of(data, "x.jsonl").messages
    assert reading.session().markers == session_of(data, "x.jsonl").markers
