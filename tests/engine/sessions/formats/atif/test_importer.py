"""ATIF trajectories, written after Harbor's RFC 0001."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.atif.importer import Atif
from ravenglass.sessions.model.session import Usage
from tests.engine.sessions.damaged import check_pieces, hurt, is_held, mistyped, opened

AGENT = {
    "name": "some-agent",
    "version": "1.0",
    "model_name": "model-a",
    "tool_definitions": [{"type": "function", "function": {"name": "look"}}],
}
SUB: dict[str, Any] = {
    "schema_version": "ATIF-v1.7",
    "trajectory_id": "sub-1",
    "session_id": "run-1",
    "agent": {"name": "helper", "version": "1.0"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "look deeper"},
        {"step_id": 2, "source": "agent", "message": "found", "model_name": "model-b"},
    ],
}
RUN: dict[str, Any] = {
    "schema_version": "ATIF-v1.7",
    "session_id": "run-1",
    "trajectory_id": "main-1",
    "agent": AGENT,
    "steps": [
        {"step_id": 1, "source": "system", "message": "You are", "timestamp": "2026-01-02T03:04:05Z"},
        {"step_id": 2, "source": "user", "message": "old", "is_copied_context": True},
        {"step_id": 3, "source": "agent", "message": "old answer", "is_copied_context": True},
        {
            "step_id": 4,
            "source": "user",
            "message": [
                {"type": "text", "text": "what is it?"},
                {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}},
            ],
        },
        {
            "step_id": 5,
            "source": "agent",
            "message": "",
            "reasoning_content": "hm",
            "timestamp": "2026-01-02T03:04:09.5+00:00",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "look", "arguments": {"at": "é"}},
                {"tool_call_id": "c2", "function_name": "delegate", "arguments": {}},
            ],
            "observation": {
                "results": [
                    {
                        "source_call_id": "c2",
                        "content": "done",
                        "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}],
                    },
                    {"source_call_id": "c1", "content": [{"type": "text", "text": "a cat"}]},
                ]
            },
            "metrics": {"prompt_tokens": 500, "completion_tokens": 20, "cached_tokens": 400},
            "extra": {"any": 1},
        },
        {
            "step_id": 6,
            "source": "system",
            "message": "",
            "observation": {"results": [{"content": "environment reset"}, {"content": None}]},
        },
        {"step_id": 7, "source": "agent", "message": "dispatched", "llm_call_count": 0},
        {"step_id": 8, "source": "agent", "message": "a cat", "observation": {"results": [{"content": "checked"}]}},
    ],
    "final_metrics": {"total_prompt_tokens": 500},
    "notes": "n",
    "continued_trajectory_ref": "trajectory.cont-1.json",
    "subagent_trajectories": [SUB],
}


def saved(folder: Path, value: object, name: str = "trajectory.json", indent: int | None = 2) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(value, indent=indent).encode())
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_that_steps_are_messages_and_each_result_is_one_of_its_own(tmp_path: Path, indent: int | None) -> None:
    session = open_session(saved(tmp_path, RUN, indent=indent))
    assert (session.format, session.id, session.model) == ("atif", "main-1", "model-a")
    assert [(m.role, m.kind, m.text.split("\n")[0]) for m in session.messages] == [
        ("system", "ordinary", "You are"),
        ("user", "prompt", "old"),
        ("assistant", "ordinary", "old answer"),
        ("user", "prompt", "what is it?"),
        ("assistant", "ordinary", ""),
        ("tool", "ordinary", "done"),
        ("tool", "ordinary", "a cat"),
        ("user", "meta", "environment reset"),
        ("assistant", "ordinary", "dispatched"),
        ("assistant", "ordinary", "a cat"),
        ("user", "meta", "checked"),
    ]
    answer = session.messages[4]
    assert (answer.thinking, answer.usage, answer.ts) == ("hm", Usage(500, 20, 400, None), 1_767_323_049.5)
    assert [(call.id, call.name, json.loads(call.arguments)) for call in answer.tool_calls] == [
        ("c1", "look", {"at": "é"}),
        ("c2", "delegate", {}),
    ]
    assert session.structure.groups[4].messages == (4, 5, 6)
    assert session.messages[3].images == 1
    assert "images/a.png" in session.messages[3].text
    assert json.loads(session.raw(4)) == RUN["steps"][4]
    assert json.loads(session.raw(5)) == RUN["steps"][4]["observation"]["results"][0]
    assert session.tools_text is not None
    assert json.loads(session.tools_text) == AGENT["tool_definitions"]


def test_that_copied_and_dispatched_steps_are_no_model_calls(tmp_path: Path) -> None:
    session = open_session(saved(tmp_path, RUN))
    assert [call.message for call in session.structure.calls] == [4, 9]
    assert session.warnings[-1] == "The conversation goes on in another file, trajectory.cont-1.json."


def test_that_an_embedded_sub_agent_belongs_to_the_call_that_refers_to_it(tmp_path: Path) -> None:
    (child,) = open_session(saved(tmp_path, RUN)).children
    assert (child.id, child.parent_call_id, child.model) == ("sub-1", "c2", "model-b")
    assert [message.text for message in child.messages] == ["look deeper", "found"]
    assert json.loads(child.raw(1)) == SUB["steps"][1]


def test_that_a_sub_agent_in_a_file_beside_is_read(tmp_path: Path) -> None:
    saved(tmp_path, SUB, "agents/sub.json")
    value = json.loads(json.dumps({key: item for key, item in RUN.items() if key != "subagent_trajectories"}))
    reference = {"session_id": "run-1", "trajectory_path": "agents/sub.json"}
    value["steps"][4]["observation"]["results"][0]["subagent_trajectory_ref"] = [reference, reference]
    (child,) = open_session(saved(tmp_path, value)).children
    assert (child.path, child.parent_call_id) == (tmp_path / "agents/sub.json", "c2")


@pytest.mark.parametrize("path", ["../sub.json", "/etc/hostname", "nowhere.json", "C:\\x.json", "link.json", "a\x00b"])
def test_that_references_outside_of_the_folder_are_not_followed(tmp_path: Path, path: str) -> None:
    saved(tmp_path, SUB, "sub.json")
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "link.json").symlink_to(tmp_path / "sub.json")
    value = json.loads(json.dumps({key: item for key, item in RUN.items() if key != "subagent_trajectories"}))
    value["steps"][4]["observation"]["results"][0]["subagent_trajectory_ref"] = [{"trajectory_path": path}]
    assert open_session(saved(folder, value)).children == ()


def test_that_a_file_that_refers_to_itself_ends(tmp_path: Path) -> None:
    value = json.loads(json.dumps(RUN))
    del value["subagent_trajectories"]
    value["steps"][4]["observation"]["results"][0]["subagent_trajectory_ref"] = [{"trajectory_path": "trajectory.json"}]
    assert counts(open_session(saved(tmp_path, value))).children < 10


def test_that_everything_else_is_kept(tmp_path: Path) -> None:
    value = {**RUN, "steps": [*RUN["steps"], {"step_id": 9, "source": "robot"}, 7], "later": {"x": 1}}
    session = open_session(saved(tmp_path, value))
    assert sorted(record.label for record in session.other) == sorted(
        [
            "agent",
            "continued_trajectory_ref",
            "final_metrics",
            "later",
            "notes",
            "observation without content",
            "schema_version",
            "session_id",
            "step/a number",
            "step/robot",
            "trajectory_id",
        ]
    )


def test_that_one_result_for_one_call_needs_no_id(tmp_path: Path) -> None:
    value = json.loads(json.dumps(RUN))
    step = value["steps"][4]
    step["tool_calls"] = step["tool_calls"][:1]
    step["observation"]["results"] = [{"content": "a cat"}]
    session = open_session(saved(tmp_path, value))
    assert session.messages[5].tool_call_id == "c1"


def test_that_several_trajectories_in_lines_are_a_session_and_children(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(json.dumps(value).encode() for value in (RUN, SUB)))
    session = open_session(path)
    assert (session.id, [child.id for child in session.children]) == ("main-1", ["sub-1", "sub-1"])
    check_pieces(path, Atif())


def test_that_a_cut_trajectory_gives_its_whole_steps(tmp_path: Path) -> None:
    data = json.dumps(RUN, indent=1).encode()
    path = tmp_path / "cut.json"
    path.write_bytes(data[: data.index(b'"dispatched"')])
    session = open_session(path)
    assert (session.format, len(session.messages)) == ("atif", 8)
    assert session.damage


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(mistyped(RUN))
def test_that_no_wrong_type_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(json.dumps(RUN, ensure_ascii=False).encode()))
def test_that_damage_to_one_trajectory_loses_no_other(tmp_path: Path, data: bytes) -> None:
    good = json.dumps(SUB).encode()
    path = tmp_path / "runs.jsonl"
    path.write_bytes(good + b"\n" + data.replace(b"\n", b" ") + b"\n" + good)
    session = opened(path)
    assert session is not None
    assert is_held(session, 0, len(good))
    assert is_held(session, path.stat().st_size - len(good), path.stat().st_size)
