"""Anthropic Messages: requests, answers, captures (formats.md, section 4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.anthropic.importer import Anthropic
from ravenglass.sessions.formats.anthropic.stream import streamed
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.sessions.conftest import Write, encoded, result, say, use
from tests.engine.sessions.damaged import check_pieces, hurt, is_held, mistyped, opened

THINKING = {"type": "thinking", "thinking": "hm", "signature": "x" * 400}
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}]
BLOCKS: list[Any] = [
    say("see"),
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    {"type": "document", "source": {"type": "text", "data": "a text"}},
    {"type": "search_result", "title": "T", "source": "s", "content": [say("found")]},
    {"type": "container_upload", "file_id": "file_1"},
]
ANSWER: list[Any] = [
    THINKING,
    {"type": "redacted_thinking", "data": "Zm9v" * 9},
    say("I look"),
    {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"title": "Page", "url": "u"}]},
    {"type": "mcp_tool_use", "id": "mcp_1", "name": "lookup", "input": {}},
    {"type": "mcp_tool_result", "tool_use_id": "mcp_1", "content": [say("looked up")]},
    use("t1", path="a"),
    use("t2", name="Read"),
]
REQUEST: dict[str, Any] = {
    "model": "claude-x",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "You are"}, {"type": "text", "text": "helpful"}],
    "tools": TOOLS,
    "messages": [
        {"role": "user", "content": BLOCKS},
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": [result("t2", [say("two")], is_error=True), result("t1"), say("and now?")]},
        {"role": "user", "content": "quick"},
        {"role": "assistant", "content": "half"},
        {"role": "assistant", "content": [say("whole"), use("t3")]},
    ],
}


def saved(folder: Path, value: object, indent: int | None = 2) -> Path:
    path = folder / "request.json"
    path.write_bytes(json.dumps(value, indent=indent).encode())
    return path


def usage(fresh: int, read: int = 0, written: int = 0, output: int = 5) -> dict[str, int]:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
    }


def capture(messages: list[Any], answer: list[Any] | None, told: dict[str, int], **more: Any) -> dict[str, Any]:
    body = {"model": "claude-x", "system": "S", "messages": messages, "tools": more.pop("tools", TOOLS), **more}
    reply = {"type": "message", "id": f"msg_{len(messages)}", "role": "assistant", "model": "claude-x"}
    response: dict[str, Any] = {"timestamp": 1_776_000_000 + len(messages), "status_code": 200}
    if answer is not None:
        response["body"] = {**reply, "content": answer, "usage": told}
    return {"request": {"timestamp": 1_776_000_000, "method": "POST", "body": body}, "response": response}


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def told(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def texts(session: Session) -> list[str]:
    return [message.text for message in session.messages]


@pytest.mark.parametrize("indent", [None, 2])
def test_that_every_block_of_a_request_is_mapped(tmp_path: Path, indent: int | None) -> None:
    session = open_session(saved(tmp_path, REQUEST, indent))
    assert (session.format, session.model, session.system_prompt) == (
        "anthropic-messages",
        "claude-x",
        "You are\nhelpful",
    )
    assert session.tools_text is not None
    assert json.loads(session.tools_text) == TOOLS
    assert [message.role for message in session.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "user",
        "assistant",
    ]
    first, answer, two, one, more, _, last = session.messages
    assert first.text.split("\n")[0] == "see"
    assert "a text" in first.text
    assert "T\nfound" in first.text
    assert first.images == 1
    assert "file_1" in first.text
    assert answer.thinking.startswith("hm\n[redacted thinking, 36 bytes]")
    assert "x" * 20 not in answer.thinking
    assert "Page u" in answer.text
    assert "looked up" in answer.text
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("t1", "Bash", '{"path": "a"}'),
        ("t2", "Read", "{}"),
    ]
    assert (two.tool_call_id, two.text, two.is_error, two.tool_name) == ("t2", "two", True, "Read")
    assert (one.tool_call_id, one.is_error) == ("t1", False)
    assert (more.text, more.kind) == ("and now?", "prompt")
    assert (last.text, [call.id for call in last.tool_calls], len(last.spans)) == ("half\nwhole", ["t3"], 2)
    assert counts(session).calls == 2
    assert [json.loads(session.raw(message.id)) for message in session.messages[:6]] == [
        REQUEST["messages"][place] for place in (0, 1, 2, 2, 2, 3)
    ]
    assert sorted(record.label for record in session.other) == ["max_tokens", "model", "system", "tools"]


def test_that_a_logged_answer_ends_the_request_and_reports_its_usage(tmp_path: Path) -> None:
    reply = {"type": "message", "role": "assistant", "id": "m1", "content": [say("yes")], "usage": usage(3, 90, 7)}
    session = open_session(saved(tmp_path, {**REQUEST, "messages": [asked("hi")], "response": reply}))
    assert texts(session) == ["hi", "yes"]
    assert (session.messages[1].usage, session.messages[1].source_id) == (Usage(100, 5, 90, 7), "m1")


def test_that_successive_requests_are_one_session_with_the_usage_of_each_call(write: Write) -> None:
    one = [asked("do it")]
    two = [*one, told(say("I will"), use("t1")), {"role": "user", "content": [result("t1", "ok")]}]
    three = [*two, told(say("done ")), asked("thanks")]
    path = write(
        capture(one, [THINKING, say("I will"), use("t1")], usage(10, output=1)),
        # Reminders and cache marks come and go; the message is the same.
        capture([asked("do it<system-reminder>x</system-reminder>"), *two[1:]], [say("done")], usage(2, 20, output=2)),
        capture(three, None, {}),
        capture(three, [say("welcome")], usage(1, 30, 4, output=3)),
    )
    session = open_session(path)
    assert texts(session) == ["do it", "I will", "ok", "done", "thanks", "welcome"]
    assert session.title == "do it"
    assert [m.usage for m in session.messages if m.role == "assistant"] == [
        Usage(10, 1, 0, 0),
        Usage(22, 2, 20, 0),
        Usage(35, 3, 30, 4),
    ]
    assert session.messages[1].thinking == "hm"
    assert (session.markers, session.children) == ((), ())
    assert session.messages[1].ts == 1_776_000_001
    assert [record.label for record in session.other] == ["capture"] * 4
    assert json.loads(session.raw(4)) == asked("thanks")


def test_that_a_title_is_what_a_person_wrote(write: Write) -> None:
    reminded = {"role": "user", "content": [say("<system-reminder>rules</system-reminder>"), say("fix it")]}
    session = open_session(write(capture([reminded], [say("ok")], usage(1))))
    assert (session.title, session.messages[0].kind) == ("fix it", "prompt")
    assert "rules" in session.messages[0].text


def test_that_side_requests_and_sub_agents_are_children(write: Write) -> None:
    spawn = use("t9", name="Task", prompt="look around", description="d")
    path = write(
        capture([asked("title please")], [say("A title")], usage(5), tools=[]),
        capture([asked("do it")], [spawn], usage(10)),
        capture([asked("look around")], [say("seen")], usage(4)),
        capture([asked("do it"), told(spawn), {"role": "user", "content": [result("t9")]}], [say("ok")], usage(20)),
    )
    session = open_session(path)
    assert texts(session) == ["do it", "", "done", "ok"]
    assert [(texts(child), child.parent_call_id) for child in session.children] == [
        (["title please", "A title"], None),
        (["look around", "seen"], "t9"),
    ]
    assert "3 conversations" in session.warnings[0]


def test_that_a_compacted_history_is_marked_and_goes_on(write: Write) -> None:
    summary = "This session is being continued from a previous conversation that ran out of context. Summary: x"
    path = write(
        capture([asked("do it"), told(say("a")), asked("more")], [say("b")], usage(10)),
        capture([asked(summary)], [say("c")], usage(3)),
    )
    session = open_session(path)
    assert texts(session) == ["do it", "a", "more", "b", summary, "c"]
    assert session.messages[4].kind == "summary"
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 4, ())]


def test_that_messages_left_out_of_a_later_request_leave_the_window(write: Write) -> None:
    old = {"role": "user", "content": [result("t1", "long")]}
    path = write(
        capture([asked("do it"), told(use("t1")), old], [say("b")], usage(10)),
        capture([asked("do it"), told(say("b")), asked("next")], [say("c")], usage(8)),
    )
    session = open_session(path)
    assert texts(session) == ["do it", "", "long", "b", "next", "c"]
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 4, (0, 3))]


def test_that_a_repeated_request_is_a_rollback_and_a_restart_another_session(write: Write) -> None:
    path = write(
        capture([asked("do it")], [say("first")], usage(10)),
        capture([asked("do it")], [say("second")], usage(10)),
        capture([asked("do it"), told(say("second")), asked("on")], [say("third")], usage(10)),
        capture([asked("do it")], [say("anew")], usage(10)),
    )
    session = open_session(path)
    assert texts(session) == ["do it", "first", "second", "on", "third"]
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("rollback", 2, (0,))]
    assert [texts(child) for child in session.children] == [["do it", "anew"]]


def stream(cut: int | None = None) -> str:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "type": "message", "usage": usage(9, 1)}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo\u2028"}},
        {"type": "content_block_start", "index": 2, "content_block": dict(use("t1"))},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 42}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\r\ndata: {json.dumps(e)}\r\n\r\n" for e in events[:cut])


def test_that_a_streamed_answer_is_put_together(write: Write) -> None:
    line: dict[str, Any] = capture([asked("hi")], None, {})
    line["response"]["body_raw"] = stream()
    session = open_session(write(line))
    message = session.messages[1]
    assert (message.text, message.thinking) == ("Hello\u2028", "hm")
    assert [(call.id, call.arguments) for call in message.tool_calls] == [("t1", '{"a": 1}')]
    assert message.usage == Usage(10, 42, 1, 0)
    line["response"]["body_raw"] = stream(9)
    cut = open_session(write(line)).messages[1]
    assert [call.arguments for call in cut.tool_calls] == ['{"a":']


@given(st.text(max_size=400) | st.integers(0, len(stream())).map(lambda cut: stream()[:cut]))
def test_that_any_stream_gives_what_came(events: str) -> None:
    assert isinstance(streamed(events), dict)


def test_that_a_request_as_text_and_a_failed_one_are_read(write: Write) -> None:
    line = capture([asked("hi")], [say("ho")], usage(1))
    line["request"]["body"] = json.dumps(line["request"]["body"])
    failed = capture([asked("hi"), told(say("ho")), asked("more")], None, {})
    failed["response"].update(status_code=529, body={"type": "error"})
    session = open_session(write(line, failed, {"request": failed["request"], "response": None}))
    assert texts(session) == ["hi", "ho", "more"]
    assert session.warnings == ("1 of the captured requests failed; they have no answer.",)


@pytest.mark.parametrize("lines", [True, False])
def test_that_bare_messages_with_typed_blocks_are_read(tmp_path: Path, write: Write, lines: bool) -> None:
    messages = REQUEST["messages"]
    session = open_session(write(*messages) if lines else saved(tmp_path, messages))
    assert session.format == "anthropic-messages"
    assert counts(session).tool_results == 2
    assert session.other == ()


def test_that_a_capture_as_one_document_is_read_like_lines(tmp_path: Path, write: Write) -> None:
    lines = [capture([asked("a")], [say("b")], usage(1)), capture([asked("a"), told(say("b")), asked("c")], None, {})]
    assert texts(open_session(write(*lines))) == texts(open_session(saved(tmp_path, lines))) == ["a", "b", "c"]


def test_that_chat_completions_are_left_to_their_importer(write: Write) -> None:
    tools = [{"type": "function", "function": {"name": "x"}}]
    value = {"model": "claude-x", "messages": [{"role": "user", "content": [say("hi")]}], "tools": tools}
    assert open_session(write(value)).format == "openai-chat"


@pytest.mark.parametrize("kind", ["search_result", "mcp_tool_result", "document"])
@pytest.mark.parametrize("depth", [2, 300, 450])
def test_that_blocks_nested_without_end_are_no_error(tmp_path: Path, kind: str, depth: int) -> None:
    inner, end = f'{{"type": "{kind}", "content": [', "]}"
    if kind == "document":
        inner, end = '{"type": "document", "source": {"type": "content", "content": [', "]}}"
    path = tmp_path / "deep.json"
    path.write_text(json.dumps(REQUEST | {"messages": [asked("@"), asked("hi")]}))
    path.write_text(path.read_text().replace('"@"', f'[{inner * depth}"x"{end * depth}]'))
    session = opened(path)
    # What is nested too deeply to be decoded is refused with a sentence.
    assert depth > 400 or (session is not None and texts(session)[1] == "hi")


CAPTURE = [
    capture([asked("do it")], [THINKING, use("t1")], usage(10)),
    capture([asked("do it"), told(use("t1")), {"role": "user", "content": [result("t1")]}], [say("é")], usage(3, 9)),
    capture([asked("side")], [say("x")], usage(1), tools=[]),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([REQUEST, CAPTURE, REQUEST["messages"]]).flatmap(mistyped))
def test_that_no_wrong_type_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(encoded(CAPTURE[1])), st.integers(0, 2))
def test_that_damage_to_one_exchange_loses_no_other(write: Write, data: bytes, place: int) -> None:
    lines: list[object] = [encoded(CAPTURE[0]), encoded(CAPTURE[2])]
    lines.insert(place, data.replace(b"\n", b" "))
    path = write(*lines)
    session = opened(path)
    assert session is not None
    content = path.read_bytes()
    for good in (encoded(CAPTURE[0]), encoded(CAPTURE[2])):
        start = content.index(good)
        assert is_held(session, start, start + len(good))


def test_that_asking_in_between_changes_nothing(write: Write) -> None:
    check_pieces(write(*CAPTURE, REQUEST, *REQUEST["messages"], {"x": 1}), Anthropic())
