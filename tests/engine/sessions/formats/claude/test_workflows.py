"""Sub-agents that a workflow run of Claude Code started."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

Write = Callable[..., Path]
RUN = "wf_1"


def agent(folder: Path, name: str, text: str) -> None:
    lines = [
        {**user(text, uuid=f"u-{name}"), "isSidechain": True, "agentId": name},
        {**assistant(say("done"), uuid=f"a-{name}"), "isSidechain": True, "agentId": name},
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"agent-{name}.jsonl").write_bytes(b"\n".join(map(encoded, lines)) + b"\n")


def opened(write: Write, *, journal: bytes = b"", summary: object = None) -> Session:
    path = write(
        user("go"),
        assistant(use("t1", "Workflow", script="x"), use("t2", "Workflow", script="y")),
        user([result("t1")], uuid="u2", toolUseResult={"runId": RUN, "status": "async_launched"}),
        user([result("t2")], uuid="u3", toolUseResult={"runId": "wf_other"}),
        name="s1.jsonl",
    )
    beside = path.parent / "s1"
    agents = beside / "subagents" / "workflows" / RUN
    agent(agents, "aa", "find")
    agent(agents, "bb", "fix")
    (agents / "journal.jsonl").write_bytes(journal)
    if summary is not None:
        (beside / "workflows").mkdir()
        (beside / "workflows" / f"{RUN}.json").write_text(json.dumps(summary))
    return open_session(path)


def test_that_agents_of_a_workflow_hang_below_the_call_that_started_it(write: Write) -> None:
    session = opened(write)
    assert [(child.id, child.parent_call_id, child.title) for child in session.children] == [
        ("aa", "t1", "find"),
        ("bb", "t1", "fix"),
    ]


def test_that_the_summary_names_what_each_agent_was_to_do(write: Write) -> None:
    steps = [
        {"type": "workflow_phase", "title": "Find"},
        {"agentId": "aa", "label": "races", "phaseTitle": "Find"},
        {"agentId": "bb", "label": "patch"},
        {"agentId": 7, "label": None},
        3,
    ]
    session = opened(write, summary={"workflowProgress": steps})
    assert [child.title for child in session.children] == ["Find: races", "patch"]


def test_that_an_agent_of_the_journal_without_a_transcript_is_named(write: Write) -> None:
    lines = [{"type": "started", "agentId": "aa"}, {"type": "started", "agentId": "gone"}, {"agentId": 5}, 3]
    journal = b"\n".join(map(encoded, lines)) + b'\n{"type":"started","agen'
    session = opened(write, journal=journal, summary={"workflowName": "audit"})
    assert session.warnings == ("1 agent has no transcript in workflow audit, though its journal names it.",)


def test_that_a_summary_of_another_shape_is_left_out(write: Write) -> None:
    session = opened(write, journal=b"\xff\xfe", summary=[1])
    assert [child.title for child in session.children] == ["find", "fix"]
    assert session.warnings == ()
