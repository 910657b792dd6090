"""Bodies of OpenAI's Responses API in their containers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.claims import checked
from ravenglass.sessions.formats.responses.importer import OpenAIResponses
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.model.session import Session, Usage
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import read_records
from ravenglass.sessions.records.source import open_path
from tests.engine.sessions.conftest import Write
from tests.engine.sessions.formats.codex.test_importer import Junk, mistyped
from tests.proofs import examples

Json = dict[str, object]
ASK: Json = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List the files"}]}
THINK: Json = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abcd"}
CALL: Json = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "shell", "arguments": "{}"}
RESULT: Json = {"type": "function_call_output", "call_id": "c1", "output": "a.txt"}
SAY: Json = {
    "type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "One file"}],
}  # fmt: skip
USAGE: Json = {"input_tokens": 900, "input_tokens_details": {"cached_tokens": 700}, "output_tokens": 40}


def request(*items: Json, **more: object) -> Json:
    return {"model": "gpt-x", "instructions": "Be brief", "input": list(items), **more}


def response(*items: Json, **more: object) -> Json:
    return {"id": "resp_1", "object": "response", "created_at": 1771800000, "output": list(items), **more}


def shape(session: Session) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in session.messages]


WHOLE = [("user", "List the files"), ("assistant", ""), ("tool", "a.txt"), ("assistant", "One file")]


def test_that_a_request_is_read_with_its_instructions_tools_and_model(write: Write) -> None:
    tools = [{"type": "function", "name": "shell"}]
    session = open_session(write(request(ASK, THINK, CALL, RESULT, SAY, tools=tools), name="body.json"))
    assert (session.format, session.model, session.system_prompt) == ("openai-responses", "gpt-x", "Be brief")
    assert json.loads(session.tools_text or "") == tools
    assert shape(session) == WHOLE
    assert session.title == "List the files"


def test_that_reasoning_stays_with_the_call_it_led_to_and_pairing_is_by_call_id(write: Write) -> None:
    session = open_session(write([ASK, THINK, CALL, RESULT, SAY]))
    message = session.messages[1]
    assert message.thinking == "[reasoning, encrypted, 4 bytes]"
    assert [call.id for call in message.tool_calls] == ["c1"]
    assert len(message.spans) == 2
    assert session.structure.groups[1].messages == (1, 2)


def test_that_input_may_be_a_text_and_instructions_a_list(write: Write) -> None:
    session = open_session(
        write({"model": "m", "input": "Hi", "instructions": [{"role": "developer", "content": "Be"}]})
    )
    assert shape(session) == [("user", "Hi")]
    assert (session.system_prompt, session.raw(0)) == ("Be", b'"Hi"')


@pytest.mark.parametrize("wrap", ["beside", "pair", "bodies", "lines"])
def test_that_a_response_follows_its_request_with_its_usage(write: Write, wrap: str) -> None:
    ask, answer = request(ASK), response(THINK, CALL, usage=USAGE, model="gpt-x-2026")
    wrapped: dict[str, list[object]] = {
        "beside": [{**ask, **answer}],
        "pair": [{"request": ask, "response": answer}],
        "bodies": [{"request": {"body": ask}, "response": {"body": answer, "status": 200}}],
        "lines": [ask, answer],
    }
    session = open_session(write(*wrapped[wrap]))
    assert shape(session) == WHOLE[:2]
    assert session.messages[1].usage == Usage(900, 40, 700)
    assert session.messages[1].ts == 1771800000
    assert session.model == "gpt-x-2026"
    for message, body in zip(session.messages, (ASK, THINK), strict=True):
        assert json.loads(session.raw(message.id).split(b"\n")[0]) == body


def test_that_a_request_that_repeats_the_conversation_goes_on_with_it(write: Write) -> None:
    turns = [request(ASK), response(CALL, usage=USAGE), request(ASK, CALL, RESULT), response(SAY, usage=USAGE)]
    for lines in (turns, [turns]):
        session = open_session(write(*lines))
        assert shape(session) == WHOLE
        assert session.children == ()
        assert [record.label for record in session.other] == ["2 items repeated from the request before"]
        assert json.loads(b"[" + session.source.read(session.other[0].span) + b"]") == [ASK, CALL]
        assert [call.message for call in session.structure.calls] == [1, 3]


def test_that_a_request_may_go_on_from_a_response_by_its_id(write: Write) -> None:
    session = open_session(
        write(request(ASK), response(CALL), request(RESULT, previous_response_id="resp_1"), response(SAY))
    )
    assert shape(session) == WHOLE


def test_that_another_conversation_is_a_child(write: Write) -> None:
    other: Json = {"role": "user", "content": "Something else"}
    session = open_session(write(request(ASK), request(other), response(SAY)))
    assert shape(session) == WHOLE[:1]
    (child,) = session.children
    assert shape(child) == [("user", "Something else"), ("assistant", "One file")]
    assert (child.title, session.warnings[0]) == (
        "conversation 2",
        "The file holds 2 conversations; the first is the session, the others its children.",
    )


def test_that_items_one_a_line_are_one_conversation(write: Write) -> None:
    assert shape(open_session(write(ASK, THINK, CALL, RESULT, SAY))) == WHOLE


def test_that_references_to_known_items_are_no_messages_and_others_stand_for_theirs(write: Write) -> None:
    known: Json = {"type": "item_reference", "id": "fc_1"}
    unknown: Json = {"type": "item_reference", "id": "rs_9"}
    session = open_session(write(request(ASK, CALL, RESULT, known, unknown, SAY)))
    assert session.messages[-1].text == "[item rs_9, kept by the provider]\nOne file"
    assert [record.label for record in session.other] == ["item_reference"]


def test_that_unknown_items_are_kept_as_other_records(write: Write) -> None:
    session = open_session(write(request(ASK, {"type": "hologram"}, SAY)))
    assert [record.label for record in session.other] == ["hologram"]
    assert len(session.messages) == 2


def test_that_the_api_is_told_from_its_neighbours() -> None:
    responses = OpenAIResponses()
    assert responses.sniff(Head("json", (request(ASK),))) == 0.95
    assert responses.sniff(Head("json", (response(SAY),))) == 0.95
    assert responses.sniff(Head("json", ([{"role": "user", "content": "chat"}],))) == 0.0
    assert responses.sniff(Head("json", ({"messages": [ASK]},))) == 0.0
    assert responses.sniff(Head("json", ({"input": "embed me", "model": "m"},))) == 0.0
    assert responses.sniff(Head("jsonl", (ASK, {"x": 1}, {"x": 2}))) == 0.0
    assert responses.sniff(Head("jsonl", ())) == 0.0
    assert "keeps" in responses.description


BODIES: list[Json] = [
    request(ASK, tools=[{"name": "shell"}]), response(THINK, CALL, usage=USAGE), request(ASK, THINK, CALL, RESULT),
    response(SAY, usage=USAGE), {"role": "user", "content": "alone"}, ASK, SAY,
]  # fmt: skip


def replayed(path: Path, ask: bool) -> Session:
    reporter = Reporter(None, path.name)
    records = read_records(open_path(path, reporter), reporter)
    reading = OpenAIResponses().begin(records)
    for record in records:
        reading.take(record)
        if ask:
            reading.session()
    return checked(reading.session(), OpenAIResponses(), forced=True)


def facts(session: Session) -> tuple[object, ...]:
    own = (session.messages, session.other, session.warnings, session.title)
    return (*own, *(facts(child) for child in session.children))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(100), deadline=None)
@given(st.data())
def test_that_mistyped_or_cut_bodies_lose_no_other_body(write: Write, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(BODIES) - 1))
    lines: list[object] = list(BODIES)
    raw = json.dumps(BODIES[number]).encode()
    if data.draw(st.booleans()):
        lines[number] = mistyped(BODIES[number], data.draw(st.lists(st.integers(0, 9), min_size=1)), data.draw(Junk))
    else:
        lines[number] = raw[: data.draw(st.integers(0, len(raw) - 1))]
    path = write(*lines)
    session = replayed(path, ask=False)
    held = {
        span.line
        for inner in [session, *session.children]
        for spans in [*(m.spans for m in inner.messages), *((r.span,) for r in inner.other)]
        for span in spans
    }
    assert set(range(1, len(lines) + 1)) - {number + 1} <= held
    assert facts(replayed(path, ask=True)) == facts(session)
