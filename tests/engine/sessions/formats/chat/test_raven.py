"""Raven's and nanobot's sessions (formats.md, sections 9 and 10)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import open_session
from tests.engine.sessions.conftest import encoded

Write = Callable[..., Path]


def meta(title: str | None = None, consolidated: object = 0) -> dict[str, object]:
    inner = {"source": None, "channel": "cli", "chat_id": "1", "title": title, "parent_session_id": None}
    return {"_type": "metadata", "key": "cli:1", "metadata": inner, "last_consolidated": consolidated}


def say(role: str, content: object, **more: object) -> dict[str, object]:
    return {"role": role, "content": content, **more, "timestamp": "2026-07-24T09:00:00.000001"}


CALL = [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]


def test_that_messages_reasoning_and_results_are_read(write: Write) -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    lines = [
        meta(),
        say("user", "帮我"),
        say("assistant", None, tool_calls=CALL, reasoning_content="hm", thinking_blocks=blocks),
        say("tool", "ok", tool_call_id="c1", name="bash"),
    ]
    session = open_session(write(*lines))
    assert session.format == "raven"
    assert session.id == "cli:1"
    assert [message.role for message in session.messages] == ["user", "assistant", "tool"]
    assert session.messages[1].thinking == "hm"
    assert session.messages[0].ts is not None
    assert session.structure.groups[1].messages == (1, 2)
    assert [session.raw(n) for n in range(3)] == [encoded(line) for line in lines[1:]]
    assert session.title == "帮我"
    assert session.markers == ()


def test_that_of_several_metadata_lines_the_last_one_counts(write: Write) -> None:
    lines = [meta("old"), say("user", "a"), meta("older", 1), say("assistant", "b"), meta("new", 2), say("user", "c")]
    session = open_session(write(*lines))
    assert session.title == "new"
    assert [record.label for record in session.other] == ["metadata"] * 3


def test_that_each_rise_of_the_consolidated_count_is_marked_where_it_was_written(write: Write) -> None:
    talk = [say("user", "a"), say("assistant", "b"), say("user", "c"), say("assistant", "d")]
    session = open_session(
        write(meta(), *talk, meta(consolidated=2), meta(consolidated=2), *talk, meta(consolidated=6))
    )
    assert [(marker.kind, marker.before, marker.keep) for marker in session.markers] == [
        ("consolidated", 4, (2, 3)),
        ("consolidated", 8, (6, 7)),
    ]


def test_that_a_count_which_stands_before_its_messages_takes_them_out_where_they_end(write: Write) -> None:
    session = open_session(write(meta(consolidated=2), say("user", "a"), say("assistant", "b"), say("user", "c")))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(2, ())]


def test_that_a_count_which_falls_takes_back_what_earlier_lines_said(write: Write) -> None:
    lines = [meta(), say("user", "a"), say("assistant", "b"), meta(consolidated=2), say("user", "c")]
    assert open_session(write(*lines, meta(consolidated=0))).markers == ()
    (marker,) = open_session(write(*lines, meta(consolidated=1))).markers
    assert (marker.before, marker.keep) == (3, (1, 2))


def test_that_a_fork_names_the_session_it_was_copied_from(write: Write) -> None:
    line = meta("fork of it")
    line["metadata"]["parent_session_id"] = "cli:0"  # type: ignore[index]
    session = open_session(write(line, say("user", "a")))
    assert (session.forked_from, session.title, session.id) == ("cli:0", "fork of it", "cli:1")
    assert open_session(write(meta(), say("user", "a"))).forked_from is None


def test_that_metadata_without_a_key_gives_the_channel_and_chat_as_id(write: Write) -> None:
    line = {key: value for key, value in meta().items() if key != "key"}
    assert open_session(write(line, say("user", "a"))).id == "cli:1"


def test_that_a_nanobot_file_is_one_metadata_line_and_its_messages(write: Write) -> None:
    first = {"_type": "metadata", "created_at": "2026-01-01T00:00:00", "metadata": {}, "last_consolidated": 1}
    session = open_session(write(first, say("user", "a"), say("assistant", "b"), name="telegram_42.jsonl"))
    assert (session.id, session.title, len(session.messages)) == ("telegram_42", "a", 2)
    assert [(marker.kind, marker.before) for marker in session.markers] == [("consolidated", 1)]


def test_that_a_consolidated_count_beyond_the_end_stays_inside_the_session(write: Write) -> None:
    session = open_session(write(meta(consolidated=99), say("user", "a")))
    assert session.markers[0].before == 1
    assert open_session(write(meta(consolidated="x"), say("user", "a"))).markers == ()


def test_that_unknown_records_are_kept(write: Write) -> None:
    session = open_session(write(meta(), {"_type": "checkpoint"}, {"note": 1}, say("user", "a")))
    assert [record.label for record in session.other] == ["metadata", "checkpoint", "an object with the keys note"]


def test_that_a_damaged_first_line_does_not_hide_the_format(write: Write) -> None:
    session = open_session(write(encoded(meta())[:-5], say("user", "a"), say("assistant", "b"), meta("late")))
    assert (session.format, session.title, len(session.messages)) == ("raven", "late", 2)
    assert session.damage[0].span.line == 1
