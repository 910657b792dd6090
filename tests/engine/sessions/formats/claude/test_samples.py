"""Real Claude Code sessions against figures counted over their raw records (they are not part of the checkout)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Session

pytestmark = pytest.mark.samples

MAIN = (
    "ccv_v1.0.98_438lines.jsonl",
    "ccv_v1.0.108_53lines.jsonl",
    "entire_small_78lines.jsonl",
    "entire_glued_records_170lines.jsonl",
    "entire_orphan_tool_result_122lines.jsonl",
    "entire_subagent_progress_mcp_236lines.jsonl",
    "entire_compact_and_microcompact_236lines.jsonl",
    "entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz",
    "rungraph_projects/-home-dev-acme/11111111-1111-4111-8111-111111111111.jsonl",
    "rungraph_projects/-home-dev-acme/44444444-4444-4444-8444-444444444444.jsonl",
    "rungraph_projects/-home-dev-acme/66666666-6666-4666-8666-666666666666.jsonl",
)


class Figures(NamedTuple):
    """Of a main thread: API messages with synthetic ones, model calls, tool calls, results, other user messages, calls
    without a result, results without a call."""

    assistants: int
    calls: int
    tool_calls: int
    results: int
    users: int
    unanswered: int
    orphans: int


def raw_records(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found, decoder = [], json.JSONDecoder()
    for line in data.split(b"\n"):
        text, position = line.decode(), 0
        while position < len(text):
            record, position = decoder.raw_decode(text, position)
            found.append(record)
    return found


def counted(path: Path) -> Figures:
    """The figures from the JSON alone, the importer not asked."""
    assistants: dict[str, bool] = {}
    asked: set[str] = set()
    answered: list[str] = []
    users = 0
    seen: set[str] = set()
    for record in raw_records(path):
        if record.get("isSidechain") or record.get("type") not in ("user", "assistant"):
            continue
        body = record["message"]
        blocks = body["content"] if isinstance(body["content"], list) else [{"type": "text"}]
        if record["type"] == "assistant":
            silent = body["model"] == "<synthetic>" or record.get("isApiErrorMessage") is True
            # One record of the samples stands in its file twice: it is kept as a message, and is no second call.
            again = record["uuid"] in seen
            seen.add(record["uuid"])
            assistants[f"{body['id']} again" if again else body["id"]] = not silent and not again
            asked |= {block["id"] for block in blocks if block["type"] == "tool_use"}
            continue
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        answered += results
        users += len(blocks) > len(results)
    return Figures(
        len(assistants), sum(assistants.values()), len(asked), len(answered), users,
        len(asked - set(answered)), len(set(answered) - asked),
    )  # fmt: skip


def imported(session: Session) -> Figures:
    figures = counts(session)
    roles = [message.role for message in session.messages]
    groups = session.structure.groups
    return Figures(
        roles.count("assistant"), figures.calls, figures.tool_calls, figures.tool_results, roles.count("user"),
        sum(len(group.unanswered) for group in groups), sum(group.orphan for group in groups),
    )  # fmt: skip


@pytest.mark.parametrize("name", MAIN)
def test_that_the_figures_of_a_session_are_those_of_its_records(samples: Path, name: str) -> None:
    path = samples / "claude-code" / name
    session = open_session(path)
    assert imported(session) == counted(path)
    assert (session.damage, session.pending) == ((), None)


@pytest.mark.parametrize(
    ("name", "figures", "children"),
    [
        ("entire_compact_and_microcompact_236lines.jsonl", (49, 49, 60, 60, 10, 0, 0), 0),
        ("entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz", (226, 225, 206, 206, 54, 0, 0), 0),
        ("entire_orphan_tool_result_122lines.jsonl", (22, 22, 23, 24, 2, 0, 1), 0),
        ("entire_subagent_progress_mcp_236lines.jsonl", (35, 35, 28, 28, 15, 0, 0), 1),
        ("ccv_v1.0.98_438lines.jsonl", (9, 9, 11, 11, 3, 0, 0), 5),
    ],
)
def test_that_known_sessions_have_exactly_their_known_figures(
    samples: Path, name: str, figures: tuple[int, ...], children: int
) -> None:
    session = open_session(samples / "claude-code" / name)
    assert tuple(imported(session)) == figures
    assert len(session.children) == children


def test_that_no_sample_has_a_rewound_branch(samples: Path) -> None:
    """All 62 forks of these files are parallel calls and progress; taking one for a branch would lose messages."""
    for name in MAIN:
        session = open_session(samples / "claude-code" / name)
        assert not [child for child in session.children if child.title.startswith("branch")], name
        assert all(marker.kind != "rollback" for marker in session.markers)


def test_that_hidden_thinking_is_found_where_signatures_are_longer_than_the_text(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_compact_and_microcompact_236lines.jsonl")
    hidden = {message.spans[0].line: message.hidden for message in session.messages if message.hidden}
    assert hidden[158] == pytest.approx(5_066, abs=40)
    assert len(hidden) < 15


def test_that_attachments_of_the_newest_version_are_messages_or_other_records(samples: Path) -> None:
    path = samples / "claude-code/agentsessions_schema_v2.1.220.jsonl"
    session = open_session(path)
    kinds = [record["attachment"]["type"] for record in raw_records(path) if record.get("type") == "attachment"]
    kept = sorted(record.label.split("/")[1] for record in session.other if record.label.startswith("attachment/"))
    assert kept == [
        "agent_listing_delta", "command_permissions", "deferred_tools_delta", "dynamic_skill",
        "hook_non_blocking_error", "hook_success", "mcp_instructions_delta",
    ]  # fmt: skip
    lines = {n for n, record in enumerate(raw_records(path), start=1) if record.get("type") == "attachment"}
    held = [message for message in session.messages if message.spans[0].line in lines]
    assert len(held) == len(kinds) - len(kept)
    assert {message.role for message in held} == {"user"}


def test_that_agents_of_a_workflow_hang_below_its_call_with_their_labels(samples: Path) -> None:
    session = open_session(samples / "claude-code" / MAIN[8])
    assert [(child.parent_call_id, child.title) for child in session.children[1:]] == [
        ("toolu_fxW001", "Find: find:auth-races"),
        ("toolu_fxW001", "Fix the races found in phase Find."),
        ("toolu_fxW001", "Fix: fix:auth-races (retry 1)"),
    ]
    assert session.warnings == ()
