"""Raven's and nanobot's sessions (formats.md, sections 9 and 10)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import open_session

from .conftest import encoded

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
    assert [(marker.kind, marker.before) for marker in session.markers] == [("consolidated", 2)]
    assert [record.label for record in session.other] == ["metadata"] * 3


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
