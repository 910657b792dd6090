"""`replay --policy`: a model at a local endpoint, a trace log's answers, the dry run, what it cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.asking.run import replay_asking
from ravenglass.sessions import open_session
from tests.acceptance.run_cli import run
from tests.engine.curator.policies.endpoint_server import Act, build, error, message, send, serving, stream, whole
from tests.engine.curator.policies.pressure import busy_session, tight
from tests.gui.recordings import write_chat

IDS = [0, 1]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write_chat(tmp_path / "chat.json", exchanges=30)


def slow(chat: Path) -> int:
    return sum(path != "fast" for path in replay(open_session(chat), load("tight-32k")).paths)


def told(said: dict[str, Any], finish: str = "tool_calls") -> Act:
    """A whole answer with the tokens that it took."""
    choice = {"index": 0, "message": said, "finish_reason": finish}
    body = {"choices": [choice], "usage": {"prompt_tokens": 1_000, "completion_tokens": 20}}
    return lambda handler: send(handler, 200, json.dumps(body).encode(), "application/json")


def options(url: str) -> tuple[str, ...]:
    return ("--profile", "tight-32k", "--policy", "model", "--endpoint", url, "--model", "m", "--key-env", "")


def test_that_a_model_answers_every_slow_path_and_what_it_cost_is_said(chat: Path, tmp_path: Path) -> None:
    with serving(*[told(message(build(IDS)))] * 200) as served:
        outcome = run(
            "replay", chat, *options(served.url), "--json", "--prices", "2", "8", "--save", tmp_path / "saved"
        )
        assert outcome.code == 0, outcome.said
        asked = len(served.requests)
    calls = json.loads(outcome.printed)["calls"]
    assert asked >= sum(call["path"] == "slow" for call in calls) > 0
    assert "estimated $" in outcome.said
    assert f"The curator asked {asked:,} times, 0 of them repetitions: {asked * 1_000:,} prompt" in outcome.said
    logs = sorted((tmp_path / "saved" / "traces").rglob("*.jsonl"))
    lines = [json.loads(line) for log in logs for line in log.read_text().split("\n") if line]
    responses = [line["payload"] for line in lines if line["event"] == "curator_llm_response"]
    assert len(responses) == asked
    assert {(r["prompt_tokens"], r["completion_tokens"], r["requests"]) for r in responses} == {(1_000, 20, 1)}
    again = run(
        "replay", chat, "--profile", "tight-32k", "--policy", "recorded", "--answers", tmp_path / "saved" / "traces",
        "--json",
    )  # fmt: skip
    assert again.code == 0, again.said
    assert json.loads(again.printed)["calls"] == calls


def test_that_a_dry_run_shows_the_first_request_and_sends_nothing(chat: Path) -> None:
    with serving() as served:
        outcome = run("replay", chat, *options(served.url), "--dry-run")
        assert served.requests == []
    assert outcome.code == 0, outcome.said
    body = json.loads(outcome.printed)
    assert body["model"] == "m"
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert json.loads(body["messages"][1]["content"])["manifest"]
    assert "nothing was sent" in outcome.said
    assert f"at about {slow(chat):,} calls" in outcome.said


@pytest.mark.parametrize(
    "more",
    [
        ("--policy", "oracle"), ("--policy", "model"), ("--policy", "recorded"), ("--dry-run",),
        ("--endpoint", "http://127.0.0.1:1/v1", "--model", "m"),
    ],
)  # fmt: skip
def test_that_options_that_do_not_belong_together_are_a_sentence(chat: Path, more: tuple[str, ...]) -> None:
    outcome = run("replay", chat, *more)
    assert (outcome.code, outcome.printed) == (2, "")


def test_that_repeats_finish_reason_and_tokens_are_in_the_trace() -> None:
    acts = [error(503), told(message(build(IDS)), "stop"), *[stream(message(build(IDS)))] * 200]
    with serving(*acts) as served:
        policy = ModelPolicy(served.endpoint())
        made = replay_asking(busy_session(), tight(), lambda _: policy)
    events = [event for call in range(1, made.calls + 1) for event in made.events(call)]
    first, *others = [event.payload for event in events if event.event == "curator_llm_response"]
    assert (first["finish_reason"], first["requests"], first["prompt_tokens"]) == ("stop", 2, 1_000)
    assert all("prompt_tokens" not in other for other in others)  # what was not reported is unknown, not 0
    assert made.spent.repeats == 1
    assert made.spent.unreported == len(others)


def test_that_a_model_that_is_never_there_ends_in_the_fail_safe_at_each_slow_path() -> None:
    with serving(*[whole(message(content="no"), "stop")] * 200) as served:
        policy = ModelPolicy(served.endpoint())
        made = replay_asking(busy_session(), tight(), lambda _: policy)
    assert set(made.paths) == {"fast", "fail_safe"}
    assert made.metrics.over_budget == 0
