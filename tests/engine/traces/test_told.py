"""What a log says of a call besides its decision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenglass import Engine, replay
from ravenglass.cli.main import main
from ravenglass.replay import SimulatedRun
from ravenglass.trace.items import Diagnosis, Offer
from ravenglass.traces import open_trace, told
from ravenglass.traces.writer import append_log
from tests.engine.embed.conversations import drive
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT
from tests.engine.replay.measures.test_importance import TALK
from tests.engine.traces.logs import line, start, written


def _sentences(path: Path, *lines: bytes) -> tuple[str, ...]:
    (turn,) = open_trace(written(path / "turn.jsonl", start(), *lines)).turns
    return told(turn.calls[0])


def _answer(**more: Any) -> bytes:
    return line("curator_llm_response", {"step": 1, "content": "", "tool_calls": [], **more})


def test_that_what_the_end_of_a_session_archived_stands_in_the_printed_trace(tmp_path: Path, capsys: Any) -> None:
    with Engine(TIGHT, tmp_path, session_key="a:b") as engine:
        drive(engine, long_chat(12))
    assert main(["trace", str(tmp_path / "memory" / ".curator" / "traces" / "a_b")]) == 0
    assert ": the session was closed" in capsys.readouterr().out


def test_that_a_fall_of_importance_names_the_snapshot_that_replay_rolls_back_to(tmp_path: Path) -> None:
    run = replay(TALK)
    ((call, offer),) = _offers(run)
    append_log(tmp_path / "turn.jsonl", run.events(call))
    (turn,) = open_trace(tmp_path / "turn.jsonl").turns
    assert any(s.endswith(f"replay --rollback {offer.step}") and "0." in s for s in told(turn.calls[0]))


def _offers(run: SimulatedRun) -> list[tuple[int, Offer]]:
    bodies = [(call, e.body) for call in range(1, run.calls + 1) for e in run.events(call)]
    return [(call, b.offer) for call, b in bodies if isinstance(b, Diagnosis) and b.offer is not None]


def test_that_what_asking_a_model_took_is_summed_with_repetitions_and_finish_reasons(tmp_path: Path) -> None:
    (said,) = _sentences(
        tmp_path,
        _answer(finish_reason="tool_calls", requests=3, prompt_tokens=1_000, completion_tokens=20),
        _answer(finish_reason="length", requests=1, prompt_tokens=200, completion_tokens=5),
    )
    assert said == (
        "the curator asked 4 times, 2 of them repetitions: 1,200 prompt and 25 answer tokens as reported;"
        " finish reasons: tool_calls 1, length 1"
    )


def test_that_tokens_which_were_not_reported_are_unknown_and_never_nothing(tmp_path: Path) -> None:
    (said,) = _sentences(tmp_path, _answer(requests=1), _answer(requests=1, prompt_tokens=7))
    assert "7 or more prompt and unknown answer tokens" in said
    assert "finish reasons: unknown 2" in said


def test_that_answers_which_no_endpoint_gave_cost_nothing_to_tell(tmp_path: Path) -> None:
    assert _sentences(tmp_path, _answer(finish_reason="stop")) == ()


def test_that_a_log_with_other_things_in_its_fields_is_told_without_them(tmp_path: Path) -> None:
    assert _sentences(
        tmp_path,
        line("diagnosis", {"mean_score": "low", "mean_before": None}),
        line("diagnosis", {"mean_score": 10**400, "mean_before": 0.5}),
        line("diagnosis", {"mean_score": 0.25, "mean_before": 0.5, "offer": None}),
        line("archived", {"ref": "x"}),
        line("rolled_back", {"snapshot": "task-1-call-3"}),
        line("rolled_back", {"snapshot": 4}),
    ) == (
        "archived 1: the log has no reason",
        "rolled back before this call to the snapshot task-1-call-3",
        "what is active fell from a mean score of 0.50 to 0.25",
    )
