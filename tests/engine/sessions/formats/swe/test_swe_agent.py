"""SWE-agent trajectories (formats.md, section 7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.swe.swe_agent import SweAgent
from tests.engine.sessions.damaged import check_pieces, hurt, mistyped, opened

FIRST: dict[str, Any] = {
    "environment": "swe_main",
    "trajectory": [
        {
            "action": "ls\n",
            "observation": "a.py\r\n",
            "response": "Look.\n```\nls\n```",
            "state": '{"open_file": "n/a"}',
            "thought": "Look.",
        },
        {"action": "submit\n", "observation": None, "response": "Done.", "state": {}, "thought": "Done."},
    ],
    "history": [
        {"role": "system", "content": "SETTING", "agent": "primary"},
        {"role": "user", "content": "Here is a demonstration", "agent": "primary", "is_demo": True},
        {"role": "user", "content": "Fix the bug", "agent": "primary"},
        {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls\n", "agent": "primary"},
        {"role": "user", "content": "a.py\r\n", "agent": "primary"},
        {"role": "assistant", "content": "Done.", "thought": "Done.", "action": "submit\n", "agent": "primary"},
    ],
    "info": {"exit_status": "submitted", "model_stats": {"api_calls": 2, "tokens_sent": 900}},
}
LATER: dict[str, Any] = {
    "trajectory": [{"action": "ls", "observation": "x", "response": "r", "query": [], "thought": "t"}],
    "history": [
        {"role": "system", "content": "S", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "demo task", "agent": "main", "message_type": "demonstration", "is_demo": True},
        {"role": "assistant", "content": "demo", "agent": "main", "message_type": "demonstration", "is_demo": True},
        {"role": "user", "content": [{"type": "text", "text": "Fix"}], "agent": "main", "message_type": "observation"},
        {
            "role": "assistant",
            "content": "T",
            "thought": "T",
            "action": "ls",
            "agent": "main",
            "message_type": "action",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}},
                {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
            ],
        },
        {
            "role": "tool",
            "content": "a\r\nb",
            "agent": "main",
            "message_type": "observation",
            "tool_call_ids": ["c1", "c2"],
        },
    ],
    "info": {},
    "replay_config": json.dumps({"agent": {"model": {"name": "some/model"}}}),
    "environment": "repo-1",
}


def saved(folder: Path, value: object, indent: int | None = 2, name: str = "run.traj") -> Path:
    path = folder / name
    path.write_bytes(json.dumps(value, indent=indent).encode())
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_that_history_is_the_conversation_and_observations_of_old_are_injected(
    tmp_path: Path, indent: int | None
) -> None:
    path = saved(tmp_path, FIRST, indent)
    session = open_session(path)
    assert (session.format, session.id, session.project, session.title) == (
        "swe-agent",
        "run",
        "swe_main",
        "Fix the bug",
    )
    assert [message.role for message in session.messages] == [item["role"] for item in FIRST["history"]]
    assert [json.loads(session.raw(n)) for n in range(6)] == FIRST["history"]
    assert [m.kind for m in session.messages if m.role == "user"] == ["meta", "prompt", "meta"]
    assert session.messages[4].text == "a.py\r\n"
    figures = counts(session)
    assert (figures.calls, figures.turns, figures.tool_calls) == (2, 1, 0)
    assert sorted(record.label for record in session.other) == ["environment", "info", "trajectory"]


def test_that_a_list_of_call_ids_answers_each_of_them(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, LATER))
    assert session.model == "some/model"
    results = [message for message in session.messages if message.role == "tool"]
    assert [(m.tool_call_id, m.text, m.tool_name) for m in results] == [("c1", "a\r\nb", "bash"), ("c2", "", "bash")]
    assert not any(group.unanswered or group.orphan for group in session.structure.groups)


def test_that_demonstrations_are_no_model_calls(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, LATER))
    assert "synthetic" in session.messages[2].flags
    assert counts(session).calls == 1
    assert [m.kind for m in session.messages if m.role == "user"] == ["meta", "prompt"]
    assert session.title == "Fix"


def test_that_a_file_with_only_a_history_is_read(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, {"history": LATER["history"]}))
    assert (session.format, len(session.messages)) == ("swe-agent", 7)


def test_that_steps_are_the_conversation_where_there_is_no_history(tmp_path: Path) -> None:
    query = [{"role": "system", "content": "S"}, {"role": "user", "content": "Fix"}]
    steps = [
        {"query": query, "response": "first", "thought": "first", "action": "ls", "observation": "out", "state": {}},
        {
            "query": [*query, {"role": "assistant", "content": "first"}],
            "thought": "then",
            "action": "rm",
            "observation": "gone",
        },
    ]
    session = open_session(saved(tmp_path, {"trajectory": steps, "info": {}}))
    assert [(m.role, m.text, m.kind) for m in session.messages] == [
        ("system", "S", "ordinary"),
        ("user", "Fix", "prompt"),
        ("assistant", "first", "ordinary"),
        ("user", "out", "meta"),
        ("assistant", "then\nrm", "ordinary"),
        ("user", "gone", "meta"),
    ]
    assert session.raw(4) == b'"then"\n"rm"'
    assert sorted(record.label for record in session.other) == ["info", "step/query", "step/state"]


def test_that_further_agents_and_attempts_are_children(tmp_path: Path) -> None:
    history = [*FIRST["history"], {"role": "assistant", "content": "sub", "agent": "helper", "thought": "sub"}]
    value = {**FIRST, "history": history, "attempts": [FIRST, LATER]}
    session = open_session(saved(tmp_path, value))
    assert [child.title for child in session.children] == ["agent helper", "attempt 1", "attempt 2"]
    assert len({child.id for child in session.children}) == 3
    assert [len(child.messages) for child in session.children] == [1, 6, 7]
    assert session.warnings[0].startswith("The file holds 4 conversations")
    alone = open_session(saved(tmp_path, {"attempts": [FIRST, LATER]}, name="retry.traj"))
    assert (len(alone.messages), [child.title for child in alone.children]) == (7, ["attempt 1"])


def test_that_a_cut_file_gives_what_is_whole_in_it(tmp_path: Path) -> None:
    data = json.dumps(FIRST, indent=1).encode()
    path = tmp_path / "cut.traj"
    path.write_bytes(data[: data.index(b'"Done."', data.index(b'"history"'))])
    session = open_session(path)
    assert [message.role for message in session.messages] == ["system", "user", "user", "assistant", "user"]
    assert [record.label for record in session.other].count("step") == 2
    path.write_bytes(data[: data.index(b'"history"')])
    assert [message.text for message in open_session(path).messages][:2] == ["Look.\n```\nls\n```", "a.py\r\n"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([FIRST, LATER, {"trajectory": LATER["trajectory"], "info": {}}]).flatmap(mistyped))
def test_that_no_wrong_type_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(json.dumps({**LATER, "x": "é\u2028"}, ensure_ascii=False, indent=1).encode()))
def test_that_no_damage_is_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "hurt.traj"
    path.write_bytes(data)
    opened(path)


def test_that_asking_in_between_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lines.traj"
    path.write_bytes(b"\n".join(json.dumps(value).encode() for value in (FIRST, LATER)))
    check_pieces(path, SweAgent())
