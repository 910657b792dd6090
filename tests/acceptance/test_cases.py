"""The small inputs of ../shared/cases, each with the value that is right. Their texts stay where they are.

A folder says in its expect.json what must hold: what is run, what stands in the JSON that is printed, in the windows,
on stderr. A make.py writes its input into the folder that is its first argument. Single files have their figures here.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run_cli import run
from tests.conftest import ROOT

CASES = ROOT.parent / "shared" / "cases"
FOLDERS = sorted(path.parent.name for path in CASES.glob("*/expect.json"))
FIGURES: dict[str, dict[str, Any]] = {
    "qwen_code.jsonl": {"format": "qwen-code", "messages": 4, "tool_calls": 1, "tool_results": 1, "usage": 2},
    "openai_exchange.jsonl": {
        "format": "openai-chat", "messages": 5, "calls": 2, "tool_calls": 1, "tool_results": 1, "usage": 2,
        "children": 0,
    },
    "factory_droid.jsonl": {"format": "droid", "messages": 4, "turns": 1, "tool_calls": 1, "tool_results": 1},
    "goose.jsonl": {"format": "goose", "messages": 4, "turns": 1, "tool_calls": 1, "tool_results": 1},
    "amp_thread.json": {"format": "amp", "messages": 4, "tool_calls": 1, "tool_results": 1, "usage": 2},
    "inspect_trailing_repeat.json": {"format": "inspect", "messages": 5},
    "claude_stream_json.jsonl": {
        "format": "claude-stream", "messages": 5, "calls": 3, "tool_calls": 2, "tool_results": 2, "usage": 3,
        "children": 1,
    },
    "codex_exec_json.jsonl": {"format": "codex-stream", "tool_calls": 1, "tool_results": 1},
    "gemini_stream_json.jsonl": {"format": "gemini-stream", "messages": 4, "tool_calls": 1, "tool_results": 1},
    "cursor_stream_json.jsonl": {"format": "cursor-stream", "messages": 4, "tool_calls": 1, "tool_results": 1},
    "continue_session.json": {"format": "continue", "messages": 4, "tool_calls": 1, "tool_results": 1},
    "hermes_session.json": {"format": "hermes", "messages": 4, "tool_calls": 1, "tool_results": 1},
    "vscode_chat_session.json": {"format": "vscode-chat", "messages": 4, "tool_calls": 1, "tool_results": 1},
}  # fmt: skip
"""What `replay --recorded --json` says of a session; `usage` is how many calls have reported figures."""


_NO_FIT = "The record reports too few figures"
_A_TURN = "The stream tells usage a turn: "


@dataclass
class Ran:
    """What one run of the command line left."""

    code: int
    out: bytes
    err: bytes
    windows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def object(self) -> Any:
        return json.loads(self.out)


def ravenglass(arguments: list[str], folder: Path, environment: dict[str, str] | None = None, seconds: int = 60) -> Ran:
    """`ravenglass ARGUMENTS` in a folder. As a process of its own: a case may set how its console is encoded."""
    path = os.pathsep.join(sys.path)
    known = {**os.environ, "PYTHONPATH": path, "RAVENGLASS_DATA": str(folder.parent / "data"), **(environment or {})}
    command = [sys.executable, "-m", "ravenglass", *arguments]
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, timeout=seconds, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(autouse=True)
def cases() -> Path:
    if not CASES.is_dir():
        pytest.skip(f"the small inputs are not here ({CASES})")
    return CASES


@pytest.mark.parametrize("name", FIGURES)
def test_that_a_small_input_has_its_figures(cases: Path, tmp_path: Path, name: str) -> None:
    ran = run("replay", shutil.copy(cases / name, tmp_path), "--recorded", "--json")
    assert ran.code == 0, ran.said
    found = json.loads(ran.printed)
    figures = {**found["session"], "usage": sum(call["reported"] is not None for call in found["calls"])}
    assert {key: figures[key] for key in FIGURES[name]} == FIGURES[name]
    assert found["not_understood"] == {}
    assert [warning for warning in found["warnings"] if not warning.startswith((_NO_FIT, _A_TURN))] == []


@pytest.mark.proof
@pytest.mark.parametrize("name", FOLDERS)
def test_that_a_case_holds(cases: Path, tmp_path: Path, name: str) -> None:
    expected = json.loads((cases / name / "expect.json").read_text(encoding="utf-8"))
    folder = tmp_path / "in"
    if expected.get("make"):
        folder.mkdir()
        subprocess.run([sys.executable, str(cases / name / "make.py"), str(folder)], check=True, cwd=folder)
    else:
        shutil.copytree(cases / name, folder, ignore=shutil.ignore_patterns("expect.json"))
    kept = {place: (folder / place).read_bytes() for place in expected.get("unchanged", [])}
    for arguments in [expected["run"], *expected.get("also_run", [])]:
        ran = _run(arguments, folder, tmp_path, expected)
        assert ran.code == expected.get("exit", 0), f"{arguments}: {ran.err.decode('utf-8', 'replace')}"
        main = arguments is expected["run"]
        for check in expected["checks"]:
            if main or "stderr_not" in check or "stdout_not" in check or "stdout" in check:
                _holds(check, ran, folder, expected, f"{name}: {' '.join(arguments)}: {check}")
    assert {place: (folder / place).read_bytes() for place in kept} == kept


def _run(arguments: list[str], folder: Path, above: Path, expected: dict[str, Any]) -> Ran:
    wanted = arguments[0] == "replay" and any("windows" in check for check in expected["checks"])
    out = above / "windows.jsonl"
    out.unlink(missing_ok=True)
    more = ["--windows", str(out)] if wanted and "--windows" not in arguments and "--save" not in arguments else []
    ran = ravenglass([*arguments, *more], folder, expected.get("env"), expected.get("max_seconds", 60) * 4)
    if more and out.exists():
        ran.windows = [json.loads(line) for line in out.read_bytes().split(b"\n") if line]
    return ran


def _holds(check: dict[str, Any], ran: Ran, folder: Path, expected: dict[str, Any], said: str) -> None:
    if "stderr_not" in check:
        assert check["stderr_not"].encode() not in ran.err, said
    elif "stdout_not" in check:
        assert check["stdout_not"].encode() not in ran.out, said
    elif "stdout" in check:
        assert check["stdout"].encode() in ran.out, said
    elif "windows" in check:
        _windows(check, ran, said)
    elif "path" in check:
        assert _compared(_at(ran.object, check["path"]), check["op"], check["value"]), said
    elif "private_under" in check:
        places = [folder / check["private_under"], *(folder / check["private_under"]).rglob("*")]
        open_ = [p for p in places if p.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
        assert open_ == [], said
    elif "written_only_under" in check:
        allowed = {"input.jsonl", check["written_only_under"]}
        assert {path.name for path in folder.iterdir()} <= allowed, said
    else:
        raise AssertionError(f"a check that is not known: {check}")


def _windows(check: dict[str, Any], ran: Ran, said: str) -> None:
    which = check["windows"]
    if which == "lines":
        assert _compared(len(ran.windows), check["op"], _at(ran.object, check["value_path"])), said
        return
    places = {"first": ran.windows[:1], "last": ran.windows[-1:], "all": ran.windows}
    chosen = places[which] if isinstance(which, str) else [ran.windows[which]]
    texts = [json.dumps(window, ensure_ascii=False) for window in chosen]
    assert texts, said
    if "contains" in check:
        assert all(check["contains"] in text for text in texts), said
    if "not_contains" in check:
        assert all(check["not_contains"] not in text for text in texts), said
    if "count" in check:
        assert all(_compared(text.count(check["count"]), check["op"], check["value"]) for text in texts), said
    if "max_tokens" in check:
        most = _at(ran.object, check["max_tokens"])
        assert all(call["window_tokens"] <= most for call in ran.object["calls"]), said
    if check.get("no_orphans"):
        assert all(_paired(window) for window in chosen), said


def _paired(window: dict[str, Any]) -> bool:
    """Whether every result answers a call before it, and every call is answered."""
    asked: list[str] = []
    answered: list[str] = []
    for message in window["messages"]:
        asked += [call["id"] for call in message.get("tool_calls") or []]
        if message["role"] == "tool":
            if message["tool_call_id"] not in asked:
                return False
            answered.append(message["tool_call_id"])
    return sorted(asked) == sorted(answered)


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _compared(found: Any, operator: str, value: Any) -> bool:
    if operator == "==":
        return bool(found == value)
    return bool(found < value if operator == "<" else found > value)
