"""Claude Code transcripts (formats.md, section 1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

Write = Callable[..., Path]


def shape(session: Session) -> list[tuple[str, str, str]]:
    return [(message.role, message.kind, message.text) for message in session.messages]


def test_that_one_api_message_over_many_lines_is_one_message_where_it_began(write: Write) -> None:
    lines = [
        user("go"),
        assistant({"type": "thinking", "thinking": "hm", "signature": "sig"}, uuid="a1"),
        assistant(use("t1", command="ls"), uuid="a2"),
        user([result("t1", "out")], uuid="u2"),
        {"type": "progress", "uuid": "p", "data": {"type": "bash_progress"}},
        assistant(use("t2", command="pwd"), uuid="a3"),
        user([result("t2", "here")], uuid="u3"),
    ]
    session = open_session(write(*lines))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "tool"]
    answer = session.messages[1]
    assert answer.thinking == "hm"
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("t1", "Bash", '{"command": "ls"}'),
        ("t2", "Bash", '{"command": "pwd"}'),
    ]
    assert answer.source_id == "m1"
    assert session.raw(1) == b"\n".join(encoded(lines[n]) for n in (1, 2, 5))
    assert [span.line for span in answer.spans] == [2, 3, 6]
    assert session.structure.groups[1].messages == (1, 2, 3)
    assert counts(session).calls == 1


def test_that_usage_counts_once_with_the_largest_output(write: Write) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30}
    session = open_session(
        write(
            assistant(say("a"), uuid="a1", usage={**usage, "output_tokens": 4}),
            assistant(say("b"), uuid="a2", usage={**usage, "output_tokens": 90}),
            assistant(say("c"), uuid="a3", usage={**usage, "output_tokens": 7}),
        )
    )
    assert session.messages[0].usage == Usage(context=240, output=90, cache_read=200, cache_write=30)


def test_that_unknown_usage_is_none_and_not_zero(write: Write) -> None:
    session = open_session(
        write(assistant(say("a")), assistant(say("b"), mid="m2", uuid="a2", usage={"output_tokens": 3}))
    )
    assert session.messages[0].usage is None
    assert session.messages[1].usage == Usage(None, 3, None, None)


def test_that_results_become_tool_messages_and_other_blocks_a_user_message(write: Write) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    session = open_session(
        write(
            user("go"),
            assistant(use("t1", "Read"), use("t2", "Grep")),
            user(
                [
                    result("t1", [say("x"), image]),
                    result("t2", None, is_error=True),
                    say("and now this"),
                    image,
                ],
                uuid="u2",
                timestamp="2026-02-04T01:51:55.357Z",
            ),
        )
    )
    assert [(m.role, m.tool_call_id, m.tool_name, m.is_error) for m in session.messages[2:]] == [
        ("tool", "t1", "Read", False),
        ("tool", "t2", "Grep", True),
        ("user", None, None, False),
    ]
    assert session.messages[2].text == "x\n[image image/png, 3 bytes]"
    assert session.messages[4].images == 1
    assert session.messages[4].kind == "prompt"
    assert len({message.spans for message in session.messages[2:]}) == 1
    assert session.messages[4].ts == pytest.approx(1770169915.357)


@pytest.mark.parametrize(
    ("content", "more", "kind"),
    [
        ("please fix it", {}, "prompt"),
        ([say("please fix it")], {}, "prompt"),
        ("injected", {"isMeta": True}, "meta"),
        ("This session is being continued", {"isCompactSummary": True}, "summary"),
        ("<command-name>/clear</command-name>", {}, "command"),
        ("<command-message>x is running…</command-message>\n<command-name>/x</command-name>", {}, "command"),
        ("<local-command-stdout>ok</local-command-stdout>", {}, "command"),
        ("<bash-input>ls</bash-input>", {}, "command"),
        ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", {}, "command"),
        ("<task-notification>done</task-notification>", {}, "meta"),
        ("from a task", {"origin": {"kind": "task-notification"}}, "meta"),
        ("<system-reminder>note</system-reminder>", {}, "meta"),
        ("<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>", {}, "meta"),
        ("<system-reminder>a</system-reminder> and a question", {}, "prompt"),
        ([say("[Request interrupted by user for tool use]")], {}, "meta"),
        ("", {}, "prompt"),
        (None, {}, "prompt"),
    ],
)
def test_that_every_kind_of_user_message_is_told(
    write: Write, content: object, more: dict[str, Any], kind: str
) -> None:
    session = open_session(write(user(content, **more)))
    assert [message.kind for message in session.messages] == [kind]


def test_that_an_interruption_is_flagged(write: Write) -> None:
    session = open_session(write(user("[Request interrupted by user]")))
    assert session.messages[0].flags == {"interrupted"}


def test_that_synthetic_answers_and_api_errors_are_flagged_and_no_calls(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            assistant(
                say("No response requested."), model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0}
            ),
            assistant(say("API Error: 529"), mid="m2", uuid="a2", isApiErrorMessage=True),
            assistant(say("fine"), mid="m3", uuid="a3"),
        )
    )
    assert [sorted(message.flags) for message in session.messages] == [[], ["synthetic"], ["api_error"], []]
    assert session.messages[1].usage is None
    assert session.messages[1].model is None
    assert session.model == "claude-x"
    assert [call.message for call in session.structure.calls] == [3]


def test_that_what_the_harness_wrote_is_no_part_of_an_answer_with_the_same_id(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            assistant(say("No response requested."), uuid="a1", mid="m", model="<synthetic>"),
            assistant(say("an answer"), uuid="a2", mid="m"),
        )
    )
    assert [message.text for message in session.messages] == ["go", "No response requested.", "an answer"]
    assert [call.message for call in session.structure.calls] == [2]


def test_that_a_record_written_twice_is_kept_and_flagged(write: Write) -> None:
    lines = [user("go"), user("go"), assistant(use("t1")), assistant(use("t1")), user([result("t1")], uuid="u2")]
    session = open_session(write(*lines))
    assert [sorted(message.flags) for message in session.messages] == [[], ["duplicate_id"], [], ["duplicate_id"], []]
    assert session.raw(1) == encoded(lines[1])
    assert counts(session).calls == 1
    assert session.structure.groups[2].messages == (2, 4)
    assert session.structure.never_sent.keys() == {1, 3}


def test_that_a_turn_written_twice_under_other_uuids_is_sent_once(write: Write) -> None:
    lines = [
        user("go", timestamp="2026-01-01T10:00:00Z"),
        assistant(say("hm")),
        assistant(use("t1"), uuid="a2"),
        user([result("t1")], uuid="r1"),
    ]
    again = [{**line, "uuid": f"again-{number}"} for number, line in enumerate(lines)]
    session = open_session(write(*lines, *again, assistant(say("done"), mid="m9", uuid="a9")))
    sent = [message for message in session.messages if message.id not in session.structure.never_sent]
    assert [(m.role, m.text) for m in sent] == [
        ("user", "go"), ("assistant", "hm"), ("tool", sent[2].text), ("assistant", "done"),
    ]  # fmt: skip
    assert counts(session).calls == 2
    assert [len(m.spans) for m in sent] == [1, 2, 1, 1]


def test_that_a_line_written_twice_does_not_cut_the_message_that_goes_on_growing(write: Write) -> None:
    first = assistant(say("one"), uuid="a1")
    session = open_session(write(user("go"), first, first, assistant(say("two"), uuid="a2")))
    assert [m.text for m in session.messages if m.id not in session.structure.never_sent] == ["go", "one\ntwo"]


def test_that_messages_without_ids_stay_apart(write: Write) -> None:
    session = open_session(write(assistant(say("a"), mid=None, uuid="a1"), assistant(say("b"), mid=None, uuid="a2")))
    assert [message.text for message in session.messages] == ["a", "b"]
    assert [message.source_id for message in session.messages] == ["a1", "a2"]


def test_that_calls_and_results_without_ids_find_each_other_in_order(write: Write) -> None:
    bare: list[dict[str, object]] = [{"type": "tool_use", "name": name, "input": {}} for name in ("Read", "Grep")]
    answers = [{"type": "tool_result", "content": text} for text in ("r", "g", "nobody's")]
    session = open_session(write(assistant(*bare), user(answers)))
    assert session.structure.groups[0].messages == (0, 1, 2)
    assert [message.tool_name for message in session.messages[1:]] == ["Read", "Grep", None]
    assert session.structure.groups[1].orphan


def test_that_compaction_and_clearing_are_markers_before_the_next_message(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            assistant(use("t1")),
            {
                "type": "system",
                "subtype": "microcompact_boundary",
                "uuid": "s0",
                "microcompactMetadata": {"tokensSaved": 21091, "compactedToolIds": ["t1", "t2"]},
            },
            user([result("t1")], uuid="u2"),
            {
                "type": "system",
                "subtype": "compact_boundary",
                "uuid": "s1",
                "parentUuid": None,
                "compactMetadata": {"trigger": "auto", "preTokens": 155068, "preservedMessages": {"uuids": ["x"]}},
            },
            user("This session is being continued", uuid="u3", isCompactSummary=True),
        )
    )
    assert [(marker.kind, marker.before, marker.note) for marker in session.markers] == [
        ("clearing", 2, "2 tool results cleared, 21,091 tokens saved"),
        ("compaction", 3, "auto, 155,068 tokens before, 1 records kept"),
    ]
    assert [record.label for record in session.other] == ["system/microcompact_boundary", "system/compact_boundary"]


def test_that_unknown_records_and_values_are_kept_as_other_records(write: Write) -> None:
    lines = [
        user("go"),
        {"type": "brand-new", "uuid": "x", "payload": None},
        {"type": "attachment", "uuid": "y", "attachment": {"type": "file"}},
        {"type": "assistant", "uuid": "z", "message": None},
        {"uuid": "w"},
        [1, 2],
        "text",
        None,
    ]
    session = open_session(write(*lines))
    assert [record.label for record in session.other] == [
        "brand-new",
        "attachment/file",
        "assistant",
        "record without a type",
        "an array of 2 values, no record",
        "a string, no record",
        "null, no record",
    ]
    assert [session.source.read(record.span) for record in session.other] == [encoded(line) for line in lines[1:]]


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (
            [{"type": "summary", "summary": "Sum", "leafUuid": "x"}, {"type": "custom-title", "customTitle": "Mine"}],
            "Sum",
        ),
        ([{"type": "custom-title", "customTitle": "Mine"}, {"type": "ai-title", "aiTitle": "Auto"}], "Mine"),
        ([{"type": "ai-title", "aiTitle": "Auto"}, {"type": "ai-title", "aiTitle": "Newer"}], "Newer"),
        ([], "fix the " + "long " * 14 + "lo"),
    ],
)
def test_that_the_title_comes_from_the_best_source(write: Write, lines: list[object], title: str) -> None:
    prompt = "fix\n the " + "long " * 40
    assert open_session(write(user("<command-name>/x</command-name>"), *lines, user(prompt, uuid="u2"))).title == title


def test_that_a_session_of_commands_is_named_after_the_first_one(write: Write) -> None:
    assert open_session(write(user("<command-name>/init</command-name>"))).title == "/init"


def test_that_project_and_id_come_from_the_records(write: Write) -> None:
    session = open_session(write(user("go", cwd="/home/dev/acme"), user("more", uuid="u2", cwd="/tmp")))
    assert (session.project, session.id, session.format) == ("/home/dev/acme", "s1", "claude-code")


def test_that_a_file_of_queue_operations_is_a_session_without_messages(write: Write) -> None:
    session = open_session(write({"type": "queue-operation", "operation": "enqueue", "sessionId": "s"}))
    assert session.messages == ()
    assert session.structure.turns == ()
    assert session.warnings == ("The file holds no messages.",)


def test_that_damaged_lines_are_counted_and_named_and_cost_no_good_record(write: Write) -> None:
    cut = encoded(assistant(say("lost")))[:60]
    path = write(
        user("a"),
        cut,
        user("b", uuid="u2"),
        b"\x00\x00" + encoded(user("c", uuid="u3")),
        cut + encoded(user("d", uuid="u4")),
    )
    session = open_session(path)
    assert [message.text for message in session.messages] == ["a", "b", "c", "d"]
    assert counts(session).damaged_lines == 3
    assert session.warnings[0] == "Line 2 is damaged (it is no valid JSON, 60 bytes); kept: nothing." or (
        "Line 2 is damaged (it is cut, 60 bytes); kept: nothing." in session.warnings
    )


def test_that_a_cut_last_line_is_pending_and_said_so(write: Write) -> None:
    session = open_session(write(user("a"), encoded(user("b"))[:-3], end=b""))
    assert [message.text for message in session.messages] == ["a"]
    assert session.pending is not None
    assert session.damage == ()
    assert session.warnings == ("The last line (2) is cut; it is left out until it is complete.",)


def test_that_results_before_their_calls_are_paired(write: Write) -> None:
    session = open_session(write(user([result("t1")]), assistant(use("t1"))))
    assert session.structure.groups[0].messages == (0, 1)
    assert session.messages[0].flags == frozenset()


def test_that_an_orphan_result_is_flagged_and_named(write: Write) -> None:
    session = open_session(write(user([result("gone")]), user("go", uuid="u2")))
    assert session.messages[0].flags == {"orphan_result"}
    assert session.warnings == ("1 tool result has no tool call in the file.",)


def test_that_separators_and_surrogates_in_strings_survive(write: Write) -> None:
    line = encoded(user("a\u2028b\u2029cZZ\u0085d")).replace(b"ZZ", b"\\ud800")
    session = open_session(write(line, user("b", uuid="u2")))
    assert session.messages[0].text == "a\u2028b\u2029c\ufffd\u0085d"
    assert session.raw(0) == line
    assert len(session.messages) == 2
