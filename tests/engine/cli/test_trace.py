"""`ravenglass trace` and `replay --windows --dialect`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenglass.cli.main import main
from ravenglass.curator.dialects import DIALECTS, Dialect, check
from tests.engine import builders as b
from tests.engine.traces.logs import accepted, fallback, item, line, request, response, result, start, written


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A fast call, an accepted plan and a torn fail-safe, with a damaged line and an unknown event."""
    build = ("curator_build_context", {"include_message_ids": [0]})
    items = [item(4, "assistant", "tool:a"), item(5, "tool", "tool:a")]
    return written(
        tmp_path / "turn.jsonl",
        start(), line("fast_path", {"history_tokens": 3_868, "threshold_tokens": 12_811}), line("cosmic_ray"),
        start(), request(1), response(1, build), result(1, *build, {"accepted": True}), accepted([0]),
        b"{damaged",
        start(), request(1, items), response(1, content="No.\x1b[2J"),
        fallback([4, 5], [5], warnings=["dropped message 4 to fit budget"]),
    )  # fmt: skip


def test_that_a_row_a_call_says_path_pressure_steps_and_verdict(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(log)]) == 0
    out, err = capsys.readouterr()
    rows = [row.split() for row in out.splitlines() if row.strip()[:1].isdigit()]
    assert [row[:5] for row in rows] == [
        ["1", "fast", "3,868", "12,811", "0/12"], ["2", "slow", "15,000", "unknown", "1/12"],
        ["3", "fail_safe", "15,000", "unknown", "1/12"],
    ]  # fmt: skip
    assert "accepted at step 1" in out
    assert "unknown events, kept: cosmic_ray" in out
    assert "R1: Message 4 was dropped alone" in out
    assert "\x1b" not in out
    assert "line 9, offset" in err
    assert "under default" not in out


def test_that_other_thresholds_show_the_path_they_would_give(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(log), "--set", "fast_path_threshold=0.1"]) == 0
    out = capsys.readouterr().out
    assert "slow (changed)" in out
    assert "what it would decide is unknown" in out


def test_that_json_holds_the_same_and_null_for_what_is_unknown(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(log), "--json", "--profile", "default"]) == 0
    made = json.loads(capsys.readouterr().out)
    (turn,) = made["turns"]
    assert (turn["turn"], turn["damaged_lines"], turn["events"]) == ("turn", 1, 12)
    assert [call["path"] for call in turn["calls"]] == ["fast", "slow", "fail_safe"]
    assert turn["calls"][1]["threshold_tokens"] is None
    assert turn["calls"][1]["plan"]["include"] == [0]
    assert turn["calls"][0]["unknown_events"] == ["cosmic_ray"]
    assert [fault["rule"] for fault in turn["calls"][2]["faults"]] == ["R1"]
    assert turn["calls"][0]["under_profile"]["path"] == "fast"


def test_that_what_is_no_log_ends_with_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"role": "user"}\n')
    assert main(["trace", str(path)]) == 3
    assert "is no trace log" in capsys.readouterr().err
    assert main(["trace", str(tmp_path / "none.jsonl")]) == 3
    assert main(["trace", str(path), "--set", "window=x"]) == 4


@pytest.mark.samples
def test_that_every_log_of_the_reference_implementation_prints(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = samples / "raven" / "workspace" / "memory" / ".curator" / "traces"
    assert main(["trace", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "R1:" in out
    assert "R2:" in out
    assert main(["trace", str(folder), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["turns"]) == len(list(folder.rglob("*.jsonl")))


SESSION = b.session(
    b.system("be brief"), b.user("read a"), b.assistant("", b.call("Read", file_path="a"), thinking="hm"),
    b.result("text"), b.assistant("done"), b.user("thanks"), b.assistant("welcome"),
)  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_that_windows_are_written_in_the_chosen_dialect(dialect: Dialect, tmp_path: Path) -> None:
    session, out = b.written(SESSION, tmp_path / "s.jsonl"), tmp_path / "windows.jsonl"
    assert main(["replay", str(session), "--windows", str(out), "--dialect", dialect, "--json"]) == 0
    lines = [json.loads(one) for one in out.read_text().splitlines()]
    assert [one["call"] for one in lines] == [1, 2, 3]
    assert all({"call", "path", "tokens"} < one.keys() for one in lines)
    assert [check(dialect, one) for one in lines] == [[], [], []]


def test_that_the_default_is_openai_chat_with_ids_of_recorded_messages(tmp_path: Path) -> None:
    session, out = b.written(SESSION, tmp_path / "s.jsonl"), tmp_path / "windows.jsonl"
    assert main(["replay", str(session), "--windows", str(out), "--json"]) == 0
    last = json.loads(out.read_text().splitlines()[-1])
    assert list(last) == ["call", "path", "tokens", "messages"]
    recorded = [m["id"] for m in last["messages"] if m["id"] is not None]
    assert recorded == [0, 1, 2, 3, 4, 5]


def test_that_an_unknown_dialect_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = b.written(SESSION, tmp_path / "s.jsonl")
    assert main(["replay", str(session), "--dialect", "morse"]) == 2
    assert "there is no dialect 'morse'" in capsys.readouterr().err


def logged_session(tmp_path: Path) -> tuple[Path, Path]:
    """A session file and the traces of its replay under pressure."""
    talk = tmp_path / "talk.jsonl"
    lines: list[dict[str, object]] = [{"role": "user", "content": "Fix src/auth.py."}]
    for n in range(12):
        function = {"name": "Bash", "arguments": json.dumps({"command": f"make {n}"})}
        lines += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": f"c{n}", "content": b.filler(500)},
        ]
    talk.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"role": "assistant", "content": "Done."}]))
    assert main(["replay", str(talk), *PRESSED, "--save", str(tmp_path / "saved")]) == 0
    return talk, tmp_path / "saved" / "traces"


PRESSED = ("--set", "window=6000", "--set", "system_overhead=100")


@pytest.mark.rule("6.17")
def test_that_the_answers_of_a_log_are_given_again_on_its_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk, traces = logged_session(tmp_path)
    capsys.readouterr()
    assert main(["trace", str(traces), "--session", str(talk), *PRESSED, "--json"]) == 0
    calls = [c for turn in json.loads(capsys.readouterr().out)["turns"] for c in turn["calls"]]
    assert [c["again"]["call"] for c in calls] == list(range(1, 14))
    slow = [c for c in calls if c["path"] == "slow"]
    assert slow
    for c in slow:
        assert (c["again"]["path"], c["again"]["tokens"]) == ("slow", c["validation"]["tokens"])
    tighter = ("--set", "window=6000", "--set", "system_overhead=100", "--set", "max_steps=1")
    assert main(["trace", str(traces), "--session", str(talk), *tighter]) == 0
    assert "again: at call" in capsys.readouterr().out
    assert main(["trace", str(traces), "--session", str(talk)]) == 0
    assert "takes the fast path under default, so no one is asked" in capsys.readouterr().out


@pytest.mark.rule("6.17")
def test_that_it_says_at_which_step_the_answers_no_longer_apply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk, _ = logged_session(tmp_path)
    build = ("curator_build_context", {"include_message_ids": [99]})
    log = written(tmp_path / "other.jsonl", start(20), request(1), response(1, build), result(1, *build, {"ok": True}))
    capsys.readouterr()
    assert main(["trace", str(log), "--session", str(talk), "--set", "fast_path_threshold=0"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "the fail-safe decides: Step 1: curator_build_context names the messages 99, which call" in out
