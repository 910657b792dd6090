"""The command line as scripts use it: exit codes, the JSON object, the windows of confused records."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.check_windows import check
from tests.acceptance.run_cli import run
from tests.acceptance.window_truth import Truth, replayed
from tests.conftest import ROOT

Json = dict[str, Any]
USER = {"role": "user", "content": "fix the login"}
BYE = {"role": "assistant", "content": "done"}


def printed(arguments: list[str]) -> str:
    """What a run that has to work printed."""
    outcome = run(*arguments)
    assert outcome.code == 0, outcome.said
    return outcome.printed


def replay(path: Path, *options: str) -> Json:
    """The JSON object of a replay."""
    found = json.loads(printed(["replay", str(path), "--json", *options]))
    assert isinstance(found, dict)
    return found


def lines(path: Path, *records: object) -> Path:
    path.write_bytes(b"".join(json.dumps(r).encode() + b"\n" for r in records))
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
    return lines(
        tmp_path / "small.jsonl",
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        BYE,
    )


def test_that_replay_prints_one_json_object_with_everything_that_scripts_rely_on(small: Path) -> None:
    found = replay(small)
    counts = {"format": "openai-chat", "messages": 4, "groups": 3, "turns": 1, "calls": 2, "tool_calls": 1,
              "tool_results": 1, "damaged_lines": 0}  # fmt: skip
    assert found["session"].items() >= counts.items()
    assert found["profile"]["name"] == "default"
    assert found["budget"] == {
        "window": 128_000, "output_reserve": 25_600, "system": 3_000, "safety": 6_400, "available": 93_000,
        "quotas": {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300},
    }  # fmt: skip
    for number, call in enumerate(found["calls"], start=1):
        assert call.keys() == {
            "call", "path", "window_tokens", "by_tier", "included", "evicted", "archived", "cache_read", "breakpoints",
            "injection",
        }  # fmt: skip
        assert (call["call"], call["path"]) == (number, "fast")
        assert sum(call["by_tier"].values()) == call["window_tokens"]
        assert call["by_tier"].keys() == {"global", "session", "task", "atomic"}
    assert len(found["calls"]) == 2
    assert found["metrics"]["calls"] == 2
    assert found["warnings"] == []


def test_that_windows_are_one_openai_chat_request_a_line(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "windows.jsonl"
    replay(small, "--windows", str(out))
    first, second = (json.loads(line) for line in out.read_text(encoding="ascii").splitlines())
    assert first == {"call": 1, "path": "fast", "tokens": first["tokens"], "messages": [{"id": 0, **USER}]}
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "tool"]
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
    assert second["messages"][1] == {"id": 1, "role": "assistant", "content": "", "tool_calls": [call]}
    assert second["messages"][2] == {"id": 2, "role": "tool", "content": "a.py", "tool_call_id": "c1"}


def test_that_settings_change_fields_of_the_profile(small: Path) -> None:
    found = replay(small, "--profile", "tight-32k", "--set", "trim_target=0.5", "--set", "safety-buffer=0")
    assert found["budget"]["window"] == 32_000
    assert found["budget"]["safety"] == 0
    assert found["profile"]["changed"] == {"window": 32_000, "trim_target": 0.5, "safety_buffer": 0.0}


def test_that_a_saved_run_can_be_read_again(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    found = replay(small, "--save", str(folder))
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["calls"] == found["calls"]
    again = replay(small, "--profile", str(folder / "profile.toml"))
    assert again["budget"] == found["budget"]


def test_that_a_run_without_json_is_a_table_for_people(small: Path) -> None:
    assert "C = 93,000 tokens" in printed(["replay", str(small)])


@pytest.mark.proof
def test_that_the_exit_codes_are_those_of_the_process(small: Path, tmp_path: Path) -> None:
    def process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ravenglass", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    done = process("replay", small, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == replay(small)
    assert process("replay").returncode == 2
    assert process("replay", tmp_path).returncode == 3
    assert process("replay", small, "--set", "window=12").returncode == 4


def _call(call_id: str) -> Json:
    calls = [{"id": call_id, "type": "function", "function": {"name": "Bash", "arguments": "{}"}}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def _result(call_id: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


CONFUSED: dict[str, tuple[Json, ...]] = {
    "a result before its call": (USER, _result("a", "early"), _call("a"), BYE),
    "a call that is never answered": (USER, _call("a"), USER, BYE),
    "a result without a call": (USER, _result("lost", "?"), BYE),
    "the same call id again and again": (USER, _call("call_0"), _result("call_0", "1"), _call("call_0"),
                                         _result("call_0", "2"), BYE),
    "two results for one call": (USER, _call("a"), _result("a", "1"), _result("a", "2"), BYE),
    "a result long after its call": (USER, _call("a"), USER, BYE, _result("a", "late"), BYE),
    "duplicated message ids": ({**USER, "id": "m"}, {**BYE, "id": "m"}, {**USER, "id": "m"}, {**BYE, "id": "m"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CONFUSED)
def test_that_a_confused_record_still_gives_windows_that_a_provider_accepts(case: str, tmp_path: Path) -> None:
    path = lines(tmp_path / "confused.jsonl", *CONFUSED[case])
    assert replay(path)["session"]["messages"] == len(CONFUSED[case])
    truth = Truth(path, tmp_path, printed)
    assert list(check(truth, replayed(path, tmp_path, execute=printed))) == []


def _line(record: Json) -> bytes:
    return json.dumps(record).encode() + b"\n"


@pytest.mark.proof
def test_that_a_line_of_200_megabytes_is_one_message_among_others(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(_line(USER) + b'{"role": "user", "content": "')
        for _ in range(200):
            file.write(b"the quick brown fox jumps over the lazy dog. " * 23_302)
        file.write(b'"}\n' + _line(BYE) + _line(USER) + _line(BYE))
    assert path.stat().st_size > 200_000_000
    found = replay(path, "--windows", str(tmp_path / "windows.jsonl"))
    assert (found["session"]["messages"], found["session"]["damaged_lines"]) == (5, 0)
    assert all(call["window_tokens"] <= 93_000 for call in found["calls"])
    assert found["metrics"]["impossible"] == 1
    assert "the current user message alone does not fit" in found["warnings"][0]
