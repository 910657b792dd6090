"""Sessions of pi and OpenClaw (formats.md, section 10)."""

from __future__ import annotations

import json

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.conftest import Write, encoded
from tests.engine.sessions.formats.pi.lines import (
    HEAD,
    USAGE,
    Json,
    call,
    entry,
    labels,
    linear,
    reply,
    result,
    shape,
    tree,
    typed,
)


def test_that_a_session_without_ids_is_one_line_of_entries(write: Write) -> None:
    lines = linear(typed("look"), reply("I look.", call("c1")), result("c1"), reply("Done."))
    session = open_session(write(*lines))
    assert (session.format, session.id, session.project, session.model) == ("pi", "s-1", "/tmp/a", "m-1")
    assert shape(session) == [("user", "look"), ("assistant", "I look."), ("tool", "ok"), ("assistant", "Done.")]
    assert [group.messages for group in session.structure.groups] == [(0,), (1, 2), (3,)]
    assert [session.raw(n) for n in range(4)] == [encoded(line) for line in lines[1:]]
    assert labels(session) == ["session"]
    assert session.messages[2].tool_name == "bash"


def test_that_a_tree_is_read_along_its_parents(write: Write) -> None:
    session = open_session(write(*tree(typed("look"), reply("I look.", call("c1")), result("c1"), reply("Done."))))
    assert shape(session) == [("user", "look"), ("assistant", "I look."), ("tool", "ok"), ("assistant", "Done.")]
    assert [message.source_id for message in session.messages] == ["e1", "e2", "e3", "e4"]
    assert (session.children, session.markers, session.warnings) == ((), (), ())


def test_that_usage_adds_up_what_was_sent(write: Write) -> None:
    session = open_session(write(*tree(typed("look"), reply("ok"))))
    assert session.messages[1].usage == Usage(context=117, output=7, cache_read=100, cache_write=5)


@pytest.mark.parametrize("usage", [None, {}, dict.fromkeys(USAGE, 0), {"input": "x"}, 3])
def test_that_usage_that_was_not_told_is_unknown(write: Write, usage: object) -> None:
    session = open_session(write(*tree(typed("look"), reply("ok", usage=usage))))
    assert session.messages[1].usage is None
    assert counts(session).calls == 1


@pytest.mark.parametrize(
    ("more", "flags", "calls"),
    [
        ({"stopReason": "aborted", "content": [], "usage": dict.fromkeys(USAGE, 0)}, {"interrupted", "synthetic"}, 0),
        ({"stopReason": "error", "content": [], "usage": dict.fromkeys(USAGE, 0)}, {"api_error"}, 0),
        ({"stopReason": "error", "content": []}, {"interrupted"}, 1),
        ({"stopReason": "aborted", "usage": None}, {"interrupted"}, 1),
        ({"stopReason": "error"}, {"interrupted"}, 1),
        ({"stopReason": "length"}, set(), 1),
        ({"stopReason": None}, set(), 1),
    ],
)
def test_that_a_cut_response_is_a_call_where_the_model_was_heard(
    write: Write, more: Json, flags: set[str], calls: int
) -> None:
    session = open_session(write(*tree(typed("look"), reply("half", **more))))
    assert session.messages[1].flags == flags
    assert counts(session).calls == calls


def test_that_a_call_that_was_cut_is_unanswered_and_keeps_what_there_is(write: Write) -> None:
    half = {"type": "toolCall", "id": "c1", "name": "edit", "partialJson": '{"path": "a'}
    whole = {"type": "toolCall", "id": "c2", "name": "edit", "arguments": {"path": "a"}, "partialJson": '{"path": "a"}'}
    session = open_session(write(*tree(typed("look"), reply("half", half, whole, stopReason="aborted"))))
    assert [made.arguments for made in session.messages[1].tool_calls] == ['{"path": "a', '{"path": "a"}']
    assert session.structure.groups[1].unanswered == ("c1", "c2")


def test_that_thinking_and_pictures_are_parts(write: Write) -> None:
    image = {"type": "image", "data": "AAAAAAAA", "mimeType": "image/png"}
    thought = {"type": "thinking", "thinking": "hm", "thinkingSignature": "x" * 99}
    lines = tree(typed(["see", {"type": "text", "text": "this"}, image]), reply("ok", thought), result("c1", [image]))
    session = open_session(write(*lines))
    assert session.messages[0].text == "see\nthis\n[image image/png, 6 bytes]"
    assert (session.messages[1].thinking, session.messages[1].text) == ("hm", "ok")
    assert [message.images for message in session.messages] == [1, 0, 1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "Ran `ls`\n```\na.txt\n```"),
        ({"output": ""}, "Ran `ls`\n(no output)"),
        ({"exitCode": 2}, "Ran `ls`\n```\na.txt\n```\n\nCommand exited with code 2"),
        ({"exitCode": None, "cancelled": True}, "Ran `ls`\n```\na.txt\n```\n\n(command cancelled)"),
        (
            {"truncated": True, "fullOutputPath": "/tmp/o"},
            "Ran `ls`\n```\na.txt\n```\n\n[Output truncated. Full output: /tmp/o]",
        ),
    ],
)
def test_that_a_shell_command_of_the_person_reads_as_the_model_reads_it(write: Write, more: Json, words: str) -> None:
    shell: Json = {"role": "bashExecution", "command": "ls", "output": "a.txt", "exitCode": 0, "cancelled": False}
    session = open_session(write(*tree({**shell, "truncated": False, **more}, typed("so?"), reply("ok"))))
    assert session.messages[0].text == words
    assert (session.messages[0].role, session.messages[0].kind) == ("user", "command")
    assert len(session.structure.turns) == 2


def test_that_a_command_kept_from_the_model_is_no_message(write: Write) -> None:
    shell = {"role": "bashExecution", "command": "ls", "output": "a.txt", "excludeFromContext": True}
    session = open_session(write(*tree(shell, typed("so?"), reply("ok"))))
    assert shape(session) == [("user", "so?"), ("assistant", "ok")]
    assert labels(session) == ["session", "message/bashExecution"]


def test_that_messages_of_extensions_are_in_the_window_and_their_data_is_not(write: Write) -> None:
    lines = tree(
        entry("custom", customType="state", data={"a": 1}),
        entry("custom_message", customType="notes", content="remember", display=False),
        {"role": "hookMessage", "content": [{"type": "text", "text": "hook"}]},
        {"role": "custom", "content": "custom"},
        typed("go"),
        reply("ok"),
    )
    session = open_session(write(*lines))
    assert [(message.kind, message.text) for message in session.messages[:3]] == [
        ("meta", "remember"), ("meta", "hook"), ("meta", "custom"),
    ]  # fmt: skip
    assert labels(session) == ["session", "custom"]
    assert session.title == "go"


def test_that_the_model_is_known_where_only_a_change_tells_it(write: Write) -> None:
    plain = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    lines = tree(plain, entry("model_change", modelId="m-2"), plain, reply("b", model="m-3"), plain)
    session = open_session(write({**HEAD, "modelId": "m-0"}, *lines[1:]))
    assert [message.model for message in session.messages] == ["m-0", "m-2", "m-3", "m-3"]
    assert labels(session) == ["session", "model_change"]


def test_that_names_labels_and_unknown_entries_are_kept(write: Write) -> None:
    lines = tree(
        typed("look"), entry("session_info", name="my name"), entry("label", targetId="e1", label="x"),
        entry("thinking_level_change", thinkingLevel="high"), entry("brand_new", data=[1]),
        {"role": "robot", "content": "x"},
    )  # fmt: skip
    session = open_session(write(*lines, 7, {"a": 1}, {"type": 4}))
    assert session.title == "my name"
    assert labels(session)[1:] == [
        "session_info", "label", "thinking_level_change", "brand_new", "message/robot", "a number",
        "an object with the keys a", "an object with the keys type",
    ]  # fmt: skip


def test_that_a_compaction_marks_what_stayed_and_its_summary_is_a_message(write: Write) -> None:
    compacted = entry("compaction", summary="we looked", firstKeptEntryId="e3", tokensBefore=900, fromHook=True)
    lines = tree(typed("look"), reply("1"), typed("more"), reply("2"), compacted, typed("on"), reply("3"))
    session = open_session(write(*lines))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep, marker.tokens_before) == ("compaction", 4, (2, 3), 900)
    assert "an extension" in marker.note
    summary = session.messages[4]
    assert (summary.kind, summary.role) == ("summary", "user")
    assert summary.text.endswith("<summary>\nwe looked\n</summary>")
    assert json.loads(session.raw(4))["type"] == "compaction"


def test_that_a_second_compaction_does_not_keep_the_first_summary(write: Write) -> None:
    first = entry("compaction", summary="one", firstKeptEntryId="e1", tokensBefore=1)
    second = entry("compaction", summary="two", firstKeptEntryId="e2", tokensBefore=1)
    lost = entry("compaction", summary="three", firstKeptEntryId="gone", tokensBefore=None)
    session = open_session(write(*tree(typed("look"), reply("1"), first, typed("more"), second, lost)))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(2, (0, 1)), (4, (1, 3)), (5, ())]


def test_that_the_first_version_counts_every_record_to_tell_what_stayed(write: Write) -> None:
    compacted = entry("compaction", summary="s", firstKeptEntryIndex=3, tokensBefore=5)
    changed = entry("model_change", modelId="m-2")
    session = open_session(write(*linear(typed("look"), changed, typed("more"), reply("1"), compacted, typed("on"))))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(3, (1, 2))]
    beyond = entry("compaction", summary="s", firstKeptEntryIndex=99)
    assert open_session(write(*linear(typed("look"), beyond))).markers[0].keep == ()


def test_that_a_compaction_without_a_summary_is_still_marked(write: Write) -> None:
    session = open_session(write(*tree(typed("look"), entry("compaction", summary=None, firstKeptEntryId="e1"))))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(1, (0,))]
    assert labels(session) == ["session", "compaction"]


def test_that_a_summary_of_a_branch_is_a_message(write: Write) -> None:
    session = open_session(
        write(*tree(typed("a"), entry("branch_summary", fromId="e9", summary="we tried"), typed("b")))
    )
    assert session.messages[1].kind == "summary"
    assert "came back from" in session.messages[1].text
    assert [turn.prompt for turn in session.structure.turns] == [0, 2]


@pytest.mark.parametrize("key", ["parentSession", "branchedFrom"])
def test_that_a_fork_names_where_it_comes_from(write: Write, key: str) -> None:
    assert open_session(write({**HEAD, key: "/tmp/old.jsonl"}, *tree(typed("a"))[1:])).forked_from == "/tmp/old.jsonl"


def test_that_times_come_from_the_entry_or_from_the_message(write: Write) -> None:
    inner = {"type": "message", "message": {**typed("a"), "timestamp": 1763681581544}}
    session = open_session(
        write(HEAD, {**inner, "timestamp": "2026-01-01T00:00:00Z"}, inner, {**inner, "timestamp": 3})
    )
    assert [message.ts for message in session.messages] == [1767225600.0, 1763681581.544, 1763681581.544]


def test_that_system_messages_keep_their_role(write: Write) -> None:
    session = open_session(write(*tree({"role": "system", "content": "be brief"}, typed("a"))))
    assert shape(session) == [("system", "be brief"), ("user", "a")]


def test_that_a_damaged_header_does_not_hide_the_format(write: Write) -> None:
    lines = tree(typed("look"), reply("ok"))
    session = open_session(write(encoded(lines[0])[:-3], *lines[1:]))
    assert (session.format, session.id) == ("pi", "session")
    assert len(session.messages) == 2
