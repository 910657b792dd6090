"""Recorded SWE-agent and mini-swe-agent runs and an Anthropic request, counted over their raw JSON."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Session, Usage

pytestmark = pytest.mark.samples

SWE = ("sweagent_history_only.traj", "sweagent_v0_pydicom-1458.traj")
MINI = ("mini_plain_list.traj.json", "mini_v1.1_LARGE_378msgs.traj.json")
REQUEST = "anthropic-messages/derived_request_from_claude_session.json"


def loaded(path: Path) -> Any:
    return json.loads(path.read_bytes())


def covered(session: Session, path: Path) -> bytearray:
    """One byte for each of the file: whether it lies in a message or another record."""
    marks = bytearray(path.stat().st_size)
    spans = [span for message in session.messages for span in message.spans]
    for span in [*spans, *(record.span for record in session.other)]:
        marks[span.offset : span.offset + span.length] = b"\x01" * span.length
    return marks


@pytest.mark.parametrize("name", SWE)
def test_that_every_message_of_a_history_is_there(samples: Path, name: str) -> None:
    path = samples / "swe-agent" / name
    history = loaded(path)["history"]
    session = open_session(path)
    assert session.format == "swe-agent"
    assert [json.loads(session.raw(m.id)) for m in session.messages] == history
    assert Counter(m.role for m in session.messages) == Counter(item["role"] for item in history)
    figures = counts(session)
    asked = sum(len(item.get("tool_calls") or []) for item in history)
    answered = sum(len(item.get("tool_call_ids") or []) for item in history)
    assert (figures.tool_calls, figures.tool_results) == (asked, answered)
    assert (figures.calls, figures.turns) == (sum(item["role"] == "assistant" for item in history), 1)
    assert not any(group.unanswered or group.orphan for group in session.structure.groups)
    assert (figures.damaged_lines, figures.children, session.warnings) == (0, 0, ())


def test_that_carriage_returns_of_observations_are_kept(samples: Path) -> None:
    path = samples / "swe-agent" / SWE[0]
    session = open_session(path)
    returns = sum(item["content"].count("\r\n") for item in loaded(path)["history"])
    assert returns > 0
    assert sum(message.text.count("\r\n") for message in session.messages) == returns


def test_that_the_demonstration_and_the_observations_are_no_prompts(samples: Path) -> None:
    session = open_session(samples / "swe-agent" / SWE[1])
    users = [message for message in session.messages if message.role == "user"]
    assert [message.kind for message in users] == ["meta", "prompt", *["meta"] * 11]
    assert session.project == "swe_main"


def test_that_the_old_list_of_mini_is_read(samples: Path) -> None:
    path = samples / "swe-agent" / MINI[0]
    items = loaded(path)
    session = open_session(path)
    assert session.format == "mini-swe-agent"
    assert [json.loads(session.raw(m.id)) for m in session.messages] == items
    assert [m.kind for m in session.messages if m.role == "user"] == ["prompt", *["meta"] * 10]
    assert counts(session).calls == sum(item["role"] == "assistant" for item in items) == 10


def test_that_the_large_run_has_each_call_with_its_usage_and_ends_unanswered(samples: Path) -> None:
    path = samples / "swe-agent" / MINI[1]
    items = loaded(path)["messages"]
    session = open_session(path)
    assert (session.format, session.id, session.model) == (
        "mini-swe-agent",
        "pylint-dev__astroid-1333",
        "deepseek-chat",
    )
    figures = counts(session)
    calls = sum(len(item.get("tool_calls") or []) for item in items)
    results = sum(item["role"] == "tool" for item in items)
    assert (figures.messages, figures.calls, figures.tool_calls, figures.tool_results) == (377, 188, calls, results)
    assert (calls, results) == (188, 187)
    assert [len(group.unanswered) for group in session.structure.groups if group.unanswered] == [1]
    assert not any(group.orphan for group in session.structure.groups)
    told = [item["extra"]["response"]["usage"] for item in items if item["role"] == "assistant"]
    assert [m.usage for m in session.messages if m.role == "assistant"] == [
        Usage(u["prompt_tokens"], u["completion_tokens"], u["prompt_tokens_details"]["cached_tokens"], None)
        for u in told
    ]
    timed = [item["extra"]["timestamp"] for item in items if "timestamp" in item.get("extra", {})]
    assert [m.ts for m in session.messages if m.ts is not None] == timed
    assert [record.label for record in session.other].count("role exit") == 1


def test_that_the_request_has_all_its_blocks(samples: Path) -> None:
    path = samples / REQUEST
    body = loaded(path)
    session = open_session(path)
    assert (session.format, session.model) == ("anthropic-messages", body["model"])
    kinds = Counter(block["type"] for item in body["messages"] for block in item["content"])
    figures = counts(session)
    assert (figures.tool_calls, figures.tool_results) == (kinds["tool_use"], kinds["tool_result"])
    assert sum(bool(message.thinking) for message in session.messages) == kinds["thinking"]
    assert figures.calls == sum(item["role"] == "assistant" for item in body["messages"])
    assert not any(group.unanswered or group.orphan for group in session.structure.groups)
    assert session.system_prompt == body["system"][0]["text"]
    assert session.tools_text is not None
    assert json.loads(session.tools_text) == body["tools"]
    signatures = [b["signature"] for item in body["messages"] for b in item["content"] if b["type"] == "thinking"]
    said = "\n".join(message.text + message.thinking for message in session.messages)
    assert not any(signature and signature in said for signature in signatures)


@pytest.mark.parametrize("name", [*(f"swe-agent/{name}" for name in (*SWE, *MINI)), REQUEST])
def test_that_no_record_is_lost(samples: Path, name: str) -> None:
    path = samples / name
    session = open_session(path)
    data = path.read_bytes()
    marks = covered(session, path)
    left = bytes(byte for byte, mark in zip(data, marks, strict=True) if not mark)
    # What remains are the keys and brackets of the document itself.
    assert not set(left.decode()) - set('[]{},: \n"abcdefghijklmnopqrstuvwxyz_')
    assert len(left) < 3_000
    for message in session.messages:
        for span in message.spans:
            assert data.count(b"\n", 0, span.offset) + 1 == span.line
