"""Recorded sessions of pi, OpenClaw and nanobot, against counts of their raw JSON (not part of the checkout)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.structure import analyse
from tests.engine.sessions.stepwise import check, held, read_stepwise, value_of

pytestmark = pytest.mark.samples


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


def files(samples: Path) -> list[Path]:
    return sorted((samples / "openclaw-pi").iterdir())


def silent(message: dict[str, Any]) -> bool:
    """Whether an assistant message stands for a request that was stopped before the model was heard."""
    figures = message.get("usage") or {}
    spent = any(figures.get(key) for key in ("input", "output", "cacheRead", "cacheWrite"))
    return message.get("stopReason") in ("aborted", "error") and not message["content"] and not spent


def test_that_every_file_has_the_messages_calls_and_results_of_its_raw_json(samples: Path) -> None:
    assert len(files(samples)) == 5
    for path in files(samples):
        session, lines = open_session(path), records(path)
        said = [line["message"] for line in lines if line["type"] == "message"]
        put_in = [line for line in lines if line["type"] in ("compaction", "custom_message")]
        mine = [message for message in said if message["role"] == "assistant"]
        made = [block["id"] for m in mine for block in m["content"] if block["type"] == "toolCall"]
        given = [message["toolCallId"] for message in said if message["role"] == "toolResult"]
        figures = counts(session)
        assert session.format == "pi"
        assert figures.messages == len(said) + len(put_in), path.name
        assert figures.calls == sum(not silent(message) for message in mine), path.name
        assert (figures.tool_calls, figures.tool_results) == (len(made), len(given)), path.name
        assert figures.turns == sum(message["role"] == "user" for message in said)
        unanswered = [call for group in session.structure.groups for call in group.unanswered]
        assert Counter(unanswered) == Counter(made) - Counter(given), path.name
        assert not any(group.orphan for group in session.structure.groups)
        assert (figures.damaged_lines, figures.children, session.pending, session.warnings) == (0, 0, None, ())
        assert len(held(session)) == len(lines)
        assert session.structure == analyse(session.messages)
        check(session)


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("agentsessions_openclaw_large.jsonl", (7, 3, 2, 2, 1)),
        ("agentsessions_openclaw_schema_drift.jsonl", (4, 1, 1, 1, 1)),
        ("agentsessions_openclaw_small.jsonl", (3, 1, 1, 1, 1)),
        ("agentsessions_pi_v3_small.jsonl", (6, 2, 0, 0, 2)),
        ("pi_v1_large-session_1019lines.jsonl", (914, 439, 391, 373, 88)),
    ],
)
def test_that_the_figures_of_each_file_are_these(samples: Path, name: str, figures: tuple[int, ...]) -> None:
    found = counts(open_session(samples / "openclaw-pi" / name))
    assert (found.messages, found.calls, found.tool_calls, found.tool_results, found.turns) == figures


def test_that_the_long_session_has_its_usage_once_a_message_and_its_cut_responses_flagged(samples: Path) -> None:
    path = samples / "openclaw-pi" / "pi_v1_large-session_1019lines.jsonl"
    session = open_session(path)
    mine = [line["message"] for line in records(path) if line.get("message", {}).get("role") == "assistant"]
    figures = [message["usage"] for message in mine]
    expected = [used["input"] + used["cacheRead"] + used["cacheWrite"] for used in figures]
    assert [m.usage.context for m in session.messages if m.usage] == [total for total in expected if total]
    flags = Counter(flag for message in session.messages for flag in message.flags)
    assert flags == {"interrupted": 22, "synthetic": 14}
    assert sum(len(group.unanswered) for group in session.structure.groups) == 18


def test_that_the_compactions_of_the_third_version_keep_what_the_file_says(samples: Path) -> None:
    session = open_session(samples / "openclaw-pi" / "agentsessions_pi_v3_small.jsonl")
    assert [(marker.kind, marker.before, marker.keep, marker.tokens_before) for marker in session.markers] == [
        ("compaction", 2, (0, 1), 19),
        ("compaction", 5, (0, 1, 3, 4), 19),
    ]
    assert [session.messages[marker.before].kind for marker in session.markers] == ["summary", "summary"]


def test_that_reading_on_gives_what_reading_at_once_gives(samples: Path) -> None:
    for path in (*files(samples), samples / "nanobot" / "cli_direct.jsonl"):
        if path.stat().st_size < 100_000:
            assert value_of(read_stepwise(path)) == value_of(open_session(path))


def test_that_nanobot_has_every_message_of_its_file(samples: Path) -> None:
    path = samples / "nanobot" / "cli_direct.jsonl"
    session, lines = open_session(path), records(path)
    figures = counts(session)
    assert figures.messages == sum("role" in line for line in lines) == 61
    assert figures.tool_calls == sum(len(line.get("tool_calls") or []) for line in lines)
    assert figures.tool_results == sum(line.get("role") == "tool" for line in lines)
    assert figures.calls == sum(line.get("role") == "assistant" for line in lines)
    assert session.id == lines[0]["key"]
    assert [(marker.kind, marker.before, marker.keep) for marker in session.markers] == [
        ("consolidated", lines[0]["last_consolidated"], ())
    ]
    assert len(held(session)) == len(lines)


def test_that_a_fork_of_raven_names_its_parent_and_has_a_title_of_its_own(samples: Path) -> None:
    folder = samples / "raven" / "workspace" / "sessions" / "cli"
    found = {session.id: session for session in map(open_session, sorted(folder.glob("*.jsonl")))}
    fork = next(session for session in found.values() if session.forked_from)
    assert fork.forked_from in found
    assert fork.title.startswith("fork of ")
    assert [m.text for m in fork.messages] == [m.text for m in found[fork.forked_from].messages]
