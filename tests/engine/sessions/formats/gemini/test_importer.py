"""Sessions of Gemini CLI (formats.md, section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.conftest import encoded
from tests.engine.sessions.formats.gemini.lines import (
    HEAD,
    SHAPE,
    TALK,
    TOKENS,
    Json,
    answer,
    ask,
    call,
    document,
    labels,
    note,
    shape,
)

Write = Callable[..., Path]


def test_that_a_document_and_lines_give_the_same_messages(write: Write) -> None:
    lines = open_session(write(HEAD, *TALK))
    whole = open_session(write(document(*TALK), name="session-x.json"))
    single = open_session(write({**HEAD, "messages": TALK}, name="one-line.json"))
    for session in (lines, whole, single):
        assert (session.format, session.id, session.model) == ("gemini-cli", "s-1", "gemini-x")
        assert shape(session) == SHAPE
        assert [group.messages for group in session.structure.groups] == [(0,), (1, 2), (3,)]
        assert counts(session).calls == 2
        assert [json.loads(session.raw(n)) for n in range(4)] == [TALK[0], TALK[1], TALK[1], TALK[2]]
    assert labels(lines) == ["header"]
    assert labels(whole) == labels(single) == []


def test_that_a_result_is_what_the_model_reads_and_not_what_the_screen_shows(write: Write) -> None:
    session = open_session(write(HEAD, *TALK))
    made = session.messages[1].tool_calls[0]
    assert (made.id, made.name, json.loads(made.arguments)) == ("c1", "shell", {"command": "ls"})
    result = session.messages[2]
    assert (result.tool_call_id, result.tool_name, result.is_error) == ("c1", "shell", False)
    assert (result.ts or 0) > (session.messages[1].ts or 0) > 0


@pytest.mark.parametrize(
    ("result", "words", "error"),
    [
        ([{"functionResponse": {"id": "c1", "response": {"error": "no such file"}}}], "no such file", True),
        ([{"functionResponse": {"id": "c1", "response": {"a": 1, "output": "x"}}}], '{"a": 1, "output": "x"}', False),
        ([{"functionResponse": {"id": "c1", "response": {"output": {"k": [1]}}}}], '{"k": [1]}', False),
        ([{"functionResponse": {"id": "c1", "response": None}}], "", False),
        ("plain", "plain", False),
        ({"text": "a part"}, "a part", False),
        ([{"functionResponse": {"id": "c1", "response": {"output": "x"}}}, {"text": "beside"}], "x\nbeside", False),
        (
            [
                {"functionResponse": {"id": "c0", "response": {"output": "of another call"}}},
                {"functionResponse": {"id": "c1", "response": {"output": "own"}}},
            ],
            "own",
            False,
        ),
    ],
)
def test_that_results_of_any_shape_are_read(write: Write, result: object, words: str, error: bool) -> None:
    session = open_session(write(HEAD, ask("u1"), answer("g1", "", call("c1", result=result))))
    assert (session.messages[2].text, session.messages[2].is_error) == (words, error)


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_that_the_status_of_a_call_tells_a_failed_result(write: Write, status: str) -> None:
    session = open_session(write(HEAD, ask("u1"), answer("g1", "", call("c1", status=status))))
    assert session.messages[2].is_error


@pytest.mark.parametrize("more", [{"result": None, "status": "cancelled"}, {"result": None}])
def test_that_a_call_without_a_result_is_unanswered(write: Write, more: Json) -> None:
    session = open_session(write(HEAD, ask("u1"), answer("g1", "", call("c1", **more))))
    assert shape(session) == [("user", "do it"), ("assistant", "")]
    assert session.structure.groups[1].unanswered == ("c1",)


def test_that_thoughts_are_thinking(write: Write) -> None:
    thoughts = [{"subject": "Plan", "description": "look first", "timestamp": "t"}, {"description": "then act"}, None]
    session = open_session(write(HEAD, ask("u1"), answer("g1", "ok", thoughts=thoughts)))
    assert session.messages[1].thinking == "Plan\nlook first\nthen act"
    assert session.messages[1].text == "ok"


def test_that_usage_has_the_cached_tokens_inside_and_the_thoughts_in_the_output(write: Write) -> None:
    session = open_session(write(HEAD, ask("u1"), answer("g1", "ok", tokens={**TOKENS, "tool": 7})))
    assert session.messages[1].usage == Usage(context=107, output=15, cache_read=60)


@pytest.mark.parametrize("tokens", [None, {}, {"input": 0, "output": 0, "cached": 0, "total": 0}, {"input": "x"}, [1]])
def test_that_tokens_that_are_not_there_are_unknown(write: Write, tokens: object) -> None:
    session = open_session(write(HEAD, ask("u1"), answer("g1", "ok", tokens=tokens)))
    assert session.messages[1].usage is None
    assert counts(session).calls == 1


def test_that_the_calls_of_a_response_which_a_note_divided_are_one_message(write: Write) -> None:
    rest = answer("g2", "", call("c1"), tokens={**dict.fromkeys(TOKENS, 0)})
    session = open_session(write(HEAD, ask("u1"), answer("g1", "I look."), note("i1"), rest, answer("g3", "Done.")))
    assert shape(session) == SHAPE
    assert counts(session).calls == 2
    assert [json.loads(line)["id"] for line in session.raw(1).split(b"\n")] == ["g1", "g2"]
    assert labels(session) == ["header", "info"]
    divided = open_session(write(HEAD, ask("u1"), answer("g1", "I look."), rest))
    assert counts(divided).calls == 2


def test_that_calls_and_results_as_parts_of_the_history_are_read(write: Write) -> None:
    made = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"functionCall": {"name": "ls", "args": {}}}]}
    back = {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}}]}
    talk = [{"role": "user", "parts": [{"text": "list"}]}, made, back, {"role": "model", "parts": [{"text": "ok"}]}]
    for value in ({"history": talk}, talk):
        session = open_session(write(value, name="checkpoint-a.json"))
        assert shape(session) == [("user", "list"), ("assistant", ""), ("tool", "a.txt"), ("assistant", "ok")]
        assert session.messages[1].thinking == "hm"
        assert counts(session).tool_calls == counts(session).tool_results == 1
        assert not any(group.orphan or group.unanswered for group in session.structure.groups)


def test_that_results_which_stand_in_the_message_and_behind_it_are_there_once(write: Write) -> None:
    part = {"functionResponse": {"id": "c1", "name": "shell", "response": {"output": "done"}}}
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    session = open_session(write(HEAD, *TALK[:2], ask("r1", [part]), TALK[2]))
    assert shape(session) == SHAPE
    assert labels(session) == ["header", "tool results repeated"]
    session = open_session(write(HEAD, *TALK[:2], ask("r1", [part, image]), TALK[2]))
    assert [(message.role, message.kind) for message in session.messages][2:4] == [
        ("tool", "ordinary"),
        ("user", "meta"),
    ]
    assert session.messages[3].images == 1


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": "AAAAAAAA"}}, "image", "[image image/png, 6 bytes]"),
        (
            {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}},
            "document",
            "[document application/pdf, 3 bytes]",
        ),
        ({"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}}, "image", "[image image/png gs://a]"),
        ({"executableCode": {"language": "PYTHON", "code": "1+1"}}, "text", "1+1"),
        ({"codeExecutionResult": {"outcome": "OK", "output": "2"}}, "text", "2"),
        ({"newThing": 1}, "other", "[newThing, 15 bytes]"),
        ("just text", "text", "just text"),
        (7, "text", "7"),
    ],
)
def test_that_every_part_is_described_and_no_payload_shown(write: Write, part: object, kind: str, words: str) -> None:
    session = open_session(write(HEAD, ask("u1", ["see", part]), answer("g1", "ok")))
    assert [(item.kind, item.text) for item in session.messages[0].parts] == [("text", "see"), (kind, words)]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("do it", "prompt"),
        ("/usr/bin/x does not start", "prompt"),
        ("/help", "command"),
        ("/chat save a", "command"),
        ("<session_context>\nToday is Monday", "meta"),
        ("System: Please continue.", "meta"),
        ("I ran the following shell command:\n```sh\nls", "command"),
        ("<state_snapshot>x", "summary"),
    ],
)
def test_that_what_no_person_asked_is_told_from_prompts(write: Write, words: str, kind: str) -> None:
    for content in (words, [{"text": words}], {"text": words}):
        assert open_session(write(HEAD, ask("u1", content), answer("g1", "ok"))).messages[0].kind == kind


def test_that_notes_to_the_person_and_unknown_records_are_no_messages(write: Write) -> None:
    lines = [HEAD, note("n1"), TALK[0], note("n2", "warning"), *TALK[1:], {"id": "x", "type": "new"}, {"a": 1}, 7, None]
    session = open_session(write(*lines))
    assert shape(session) == SHAPE
    assert labels(session) == ["header", "info", "warning", "new", "an object with the keys a", "a number", "null"]


def test_that_a_file_of_notes_is_a_session_without_messages(write: Write) -> None:
    session = open_session(write(document(note("n1", "warning")), name="session-w.json"))
    assert (session.messages, labels(session)) == ((), ["warning"])
    assert session.warnings == ("The file holds no messages.",)


def test_that_unknown_members_of_a_document_are_kept(write: Write) -> None:
    session = open_session(write(document(*TALK, memory={"a": 1}), name="session-m.json"))
    assert labels(session) == ["key memory"]
    assert json.loads(session.source.read(session.other[0].span)) == {"a": 1}


def test_that_calls_without_ids_are_told_apart(write: Write) -> None:
    nameless = [{"name": "ls", "args": {"n": n}, "result": f"r{n}"} for n in range(2)]
    session = open_session(write(HEAD, ask("u1"), answer("g1", "", *nameless), answer("g2", "", *nameless)))
    assert [message.text for message in session.messages if message.role == "tool"] == ["r0", "r1", "r0", "r1"]
    assert len({made.id for message in session.messages for made in message.tool_calls}) == 4
    assert not any(group.unanswered or group.orphan for group in session.structure.groups)


def test_that_a_document_cut_in_the_middle_keeps_every_whole_message_and_its_name(write: Write) -> None:
    data = document(*TALK, ask("u2", "lost"), summary="never seen")
    path = write(data[: data.index(b'"lost"')], name="session-c.json", end=b"")
    session = open_session(path)
    assert (shape(session), session.id) == (SHAPE, "s-1")
    assert counts(session).damaged_lines == 1
    assert [json.loads(session.raw(n))["id"] for n in (0, 1, 3)] == ["u1", "g1", "g2"]


def test_that_a_message_cut_inside_a_tool_call_loses_no_whole_piece(write: Write) -> None:
    data = document(TALK[0], answer("g1", "I look.", call("c1"), call("c2")))
    session = open_session(write(data[: data.rindex(b'"resultDisplay"')], name="session-c.json", end=b""))
    assert shape(session) == [("user", "do it")]
    kept = [json.loads(session.source.read(record.span)) for record in session.other]
    assert any(isinstance(value, dict) and value.get("id") == "c1" for value in kept)


def test_that_a_damaged_header_does_not_hide_the_format(write: Write) -> None:
    session = open_session(write(encoded(HEAD)[:-5], *TALK))
    assert (session.format, shape(session), session.id) == ("gemini-cli", SHAPE, "session")


def test_that_a_torn_last_line_waits(write: Write) -> None:
    session = open_session(write(HEAD, *TALK, encoded(ask("u2"))[:-9], end=b""))
    assert shape(session) == SHAPE
    assert session.pending is not None
    assert session.damage == ()


def test_that_the_project_is_read_beside_the_chats(tmp_path: Path, write: Write) -> None:
    path = write(HEAD, *TALK, name="my-project/chats/session-a.jsonl")
    assert open_session(path).project == "my-project"
    (tmp_path / "my-project" / ".project_root").write_text("/home/a/my-project\n")
    assert open_session(path).project == "/home/a/my-project"
    assert open_session(write(HEAD, *TALK, name=f"{'a' * 64}/chats/session-a.jsonl")).project == ""


def test_that_a_document_that_was_resumed_names_the_file_that_goes_on(write: Write) -> None:
    write(HEAD, *TALK, name="chats/session-a.jsonl")
    old = open_session(write(document(*TALK), name="chats/session-a.json"))
    assert old.warnings == ("This session was resumed; session-a.jsonl holds all of it and what came after.",)
    assert open_session(write(HEAD, *TALK, name="chats/session-a.jsonl")).warnings == ()
