"""OpenHands' conversation folders: what is listed, the order of events, the second generation's events, damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.formats.openhands.folder import OpenHandsFolder
from ravenglass.sessions.model.session import Part, Usage
from tests.engine.sessions.formats.openhands.events import (
    Json,
    act,
    action,
    asked,
    conversation,
    observed,
    old_conversation,
    prompt,
    response,
    seen,
    v1,
)
from tests.engine.sessions.mutations import damaged

SYSTEM = v1(0, "SystemPromptEvent", source="agent", system_prompt={"type": "text", "text": "You are"}, tools=[{"a": 1}])
EVENTS = [SYSTEM, asked(1, "the task"), action(2, "c1", "r1", "look"), observed(3, "c1", "a.txt")]


def usages(*figures: tuple[str, int, int]) -> Json:
    listed = [
        {"response_id": name, "prompt_tokens": given, "completion_tokens": out, "cache_read_tokens": 3}
        for name, given, out in figures
    ]
    return {"usage_to_metrics": {"agent": {"token_usages": listed}}}


def test_that_a_conversation_folder_is_read_with_its_base_state(tmp_path: Path) -> None:
    state = {
        "id": "conv-1",
        "agent": {"llm": {"model": "m-1"}},
        "workspace": {"working_dir": "/w"},
        "stats": usages(("r1", 100, 5)),
    }
    session = open_session(conversation(tmp_path / "c", *EVENTS, state=state))
    assert (session.format, session.id, session.model, session.project) == ("openhands", "conv-1", "m-1", "/w")
    assert (session.title, session.tools_text) == ("the task", '[{"a": 1}]')
    assert [(m.role, m.kind, m.text) for m in session.messages] == [
        ("system", "ordinary", "You are"),
        ("user", "prompt", "the task"),
        ("assistant", "ordinary", "look"),
        ("tool", "ordinary", "a.txt"),
    ]
    assert session.messages[2].usage == Usage(100, 5, 3)
    assert [record.label for record in session.other] == ["base state"]
    assert session.warnings == ()


def test_that_raw_is_the_event_file(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", *EVENTS)
    session = open_session(folder)
    assert session.raw(1) == (folder / "events" / "event-00001-e1.json").read_bytes()


def test_that_the_calls_of_one_response_are_one_message_and_only_the_first_has_the_thought(tmp_path: Path) -> None:
    three = [action(n, f"c{n}", "r1", "look" if n == 2 else "") for n in (2, 3, 4)]
    results = [observed(5, "c2", "a"), observed(6, "c4", "c")]
    session = open_session(conversation(tmp_path / "c", asked(1, "x"), *three, *results))
    answer = session.messages[1]
    assert ([call.id for call in answer.tool_calls], answer.text) == (["c2", "c3", "c4"], "look")
    assert (len(answer.spans), len(session.structure.calls)) == (3, 1)
    assert session.structure.groups[1].unanswered == ("c3",)


def test_that_rejections_and_errors_answer_calls(tmp_path: Path) -> None:
    rejected = v1(4, "UserRejectObservation", tool_call_id="c2", tool_name="terminal", rejection_reason="too risky")
    failed = v1(6, "AgentErrorEvent", tool_call_id="c3", tool_name="terminal", error="no such tool")
    session = open_session(
        conversation(tmp_path / "c", asked(1, "x"), action(2, "c2", "r1"), rejected, action(5, "c3", "r2"), failed)
    )
    assert [(m.text, m.is_error) for m in session.messages if m.role == "tool"] == [
        ("Action rejected: too risky", True),
        ("no such tool", True),
    ]
    assert not any(group.unanswered for group in session.structure.groups)


def test_that_thinking_is_there_once_and_pictures_are_described(tmp_path: Path) -> None:
    thought = action(2, "c1", "r1", "look", reasoning_content="deep", thinking_blocks=[])
    image = {"type": "image", "image_urls": ["data:image/png;base64,QUJD"]}
    seen = observed(3, "c1", "x")
    seen["observation"]["content"].append(image)
    blocks = [{"type": "thinking", "thinking": "deep", "signature": "S" * 400}]
    message = {"role": "assistant", "content": [], "thinking_blocks": blocks, "reasoning_content": "deep"}
    spoken = v1(4, "MessageEvent", source="agent", llm_message=message)
    session = open_session(conversation(tmp_path / "c", thought, seen, spoken))
    assert session.messages[0].parts == (Part("thinking", "deep"), Part("text", "look"))
    assert session.messages[1].images == 1
    assert session.messages[2].parts == (Part("thinking", "deep"),)


def test_that_reasoning_items_are_thinking_by_their_summary_or_their_size(tmp_path: Path) -> None:
    item = {"id": "rs_1", "summary": ["first", "second"], "encrypted_content": "E" * 900}
    told = action(1, "c1", "r1", "x", responses_reasoning_item=item)
    secret = action(2, "c2", "r2", "y", responses_reasoning_item={**item, "summary": []})
    session = open_session(conversation(tmp_path / "c", told, secret))
    assert session.messages[0].thinking == "first\nsecond"
    assert "withheld" in session.messages[1].thinking
    assert "EEE" not in session.messages[1].thinking


def test_that_injected_messages_are_meta_and_further_content_belongs_to_the_message(tmp_path: Path) -> None:
    more = [{"type": "text", "text": "skill text"}]
    session = open_session(
        conversation(tmp_path / "c", asked(1, "hook", source="environment"), asked(2, "x", extended_content=more))
    )
    assert [(m.kind, m.text) for m in session.messages] == [("meta", "hook"), ("prompt", "x\nskill text")]


def test_that_a_condensation_forgets_whole_responses_and_adds_its_summary(tmp_path: Path) -> None:
    events = [*EVENTS, action(4, "c4", "r4"), action(5, "c5", "r4"), observed(6, "c4", "d"), observed(7, "c5", "e")]
    forgotten = ["e4", "e6"]
    summed = v1(8, "Condensation", forgotten_event_ids=forgotten, summary="so far", summary_offset=2)
    session = open_session(conversation(tmp_path / "c", *events, summed, asked(9, "go on")))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 7, (0, 1, 2, 3))
    assert (session.messages[7].kind, session.messages[7].text) == ("summary", "so far")
    assert "position 2" in marker.note


def test_that_a_later_system_prompt_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    update = v1(4, "SystemPromptUpdateEvent", system_prompt={"type": "text", "text": "You are new"}, tools=[{"b": 1}])
    session = open_session(conversation(tmp_path / "c", *EVENTS, update, asked(5, "y")))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep, marker.cleared) == ("clearing", 4, None, (0,))
    assert (session.messages[4].role, session.tools_text) == ("system", '[{"b": 1}]')


def test_that_statistics_in_state_updates_are_usage(tmp_path: Path) -> None:
    update = v1(4, "ConversationStateUpdateEvent", key="stats", value=usages(("r1", 77, 7)))
    session = open_session(conversation(tmp_path / "c", *EVENTS, update))
    assert session.messages[2].usage == Usage(77, 7, 3)
    assert [record.label for record in session.other] == ["base state", "ConversationStateUpdateEvent"]


@pytest.mark.parametrize("kind", ["CondensationRequest", "PauseEvent", "LLMCompletionLogEvent", "FromTheFutureEvent"])
def test_that_other_events_are_kept(tmp_path: Path, kind: str) -> None:
    session = open_session(conversation(tmp_path / "c", *EVENTS, v1(4, kind)))
    assert len(session.messages) == 4
    assert [record.label for record in session.other] == ["base state", kind]


def test_that_two_events_of_one_number_are_both_read_in_the_order_of_their_times(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", *EVENTS)
    for name, said in (("aaa", asked(9, "later")), ("zzz", asked(8, "earlier"))):
        (folder / "events" / f"event-00004-{name}.json").write_text(json.dumps(said))
    session = open_session(folder)
    assert [m.text for m in session.messages[4:]] == ["earlier", "later"]
    assert session.warnings == ("1 events bear the number of another one; they stand in the order of their times.",)


def test_that_events_past_number_99999_stand_in_order(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", *EVENTS)
    (folder / "events" / "event-100000-x.json").write_text(json.dumps(asked(9, "last")))
    (folder / "events" / "event-99999-x.json").write_text(json.dumps(asked(8, "before")))
    assert [m.text for m in open_session(folder).messages[4:]] == ["before", "last"]


def test_that_a_damaged_event_loses_only_itself(tmp_path: Path) -> None:
    folder = conversation(tmp_path / "c", *EVENTS)
    (folder / "events" / "event-00002-e2.json").write_bytes(b'{"id": "e2", "kin')
    session = open_session(folder)
    assert [m.role for m in session.messages] == ["system", "user", "tool"]
    assert session.messages[2].flags == {"orphan_result"}
    assert [session.source.read(item.span) for item in session.damage] == [b'{"id": "e2", "kin']
    assert session.warnings[0].startswith("events/event-00002-e2.json is damaged (it is no valid JSON, 17 bytes)")


def test_that_a_folder_of_the_first_generation_is_read_by_number(tmp_path: Path) -> None:
    answer = response("r1", "c1", said="look")
    events = [
        prompt(1, "x"),
        *(item for n in range(2, 24, 2) for item in (act(n, "c1", answer), seen(n + 1, n, "c1", "y"))),
    ]
    folder = old_conversation(tmp_path / "sessions" / "abc", *events)
    (folder / "metadata.json").write_text('{"title": "T", "selected_repository": "o/r", "llm_model": "m"}')
    session = open_session(folder)
    assert (session.id, session.title, session.project) == ("abc", "T", "o/r")
    stamps = [m.ts for m in session.messages if m.ts is not None]
    assert stamps == sorted(stamps)
    assert [record.label for record in session.other] == ["metadata"]


def test_that_a_folder_of_folders_lists_every_conversation(tmp_path: Path) -> None:
    conversation(tmp_path / "new", *EVENTS, state={"id": "conv-1", "agent": {"llm": {"model": "m-1"}}})
    old_conversation(tmp_path / "sessions" / "old", prompt(1, "x"), prompt(2, "y"))
    (tmp_path / "empty" / "events").mkdir(parents=True)
    new, old = OpenHandsFolder().entries(tmp_path)
    assert (new.key, new.id, new.model, new.calls) == ("new", "conv-1", "m-1", None)
    assert (old.key, old.id) == ("sessions/old", "old")
    assert (old.updated or 0) - (old.started or 0) == 60
    assert new.size == sum(path.stat().st_size for path in (tmp_path / "new/events").glob("*.json"))
    assert isinstance(holder_of(tmp_path), OpenHandsFolder)
    session = open_session(tmp_path, "sessions/old")
    assert (session.path, len(session.messages)) == (tmp_path, 2)


@pytest.mark.parametrize("key", ["nothing", "../c", ".."])
def test_that_a_key_outside_the_folder_is_refused(tmp_path: Path, key: str) -> None:
    conversation(tmp_path / "c", *EVENTS)
    conversation(tmp_path / "d" / "x", *EVENTS)
    with pytest.raises(SessionError, match="holds no conversation"):
        open_session(tmp_path / "d", key)


def test_that_other_folders_are_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "notes.json").write_text("{}")
    assert not OpenHandsFolder().recognises(tmp_path)
    assert not OpenHandsFolder().recognises(tmp_path / "events" / "notes.json")
    assert not OpenHandsFolder().recognises(tmp_path / "missing")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(at=st.integers(0, len(EVENTS) - 1), data=st.data())
def test_that_a_file_of_any_bytes_loses_no_other_event(
    tmp_path_factory: pytest.TempPathFactory, at: int, data: st.DataObject
) -> None:
    folder = conversation(tmp_path_factory.mktemp("c") / "c", *EVENTS)
    path = folder / "events" / f"event-{at:05}-e{at}.json"
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    session = open_session(folder)
    held = {span for m in session.messages for span in m.spans} | {record.span for record in session.other}
    read = {session.source.read(span) for span in held | {item.span for item in session.damage}}
    assert {path.read_bytes() for path in folder.rglob("*.json")} <= read
