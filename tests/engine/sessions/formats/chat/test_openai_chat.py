"""OpenAI chat messages in their containers (formats.md, section 3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.conftest import encoded

Write = Callable[..., Path]

CHAT: list[dict[str, object]] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": [{"type": "text", "text": "列出文件"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}},
            {"id": "call_1", "type": "custom", "custom": {"name": "sh", "input": "pwd"}},
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "/tmp"}]},
    {"role": "tool", "tool_call_id": "call_0", "content": "a.txt"},
    {"role": "assistant", "content": "one file", "tool_calls": None, "function_call": None},
]


def spell(container: str, indent: int | None) -> bytes:
    if container == "lines":
        return b"\n".join(encoded(message) for message in CHAT) + b"\n"
    value: object = {"list": CHAT, "object": {"model": "m", "messages": CHAT, "tools": [{"type": "function"}]}}[
        container
    ]
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


@pytest.mark.parametrize(
    ("container", "indent"), [("list", None), ("list", 2), ("object", None), ("object", 1), ("lines", None)]
)
def test_that_every_container_gives_the_same_messages_with_their_exact_bytes(
    tmp_path: Path, container: str, indent: int | None
) -> None:
    path = tmp_path / "chat.json"
    data = spell(container, indent)
    path.write_bytes(data)
    session = open_session(path)
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert [json.loads(session.raw(n)) for n in range(6)] == CHAT
    for message in session.messages:
        (span,) = message.spans
        assert data[span.offset : span.offset + span.length] == session.raw(message.id)
        assert span.line == data.count(b"\n", 0, span.offset) + 1
    assert [(call.id, call.name, call.arguments) for call in session.messages[2].tool_calls] == [
        ("call_0", "ls", '{"path": "."}'),
        ("call_1", "sh", "pwd"),
    ]
    assert [message.tool_name for message in session.messages[3:5]] == ["sh", "ls"]
    assert session.structure.groups[2].messages == (2, 3, 4)
    assert session.title == "列出文件"
    assert session.id == "chat"
    assert (session.tools_text is not None, session.model) == ((True, "m") if container == "object" else (False, None))


@pytest.mark.parametrize("repeated", [True, False])
def test_that_a_logged_response_is_the_last_message_once(write: Write, repeated: bool) -> None:
    answer = {"role": "assistant", "content": "one file"}
    log = {
        "messages": CHAT if repeated else CHAT[:-1],
        "response": {
            "model": "m-2",
            "created": 1770169915,
            "choices": [
                {"index": 0, "message": answer},
                {"index": 1, "message": {"role": "assistant", "content": "or"}},
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}},
        },
    }
    session = open_session(write(log, name="log.json"))
    assert len(session.messages) == 6
    last = session.messages[-1]
    assert last.text == "one file"
    assert last.usage == Usage(context=100, output=7, cache_read=60, cache_write=None)
    assert (last.model, last.ts) == ("m-2", 1770169915.0)
    assert json.loads(session.raw(5)) == (CHAT[-1] if repeated else answer)
    assert [record.label for record in session.other] == ["choice 2"]


def test_that_the_usage_of_other_gateways_is_read_too(write: Write) -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": None, "prompt_cache_hit_tokens": 20}
    log = {"messages": CHAT[:2], "response": {"choices": [{"message": {"content": "x"}}], "usage": usage}}
    session = open_session(write(log, name="log.json"))
    assert session.messages[-1].usage == Usage(50, None, 20, None)


def test_that_further_conversations_are_children(write: Write) -> None:
    lines = [{"messages": CHAT}, {"messages": CHAT[:2]}, {"messages": []}]
    session = open_session(write(*lines, name="tune.jsonl"))
    assert len(session.messages) == 6
    assert [(child.id, child.title, len(child.messages)) for child in session.children] == [
        ("tune#2", "conversation 2", 2),
        ("tune#3", "conversation 3", 0),
    ]
    assert json.loads(session.children[0].raw(1)) == CHAT[1]
    assert session.children[0].messages[1].spans[0].line == 2
    assert session.warnings == (
        "The file holds 3 conversations; the first is the session, the others are its children.",
    )


def test_that_a_list_of_conversations_is_read_like_lines_of_them(write: Write) -> None:
    session = open_session(write([{"messages": CHAT}, {"messages": CHAT[:3]}], name="set.json"))
    assert [len(session.messages), *(len(child.messages) for child in session.children)] == [6, 3]
    assert json.loads(session.children[0].raw(2)) == CHAT[2]


def test_that_legacy_functions_answer_by_name(write: Write) -> None:
    session = open_session(
        write(
            {"role": "user", "content": "weather?"},
            {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "{broken"}},
            {"role": "function", "name": "weather", "content": "sunny"},
            {"role": "function", "name": "nobody", "content": "?"},
        )
    )
    assert session.messages[1].tool_calls[0].arguments == "{broken"
    assert session.structure.groups[1].messages == (1, 2)
    assert [message.role for message in session.messages[2:]] == ["tool", "tool"]
    assert session.structure.groups[2].orphan


def test_that_results_without_ids_answer_in_order(write: Write) -> None:
    calls = [{"function": {"name": name, "arguments": {"a": 1}}} for name in ("x", "y")]
    session = open_session(
        write(
            {"role": "assistant", "content": "", "tool_calls": [*calls, None, {"id": None, "function": None}]},
            {"role": "tool", "content": "1"},
            {"role": "tool", "content": "2", "name": "y"},
        )
    )
    assert [call.name for call in session.messages[0].tool_calls] == ["x", "y", "", ""]
    assert [message.tool_name for message in session.messages[1:]] == ["x", "y"]
    assert session.messages[0].tool_calls[0].arguments == '{"a": 1}'
    assert len(session.structure.groups[0].unanswered) == 2


def test_that_reused_call_ids_stay_in_their_turns(write: Write) -> None:
    turn = [CHAT[1], {**CHAT[2], "tool_calls": [CHAT[2]["tool_calls"][0]]}, CHAT[4]]  # type: ignore[index]
    session = open_session(write(*turn, *turn))
    assert [group.messages for group in session.structure.groups] == [(0,), (1, 2), (3,), (4, 5)]


def test_that_reasoning_refusals_and_audio_are_parts(write: Write) -> None:
    session = open_session(
        write(
            {"role": "user", "content": "?"},
            {
                "role": "assistant",
                "content": "a",
                "reasoning_content": "think",
                "thinking_blocks": [{"type": "thinking", "thinking": "think"}],
            },
            {"role": "assistant", "content": None, "reasoning": "because", "refusal": "I will not"},
            {"role": "assistant", "content": None, "audio": {"id": "x", "data": "QUJD", "transcript": "spoken"}},
        )
    )
    assert [(message.thinking, message.text) for message in session.messages[1:]] == [
        ("think", "a"),
        ("because", "I will not"),
        ("", "spoken"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("do it", "prompt"),
        ("EXECUTION RESULT of [execute_bash]:\nok", "meta"),
        ("<returncode>0</returncode>", "meta"),
        ("<system-reminder>x</system-reminder>", "meta"),
        ("<system-reminder>x</system-reminder> do it", "prompt"),
    ],
)
def test_that_injected_user_messages_are_told_from_prompts(write: Write, text: str, kind: str) -> None:
    assert open_session(write({"role": "user", "content": text})).messages[0].kind == kind


def test_that_unknown_roles_and_values_are_kept(write: Write) -> None:
    session = open_session(write([*CHAT, {"role": "exit", "content": "x"}, 7, None], name="list.json"))
    assert [record.label for record in session.other] == ["role exit", "a number", "null"]
    assert session.source.read(session.other[1].span) == b"7"
    session = open_session(write({"run": 1}, CHAT[0], CHAT[1], {"role": "exit", "content": ""}))
    assert [record.label for record in session.other] == ["an object with the keys run", "role exit"]
    assert len(session.messages) == 2


def test_that_leading_values_are_no_conversation_of_their_own(write: Write) -> None:
    session = open_session(write({"run": 1}, {"messages": CHAT}))
    assert len(session.messages) == 6
    assert session.children == ()
    assert len(session.other) == 1


def test_that_developer_messages_keep_their_role(write: Write) -> None:
    session = open_session(write({"role": "developer", "content": "d"}, {"role": "user", "content": "u"}))
    assert [message.role for message in session.messages] == ["developer", "user"]


@pytest.mark.parametrize("container", ["list", "object"])
@pytest.mark.parametrize("indent", [None, 2])
def test_that_a_cut_document_keeps_every_whole_message(tmp_path: Path, container: str, indent: int | None) -> None:
    data = spell(container, indent)
    path = tmp_path / "cut.json"
    path.write_bytes(data[: data.index(b'"a.txt"')])
    session = open_session(path)
    assert [json.loads(session.raw(n)) for n in range(4)] == CHAT[:4]
    assert len(session.messages) == 4
    assert counts(session).damaged_lines == 1


def test_that_one_damaged_message_of_a_document_costs_no_other(tmp_path: Path) -> None:
    data = (
        spell("list", 2)
        .replace(b'"one file"', b'"one file')
        .replace(b'"call_1",\n    "content"', b'"call_1"\n    "content"')
    )
    path = tmp_path / "hurt.json"
    path.write_bytes(data)
    session = open_session(path)
    assert [json.loads(session.raw(message.id)) for message in session.messages] == [*CHAT[:3], CHAT[4]]
    assert session.damage[0].span.line == data[: data.index(b'"call_1"\n')].count(b"\n") + 2


def test_that_an_empty_conversation_is_a_session_without_messages(write: Write) -> None:
    assert open_session(write({"messages": []}, name="empty.json")).warnings == ("The file holds no messages.",)


CONTENT = (
    st.none()
    | st.text(max_size=6)
    | st.lists(st.builds(lambda t: {"type": "text", "text": t}, st.text(max_size=4)), max_size=2)
)
MESSAGE = st.builds(
    lambda role, content: {"role": role, "content": content},
    st.sampled_from(["system", "user", "assistant", "tool"]),
    CONTENT,
)


@given(st.lists(MESSAGE, min_size=1, max_size=6), st.sampled_from([None, 0, 3]), st.booleans())
def test_that_raw_gives_back_any_message_of_any_document(
    tmp_path_factory: pytest.TempPathFactory, messages: list[object], indent: int | None, listed: bool
) -> None:
    value = messages if listed else {"a": {"messages": 1}, "messages": messages, "z": "]}"}
    path = tmp_path_factory.mktemp("any") / "chat.json"
    path.write_bytes(json.dumps(value, indent=indent, ensure_ascii=False).encode())
    session = open_session(path)
    assert [json.loads(session.raw(n)) for n in range(len(session.messages))] == messages


def test_that_a_file_whose_first_line_lost_its_beginning_is_read_all_the_same(write: Write) -> None:
    rest = [{"role": "user", "content": "more"}, {"role": "assistant", "content": "done"}]
    session = open_session(write([{"id": "c1", "function": {"name": "shell"}}], *rest))
    assert [message.text for message in session.messages] == ["more", "done"]
    assert len(session.other) == 1
