"""`ravenglass replay --recorded`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run_cli import run
from tests.engine.builders import assistant, filler, session, user, written

NAMES = {
    "session", "profile", "markers", "calls", "fidelity", "metrics", "regrets", "aftermaths", "damage", "lost_bytes",
    "not_understood", "pending", "warnings",
}  # fmt: skip


def claude(path: Path, *, calls: int = 8, usage: bool = True) -> Path:
    """A Claude Code session with a compaction in the middle; figures are 20,000 + 1.2 x o200k tokens, or 26,000."""
    lines: list[dict[str, Any]] = [_user("go", "u0", None)]
    size = 0
    for number in range(calls):
        if number == calls // 2:
            lines.append(
                {
                    "type": "system", "subtype": "compact_boundary", "uuid": f"b{number}", "sessionId": "s1",
                    "parentUuid": None, "compactMetadata": {"trigger": "auto", "preTokens": 21_000},
                }
            )  # fmt: skip
            lines.append({**_user("the summary", f"c{number}", f"b{number}"), "isCompactSummary": True})
            size = 0
        size += 100 * (number + 1)
        lines.append(_user(filler(100 * (number + 1)), f"u{number + 1}", lines[-1]["uuid"]))
        context = (20_000 if number < calls // 2 else 26_000) + round(1.2 * size)
        message: dict[str, Any] = {
            "role": "assistant", "id": f"m{number}", "model": "claude-x", "content": [{"type": "text", "text": "ok"}],
        }  # fmt: skip
        if usage:
            message["usage"] = {"input_tokens": 10, "cache_read_input_tokens": context - 10, "output_tokens": 3}
        lines.append(
            {
                "type": "assistant", "uuid": f"a{number}", "parentUuid": f"u{number + 1}", "sessionId": "s1",
                "message": message,
            }
        )  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _user(text: str, uuid: str, parent: object) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "message": message}


def printed(path: Path, *more: str) -> dict[str, Any]:
    outcome = run("replay", path, "--recorded", "--json", *more)
    assert (outcome.code, outcome.said) == (0, "")
    found = json.loads(outcome.printed)
    assert isinstance(found, dict)
    return found


def test_that_json_holds_windows_reported_figures_and_the_fit(tmp_path: Path) -> None:
    found = printed(claude(tmp_path / "s.jsonl"))
    assert set(found) == NAMES
    assert found["markers"] == [
        {
            "kind": "compaction", "call": 5, "before_message": 9, "note": "auto, 21,000 tokens before", "kept": 0,
            "cleared": 0, "tokens_before": 21_000, "tokens_after": None,
        }
    ]  # fmt: skip
    fourth, fifth = found["calls"][3:5]
    assert (fourth["path"], fourth["messages"], fourth["evicted"]) == ("recorded", [[0, 7]], 0)
    assert (fifth["messages"], fifth["included"], fifth["evicted"]) == ([[9, 10]], 2, 8)
    assert fourth["reported"] == {"context": 21_200, "output": 3, "cache_read": 21_190} | dict.fromkeys(
        ("cache_write", "cache_write_1h")
    )
    assert fifth["fitted"] == pytest.approx(26_600, rel=0.002)
    assert sum(fifth["by_tier"].values()) == fifth["window_tokens"]
    fidelity = found["fidelity"]
    assert fidelity["scale"] == pytest.approx(1.2, abs=0.02)
    assert fidelity["overhead"] == pytest.approx(20_000, abs=100)
    assert [(part["first_call"], part["calls"]) for part in fidelity["overheads"]] == [(1, 4), (5, 4)]
    assert (fidelity["parameters"], fidelity["calls"], fidelity["reported_calls"]) == (3, 8, 8)
    assert fidelity["median_error"] <= fidelity["p95_error"] <= fidelity["largest_error"] < 0.01
    assert fidelity["held_out"]["calls"] == 8
    assert found["warnings"] == []


def test_that_without_figures_there_is_no_fit_and_a_sentence_says_so(tmp_path: Path) -> None:
    found = printed(claude(tmp_path / "s.jsonl", usage=False))
    assert found["fidelity"] is None
    assert found["calls"][0]["reported"] is None
    assert (found["calls"][0]["fitted"], found["calls"][0]["error"]) == (None, None)
    (sentence,) = found["warnings"]
    assert sentence.startswith("The record reports too few figures of the provider for a fit;")


def test_that_tables_say_that_they_are_recorded_what_the_writer_did_and_the_error(tmp_path: Path) -> None:
    outcome = run("replay", claude(tmp_path / "s.jsonl"), "--recorded")
    assert outcome.code == 0
    text = outcome.printed
    assert "recorded: what the windows really held" in text
    assert "simulated" not in text
    assert "compaction" in text
    assert re.search(r"Fit: reported = overhead \+ 1\.[12]\d\d x o200k_base tokens", text)
    assert "3 parameters on 8 calls" in text
    assert "held out in 5 parts" in text
    row = [line for line in text.splitlines() if line.split()[:1] == ["5"]][-1]
    assert row.split()[:3] == ["5", "2", "8"]
    assert "26,600" in row


def test_that_tables_of_a_session_without_markers_figures_or_calls_say_so(tmp_path: Path) -> None:
    plain = written(session(user("go"), assistant("yes")), tmp_path / "plain.jsonl")
    text = run("replay", plain, "--recorded").printed
    assert "no compaction, clearing or rollback" in text
    assert "too few figures" in text
    assert "?" in text
    empty = written(session(user("go")), tmp_path / "empty.jsonl")
    assert "no model call, so nothing was sent" in run("replay", empty, "--recorded").printed


def test_that_a_fit_which_cannot_be_one_is_shown_with_a_warning(tmp_path: Path) -> None:
    path = claude(tmp_path / "s.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if "usage" in line.get("message", {}):
            line["message"]["usage"] = {"input_tokens": 5_000}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = printed(path)
    assert found["fidelity"]["plausible"] is False
    assert "is none between token tables" in found["warnings"][0]
    assert "is none between token tables" in run("replay", path, "--recorded").printed


def test_that_recorded_windows_are_written_and_labelled_so(tmp_path: Path) -> None:
    out = tmp_path / "windows.jsonl"
    assert run("replay", claude(tmp_path / "s.jsonl"), "--recorded", "--windows", out).code == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["path"] for line in lines] == ["recorded"] * 8
    assert [message["id"] for message in lines[4]["messages"]] == [9, 10]


def test_that_a_recorded_run_is_not_saved(tmp_path: Path) -> None:
    outcome = run("replay", claude(tmp_path / "s.jsonl"), "--recorded", "--save", tmp_path / "saved")
    assert outcome.code == 2
    assert "a recorded run is in its session file already" in outcome.said
    assert not (tmp_path / "saved").exists()


def test_that_the_simulated_replay_is_never_called_recorded(tmp_path: Path) -> None:
    path = claude(tmp_path / "s.jsonl")
    assert "recorded:" not in run("replay", path).printed
    found = json.loads(run("replay", path, "--json").printed)
    assert {call["path"] for call in found["calls"]} == {"fast"}
    assert "fidelity" not in found


def test_that_marks_of_a_large_session_do_not_hide_its_calls(tmp_path: Path) -> None:
    built = session(*[message for n in range(60) for message in (user(f"go {n}"), assistant("yes"))])
    path = written(built, tmp_path / "long.jsonl")
    text = run("replay", path, "--recorded").printed
    assert "Calls (24 of 60;" in text
    assert text.splitlines()[-1].split()[0] == "60"
