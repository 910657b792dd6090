"""OpenTelemetry exports with GenAI spans (formats.md, section 12), written after the public conventions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.otel.importer import OTel
from ravenglass.sessions.formats.otel.values import any_value, attributes
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.sessions.conftest import Write, encoded
from tests.engine.sessions.damaged import check_pieces, hurt, is_held, mistyped, opened

BASE = 1_776_000_000


def value(plain: Any) -> dict[str, Any]:
    """A plain value in the protocol's encoding."""
    if isinstance(plain, bool):
        return {"boolValue": plain}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    if isinstance(plain, float):
        return {"doubleValue": plain}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [value(item) for item in plain]}}
    if isinstance(plain, dict):
        return {"kvlistValue": {"values": pairs(plain)}}
    return {"stringValue": plain}


def pairs(plain: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(item)} for key, item in plain.items()]


def span(ident: str, at: int, given: dict[str, Any], parent: str = "", events: Any = (), trace: str = "t1") -> Any:
    return {
        "traceId": trace,
        "spanId": ident,
        "parentSpanId": parent,
        "name": f"span {ident}",
        "startTimeUnixNano": str((BASE + at) * 10**9),
        "endTimeUnixNano": str((BASE + at + 1) * 10**9),
        "attributes": pairs(given),
        "events": [{"name": name, "attributes": pairs(told)} for name, told in events],
    }


def export(*spans: Any, logs: Any = ()) -> dict[str, Any]:
    resource = {"attributes": pairs({"service.name": "x"})}
    found: dict[str, Any] = {
        "resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]
    }
    if logs:
        found["resourceLogs"] = [{"resource": resource, "scopeLogs": [{"logRecords": list(logs)}]}]
    return found


def part(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


def message(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


ASK = message(
    "user", part("text", content="weather?"), part("blob", modality="image", mime_type="image/png", content="AAAA")
)
CALL = message(
    "assistant",
    part("reasoning", content="hm"),
    part("tool_call", id="c1", name="weather", arguments={"city": "é"}),
    part("tool_call", id="c2", name="time", arguments="{}"),
)
TOLD = message(
    "tool", part("tool_call_response", id="c2", response="noon"), part("tool_call_response", id="c1", response={"c": 1})
)
SAID = {**message("assistant", part("text", content="fine")), "finish_reason": "stop"}


def chat(
    sent: Any, answer: Any, tokens: int, text: bool = True, *, conversation: str = "", **more: Any
) -> dict[str, Any]:
    given: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "model-a",
        "gen_ai.response.model": "model-a-1",
        "gen_ai.usage.input_tokens": tokens,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 4,
    }
    for key, messages in (("gen_ai.input.messages", sent), ("gen_ai.output.messages", answer)):
        if messages is not None:
            given[key] = json.dumps(messages, ensure_ascii=False) if text else messages
    if conversation:
        given["gen_ai.conversation.id"] = conversation
    return {**given, **more}


def texts(session: Session) -> list[str]:
    return [item.text for item in session.messages]


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize("lines", [True, False])
def test_that_spans_that_repeat_their_history_are_one_session(tmp_path: Path, text: bool, lines: bool) -> None:
    more = {
        "gen_ai.conversation.id": "conv",
        "gen_ai.system_instructions": json.dumps([part("text", content="Be brief")]),
        "gen_ai.tool.definitions": json.dumps([{"type": "function", "name": "weather"}]),
    }
    one = span("a", 1, chat([ASK], [CALL], 100, text, **more))
    two = span("b", 9, chat([ASK, CALL, TOLD], [SAID], 150, text, **more), trace="t2")
    path = tmp_path / "traces.json"
    exports = [export(two), export(one)] if lines else [export(two, one)]
    path.write_bytes(b"\n".join(json.dumps(item, indent=None if lines else 1).encode() for item in exports))
    session = open_session(path)
    assert (session.format, session.id, session.model) == ("otel", "conv", "model-a-1")
    assert (session.system_prompt, session.children, session.markers) == ("Be brief", (), ())
    assert session.tools_text == '[{"type": "function", "name": "weather"}]'
    assert [(m.role, m.text) for m in session.messages[1:]] == [
        ("assistant", ""),
        ("tool", "noon"),
        ("tool", '{"c": 1}'),
        ("assistant", "fine"),
    ]
    ask, call, noon, _, said = session.messages
    assert (ask.kind, ask.images, call.thinking) == ("prompt", 1, "hm")
    assert [(c.id, c.name, json.loads(c.arguments)) for c in call.tool_calls] == [
        ("c1", "weather", {"city": "é"}),
        ("c2", "time", {}),
    ]
    assert noon.tool_name == "time"
    assert (call.usage, said.usage) == (Usage(100, 5, 4, None), Usage(150, 5, 4, None))
    assert (ask.ts, call.ts, said.ts) == (BASE + 1, BASE + 2, BASE + 10)
    assert b"weather?" in session.raw(0)
    assert sum(record.label == "span chat" for record in session.other) == 2


def test_that_structured_messages_stand_at_their_own_bytes(write: Write) -> None:
    session = open_session(write(export(span("a", 1, chat([ASK, SAID, ASK], [CALL], 1, text=False)))))
    assert [json.loads(session.raw(n)) for n in range(4)] == [value(item) for item in (ASK, SAID, ASK, CALL)]


def test_that_an_agent_inside_an_agent_is_a_child_of_its_tool_call(write: Write) -> None:
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv"}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c1"}
    inner = message("user", part("text", content="inner"))
    path = write(
        export(
            span("chat1", 1, chat([ASK], [CALL], 10), "outer"),
            span("chat2", 3, chat([inner], [SAID], 10), "helper"),
            span("helper", 2, {**agent, "gen_ai.agent.name": "helper"}, "tool"),
            span("tool", 2, tool, "outer"),
            span("chat3", 5, chat([ASK, CALL, TOLD], [SAID], 10), "outer"),
            # An agent reports what its calls said once more: that is no call of its own.
            span("outer", 0, {**agent, **chat([ASK], [SAID], 30), "gen_ai.operation.name": "invoke_agent"}),
        )
    )
    session = open_session(path)
    assert (session.id, len(session.messages), counts(session).calls) == ("conv", 5, 2)
    (child,) = session.children
    assert (child.title, child.parent_call_id, texts(child)) == ("helper", "c1", ["inner", "fine"])


def test_that_a_call_inside_a_call_is_one_call(write: Write) -> None:
    outer, inner = span("o", 1, chat([ASK], [SAID], 10)), span("i", 1, chat([ASK], [SAID], 10), "o")
    bare = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 3}
    assert counts(open_session(write(export(inner, outer)))).calls == 1
    session = open_session(write(export(span("o", 1, bare), span("i", 1, chat([ASK], [SAID], 10), "o"))))
    assert (counts(session).calls, session.messages[-1].text) == (1, "fine")


def test_that_an_agent_without_traced_calls_is_a_call_itself(write: Write) -> None:
    given_ = {**chat([ASK], [SAID], 10), "gen_ai.operation.name": "invoke_agent"}
    assert texts(open_session(write(export(span("o", 1, given_)))))[-1] == "fine"


def test_that_the_longest_conversation_is_the_session(write: Write) -> None:
    one = chat([ASK], [SAID], 10, conversation="short")
    two = chat([ASK, SAID, ASK], [SAID], 10, conversation="long")
    session = open_session(write(export(span("a", 1, one), span("b", 2, two))))
    assert (session.id, [child.id for child in session.children]) == ("long", ["short"])
    assert "2 conversations" in session.warnings[0]


def test_that_a_request_that_drops_messages_is_marked(write: Write) -> None:
    other = message("user", part("compaction", content="the summary"))
    session = open_session(
        write(
            export(
                span("a", 1, chat([ASK], [CALL], 90)),
                span("b", 2, chat([ASK, CALL, TOLD], [SAID], 100)),
                span("c", 3, chat([other, SAID], [SAID], 20)),
            )
        )
    )
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 5, (4,))]
    assert texts(session)[5:] == ["the summary", "fine"]


TRACELOOP = {
    "llm.request.type": "chat",
    "gen_ai.request.model": "model-t",
    "llm.request.functions.0.name": "weather",
    "llm.request.functions.0.parameters": '{"type": "object"}',
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be brief",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": '[{"type": "text", "text": "weather?"}]',
    "gen_ai.prompt.2.role": "assistant",
    "gen_ai.prompt.2.tool_calls.0.id": "c1",
    "gen_ai.prompt.2.tool_calls.0.name": "weather",
    "gen_ai.prompt.2.tool_calls.0.arguments": '{"city": 1}',
    "gen_ai.prompt.10.role": "user",
    "gen_ai.prompt.10.content": "last",
    "gen_ai.prompt.3.role": "tool",
    "gen_ai.prompt.3.content": '{"c": 1}',
    "gen_ai.prompt.3.tool_call_id": "c1",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "fine",
    "gen_ai.usage.prompt_tokens": 40,
    "gen_ai.usage.completion_tokens": 2,
    "gen_ai.usage.cache_read_input_tokens": 90,
}


def test_that_numbered_attributes_are_read(write: Write) -> None:
    session = open_session(write(export(span("a", 1, TRACELOOP))))
    assert [(m.role, m.text) for m in session.messages] == [
        ("system", "Be brief"),
        ("user", "weather?"),
        ("assistant", ""),
        ("tool", '{"c": 1}'),
        ("user", "last"),
        ("assistant", "fine"),
    ]
    assert [(c.id, c.name, c.arguments) for c in session.messages[2].tool_calls] == [("c1", "weather", '{"city": 1}')]
    assert not any(group.orphan or group.unanswered for group in session.structure.groups)
    assert session.tools_text == '[{"name": "weather", "parameters": {"type": "object"}}]'
    # More cached than input: this instrumentation counts them apart.
    assert session.messages[-1].usage == Usage(130, 2, 90, None)


EVENTS = [
    ("gen_ai.system.message", {"content": "Be brief"}),
    ("gen_ai.user.message", {"content": "weather?"}),
    (
        "gen_ai.assistant.message",
        {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
    ),
    ("gen_ai.tool.message", {"id": "c1", "content": "sun"}),
    ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "fine"}}),
]
PLAIN: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 1,
}


@pytest.mark.parametrize("form", ["attributes", "text", "logs", "details"])
def test_that_events_are_read_in_all_their_forms(write: Write, form: str) -> None:
    logs: list[dict[str, object]] = []
    events: list[Any] = []
    for number, (name, told) in enumerate(EVENTS):
        if form == "attributes":
            events.append((name, told))
        elif form == "text":
            events.append((name, {"gen_ai.event.content": json.dumps(told)}))
        elif form == "logs":
            log = {"traceId": "t1", "spanId": "a", "body": value(told), "timeUnixNano": str(number)}
            logs.append(
                {**log, "eventName": name} if number % 2 else {**log, "attributes": pairs({"event.name": name})}
            )
    if form == "details":
        given_: dict[str, Any] = {
            "gen_ai.system_instructions": [part("text", content="Be brief")],
            "gen_ai.input.messages": [message("user", part("text", content="weather?"))],
            "gen_ai.output.messages": [SAID],
        }
        logs = [
            {
                "traceId": "t1",
                "spanId": "a",
                "eventName": "gen_ai.client.inference.operation.details",
                "attributes": pairs(given_),
            }
        ]
    session = open_session(write(export(span("a", 1, PLAIN, events=events), logs=logs)))
    if form == "details":
        assert (texts(session), session.system_prompt) == (["weather?", "fine"], "Be brief")
    else:
        assert [(m.role, m.text) for m in session.messages] == [
            ("system", "Be brief"),
            ("user", "weather?"),
            ("assistant", ""),
            ("tool", "sun"),
            ("assistant", "fine"),
        ]
        assert session.structure.groups[2].messages == (2, 3)
    assert session.messages[-1].usage == Usage(9, 1, None, None)


def test_that_oldest_content_events_and_printed_spans_are_read(write: Write) -> None:
    printed = {
        "name": "chat",
        "context": {"trace_id": "0x1", "span_id": "0x2"},
        "parent_id": None,
        "start_time": "2026-01-02T03:04:05Z",
        "attributes": {"gen_ai.system": "x", "gen_ai.usage.input_tokens": 3},
        "events": [
            {"name": "gen_ai.content.prompt", "attributes": {"gen_ai.prompt": '[{"role": "user", "content": "hi"}]'}},
            {"name": "gen_ai.content.completion", "attributes": {"gen_ai.completion": "ho"}},
        ],
    }
    session = open_session(write(printed))
    assert (session.format, texts(session), session.messages[0].ts) == ("otel", ["hi", "ho"], 1_767_323_045.0)


def test_that_calls_without_content_keep_their_usage(write: Write) -> None:
    session = open_session(write(export(span("a", 1, PLAIN), span("b", 2, PLAIN))))
    assert counts(session).calls == 2
    assert [m.usage for m in session.messages] == [Usage(9, 1, None, None)] * 2
    assert "hold no content" in session.warnings[-1]


def test_that_spans_of_other_kinds_are_kept(write: Write) -> None:
    session = open_session(write(export(span("a", 1, {"http.method": "GET"})), {"resourceMetrics": []}))
    assert session.messages == ()
    assert [record.label for record in session.other] == [
        "resource/resource",
        "scope/scope",
        "span span a",
        "an object with the keys resourceMetrics",
    ]


def test_that_parents_in_a_circle_are_no_endless_loop(write: Write) -> None:
    session = open_session(write(export(span("a", 1, chat([ASK], [SAID], 1), "b"), span("b", 1, PLAIN, "a"))))
    assert counts(session).calls <= 1


PLAIN_VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(PLAIN_VALUES)
def test_that_values_are_read_as_they_were_written(plain: Any) -> None:
    assert any_value(value(plain)) == plain
    assert attributes(pairs({"k": plain})) == {"k": plain}


TRACE = [
    export(span("a", 1, chat([ASK], [CALL], 9))),
    export(span("b", 2, TRACELOOP)),
    export(span("c", 3, PLAIN, events=EVENTS)),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(TRACE).flatmap(mistyped))
def test_that_no_wrong_type_is_an_error(write: Write, damaged: object) -> None:
    opened(write(json.dumps(damaged).encode()))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(encoded(TRACE[0])), st.integers(0, 2))
def test_that_damage_to_one_export_loses_no_other(write: Write, data: bytes, place: int) -> None:
    lines: list[object] = [encoded(TRACE[1]), encoded(TRACE[2])]
    lines.insert(place, data.replace(b"\n", b" "))
    path = write(*lines)
    session = opened(path)
    assert session is not None
    content = path.read_bytes()
    for good in (encoded(TRACE[1]), encoded(TRACE[2])):
        start = content.index(good)
        assert is_held(session, start, start + len(good))


def test_that_asking_in_between_changes_nothing(write: Write) -> None:
    logs = [
        {"traceId": "t9", "spanId": "d", "eventName": name, "body": value(told)}
        for name, told in [*EVENTS, ("gen_ai.client.inference.operation.details", {"gen_ai.request.model": "late"})]
    ]
    exports = [{"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]} for log in logs]
    path = write(*TRACE, {"x": 1}, *exports[:2], export(span("d", 9, PLAIN, trace="t9")), *exports[2:])
    check_pieces(path, OTel())
    assert texts(open_session(path).children[0]) == ["Be brief", "weather?", "", "sun", "fine"]
