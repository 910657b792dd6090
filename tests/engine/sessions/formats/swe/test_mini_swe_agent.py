"""mini-swe-agent trajectories (formats.md, section 7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.swe.mini_swe_agent import MiniSweAgent
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.damaged import check_pieces, hurt, mistyped, opened

LIST: list[Any] = [
    {"role": "system", "content": "You can use bash."},
    {"role": "user", "content": "Please fix it"},
    {"role": "assistant", "content": "```bash\nls\n```"},
    {"role": "user", "content": "<returncode>0</returncode>\n<output>\na.py\n</output>"},
    {"role": "assistant", "content": "```bash\nsubmit\n```"},
    {"role": "user", "content": "diff --git a b"},
]


def answer(call: str, prompt: int, at: float) -> dict[str, Any]:
    response = {"id": f"r-{call}", "model": "deepseek-chat", "created": 1_776_066_173}
    response["usage"] = {"prompt_tokens": prompt, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    return {
        "role": "assistant",
        "content": None,
        "function_call": None,
        "tool_calls": [{"index": 0, "id": call, "type": "function", "function": function}],
        "extra": {"actions": [{"command": "ls"}], "response": response, "cost": 0.1, "timestamp": at},
    }


OBJECT: dict[str, Any] = {
    "info": {
        "model_stats": {"api_calls": 2},
        "mini_version": "2.2.7",
        "exit_status": "Submitted",
        "config": {"model": {"model_name": "deepseek/deepseek-chat"}, "environment": {"cwd": "/testbed"}},
    },
    "messages": [
        *LIST[:2],
        answer("c1", 100, 1_776_066_176.5),
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "<returncode>1</returncode>",
            "extra": {"raw_output": "", "returncode": 1, "timestamp": 1_776_066_177.5, "exception_info": ""},
        },
        answer("c2", 120, 1_776_066_178.5),
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}},
    ],
    "trajectory_format": "mini-swe-agent-1.1",
    "instance_id": "repo-1",
}


def saved(folder: Path, value: object, indent: int | None = 2) -> Path:
    path = folder / "run.traj.json"
    path.write_bytes(json.dumps(value, indent=indent).encode())
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_that_the_old_list_is_recognised_by_its_return_codes(tmp_path: Path, indent: int | None) -> None:
    session = open_session(saved(tmp_path, LIST, indent))
    assert (session.format, session.id, session.title) == ("mini-swe-agent", "run", "Please fix it")
    assert [json.loads(session.raw(n)) for n in range(6)] == LIST
    assert [m.kind for m in session.messages if m.role == "user"] == ["prompt", "meta", "meta"]
    assert counts(session).turns == 1


def test_that_usage_model_and_time_come_from_extra_and_exit_is_no_message(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, OBJECT))
    assert (session.format, session.id, session.project, session.model) == (
        "mini-swe-agent",
        "repo-1",
        "/testbed",
        "deepseek-chat",
    )
    assert session.messages[2].usage == Usage(100, 9, 4, None)
    assert session.messages[2].ts == 1_776_066_176.5
    assert not session.messages[3].is_error
    figures = counts(session)
    assert (figures.messages, figures.calls, figures.tool_calls, figures.tool_results) == (5, 2, 2, 1)
    assert [group.unanswered for group in session.structure.groups if group.unanswered] == [("c2",)]
    assert sorted(record.label for record in session.other) == ["info", "instance_id", "role exit", "trajectory_format"]


def test_that_the_configured_model_stands_where_answers_name_none(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, {**OBJECT, "messages": LIST}))
    assert session.model == "deepseek/deepseek-chat"


def test_that_a_command_that_could_not_run_is_an_error(tmp_path: Path) -> None:
    messages = json.loads(json.dumps(OBJECT["messages"]))
    messages[3]["extra"]["exception_info"] = "timed out"
    session = open_session(saved(tmp_path, {**OBJECT, "messages": messages}))
    assert session.messages[3].is_error


def test_that_what_a_person_adds_is_a_prompt(tmp_path: Path) -> None:
    messages = [*LIST, {"role": "user", "content": "The user added a new task: document it"}]
    session = open_session(saved(tmp_path, messages))
    assert [turn.prompt for turn in session.structure.turns] == [None, 1, 6]


def test_that_answers_of_the_responses_api_are_read(tmp_path: Path) -> None:
    response = {
        "object": "response",
        "id": "resp_1",
        "model": "gpt-x",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "think"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "look"}]},
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "bash", "arguments": "{}"},
        ],
        "usage": {"input_tokens": 50, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 20}},
        "extra": {"actions": [], "timestamp": 1_776_066_176.5},
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "<returncode>0</returncode>", "extra": {}}
    session = open_session(saved(tmp_path, {**OBJECT, "messages": [*LIST[:2], response, output]}))
    message = session.messages[2]
    assert (message.role, message.text, message.thinking, message.model) == ("assistant", "look", "think", "gpt-x")
    assert (message.usage, message.ts) == (Usage(50, 7, 20, None), 1_776_066_176.5)
    assert session.structure.groups[-1].messages == (2, 3)
    assert session.messages[3].tool_name == "bash"


def test_that_a_cut_file_gives_its_whole_messages(tmp_path: Path) -> None:
    path = tmp_path / "cut.traj.json"
    data = json.dumps(OBJECT, indent=1).encode()
    path.write_bytes(data[: data.index(b'"exit"')])
    session = open_session(path)
    assert session.format == "mini-swe-agent"
    assert len(session.messages) == 5
    assert session.damage


def test_that_messages_without_a_mark_are_left_to_other_formats(tmp_path: Path) -> None:
    assert open_session(saved(tmp_path, LIST[:3])).format == "openai-chat"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([LIST, OBJECT]).flatmap(mistyped))
def test_that_no_wrong_type_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(json.dumps(OBJECT, indent=1).encode()))
def test_that_no_damage_is_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "hurt.traj.json"
    path.write_bytes(data)
    opened(path)


def test_that_asking_in_between_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(json.dumps(value).encode() for value in [OBJECT, *LIST]))
    check_pieces(path, MiniSweAgent())
