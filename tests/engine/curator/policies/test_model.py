"""The model policy against a local endpoint: what it sends, and that nothing the endpoint does becomes an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ravenglass.curator.dialects import check
from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.curator.tools import TOOLS
from ravenglass.replay import Run, replay
from ravenglass.replay.stepper import ReplayLoop
from tests.engine.curator.policies.endpoint_server import (
    BUILD,
    Act,
    Served,
    build,
    call,
    drip,
    error,
    hang,
    message,
    raw,
    serving,
    stream,
    whole,
)
from tests.engine.curator.policies.pressure import busy_run, busy_session, slow_call, tight

IDS = [0, 3, 4, 21, 22]


def curate(run: Run, served: Served, **values: object) -> ReplayLoop:
    loop = run.loop(slow_call(run), ModelPolicy(served.endpoint(**values)))
    loop.run()
    return loop


def outcome(loop: ReplayLoop) -> tuple[str, str]:
    """Path and reason; whatever the path, the window is valid and within budget."""
    assert loop.result is not None
    assert loop.conversation is not None
    assembled = loop.result.assembled
    assert assembled is not None
    assert assembled.verdict.over_by == 0
    return loop.result.path, loop.conversation.reason


def results(loop: ReplayLoop) -> list[tuple[str, dict[str, Any]]]:
    found = [e.payload for e in loop.events if e.event == "curator_tool_result"]
    return [(str(p["tool"]), p["result"]) for p in found]  # type: ignore[misc]


@pytest.mark.rule("6.16")
@pytest.mark.parametrize("answer", [whole, stream], ids=["whole", "stream"])
def test_that_a_model_curates_with_whole_and_with_streamed_answers(run: Run, answer: Any) -> None:
    looks = message(
        call("curator_check_budget", {}, "a"), call("curator_search_history", {"query": "src/part3.py"}, "b"),
        content="Looking.",
    )  # fmt: skip
    with serving(answer(looks), answer(message(build(IDS, notes="done")))) as served:
        loop = curate(run, served, stream=answer is stream)
    assert outcome(loop) == ("slow", "")
    assert [tool for tool, _ in results(loop)] == ["curator_check_budget", "curator_search_history", BUILD]
    assembled = loop.result.assembled  # type: ignore[union-attr]
    group_of = run.session.structure.group_of
    assert {group_of[m] for m in IDS} <= set(assembled.placed)  # type: ignore[union-attr]
    said = [e.payload["content"] for e in loop.events if e.event == "curator_llm_response"]
    assert said[0] == "Looking."


def test_that_the_requests_carry_rules_manifest_tools_and_all_results(run: Run) -> None:
    first = message(call("curator_check_budget", {}, "a"), call("curator_read_memory", "", "b"))
    with serving(whole(first), whole(message(build(IDS)))) as served:
        curate(run, served)
    one, two = served.requests
    assert one["model"] == "test-model"
    assert one["temperature"] == 0
    assert one["stream"] is True
    assert [t["function"]["name"] for t in one["tools"]] == list(TOOLS)
    assert [m["role"] for m in one["messages"]] == ["system", "user"]
    brief = json.loads(one["messages"][1]["content"])
    assert brief["budget"]["tokens"] == run.budget.available
    rows = {row["ids"][0]: row for row in brief["manifest"]}
    assert set(rows[0]) >= {"ids", "tier", "state", "tokens", "score", "snippet", "stays"}
    assert "login" in rows[0]["snippet"]
    assert brief["not_listed"] == 0
    assert two["messages"][:2] == one["messages"]
    assert [m["role"] for m in two["messages"][2:]] == ["assistant", "tool", "tool"]
    assert [m["tool_call_id"] for m in two["messages"][3:]] == ["a", "b"]
    assert json.loads(two["messages"][3]["content"])["budget"] == run.budget.available
    assert check("openai-chat", two) == []


def test_that_the_manifest_is_capped_and_says_how_much_it_leaves_out() -> None:
    run = replay(busy_session(30), tight(window=40_000, fast_path_threshold=0.3))
    with serving(whole(message(build(IDS)))) as served:
        curate(run, served, manifest_chars=1_000)
    brief = json.loads(served.requests[0]["messages"][1]["content"])
    assert len(json.dumps(brief["manifest"], ensure_ascii=False)) <= 1_000 + 2 * len(brief["manifest"])
    assert brief["not_listed"] > 0
    assert any(row.get("stays") for row in brief["manifest"])


def test_that_the_trace_holds_what_was_sent_cut_to_its_limit(run: Run) -> None:
    with serving(whole(message(build(IDS)))) as served:
        loop = curate(run, served, trace_chars=200)
    logged = next(e.payload["messages"] for e in loop.events if e.event == "curator_llm_request")
    sent = served.requests[0]["messages"]
    assert [m["role"] for m in logged] == [m["role"] for m in sent]  # type: ignore[attr-defined]
    assert [m["content"][:200] for m in logged] == [m["content"][:200] for m in sent]  # type: ignore[attr-defined]
    assert all(len(m["content"]) < 260 for m in logged)  # type: ignore[attr-defined]


def test_that_a_long_result_is_cut_for_the_model(run: Run) -> None:
    with serving(whole(message(call("curator_search_history", {"limit": 200}))), whole(message(build(IDS)))) as served:
        curate(run, served, result_chars=200)
    content = served.requests[1]["messages"][3]["content"]
    assert len(content) < 260
    assert content.endswith("more characters]")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_that_an_overloaded_endpoint_is_asked_again(run: Run, status: int) -> None:
    with serving(error(status), error(status), stream(message(build(IDS)))) as served:
        loop = curate(run, served)
    assert outcome(loop) == ("slow", "")
    assert len(served.requests) == 3
    assert served.requests[0] == served.requests[2]


@pytest.mark.rule("6.16")
def test_that_an_endpoint_that_stays_broken_ends_in_the_fail_safe(run: Run) -> None:
    with serving(error(500), error(500), error(500)) as served:
        loop = curate(run, served)
    path, reason = outcome(loop)
    assert path == "fail_safe"
    assert "HTTP 500" in reason
    assert "overloaded" in reason
    assert "tried 3 times" in reason
    assert [e.event for e in loop.events if e.event in ("slow_path_exception", "fallback")] == [
        "slow_path_exception",
        "fallback",
    ]


def test_that_a_refused_request_is_not_repeated(run: Run) -> None:
    with serving(error(401, "bad key")) as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert "HTTP 401: " in reason
    assert "bad key" in reason
    assert len(served.requests) == 1


def test_that_a_pause_the_endpoint_asks_for_ends_it_when_the_time_limit_is_shorter(run: Run) -> None:
    with serving(error(429, "slow down", Retry_After="3600")) as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert "slow down" in reason
    assert len(served.requests) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        raw(b"<html>bad gateway</html>", "text/html"),
        raw(b""),
        raw(b"[1, 2]"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": "none"}'),
        raw(b'{"error": {"message": "no model"}}'),
        raw(b'{"choices": [{"message": {"tool_calls": [{"function": null'),
        raw(b"data: {nonsense\n\n", "text/event-stream"),
        raw(b'data: {"error": {"message": "gone"}}\n\n', "text/event-stream"),
        stream(message(build(IDS)), until=3),
        raw(b" " * 3_000),
    ],
    ids=["html", "empty", "array", "no-choices", "text-choices", "error", "cut", "bad-event", "error-event",
         "cut-stream", "blank"],
)  # fmt: skip
def test_that_a_garbled_reply_is_asked_for_again(run: Run, nonsense: Act) -> None:
    with serving(nonsense, whole(message(build(IDS)))) as served:
        loop = curate(run, served, reply_bytes=2_000)
    assert outcome(loop) == ("slow", "")
    assert len(served.requests) == 2


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (raw(b"<html>"), "no JSON: '<html>'"),
        (raw(b"3"), "a number, not an object"),
        (raw(b'{"error": {"message": "no such model"}}'), "no such model"),
        (raw(b'{"id": 1}'), "an object with the keys id"),
        (stream(message(build(IDS)), until=2), "cut after 2 pieces"),
        (raw(b" " * 3_000), "larger than 2,000 bytes"),
    ],
)
def test_that_a_reply_that_stays_garbled_is_named(run: Run, act: Act, told: str) -> None:
    with serving(act) as served:
        path, reason = outcome(curate(run, served, retries=0, reply_bytes=2_000))
    assert path == "fail_safe"
    assert told in reason


def test_that_a_closed_port_is_a_sentence(run: Run) -> None:
    with serving() as served:
        endpoint = served.endpoint(retries=1)
    loop = run.loop(slow_call(run), ModelPolicy(endpoint))
    loop.run()
    path, reason = outcome(loop)
    assert path == "fail_safe"
    assert "connection failed" in reason


@pytest.mark.rule("6.5", "6.16")
@pytest.mark.parametrize("act", [hang(3), drip(3)], ids=["silence", "drip"])
@pytest.mark.parametrize("streamed", [True, False])
def test_that_an_endpoint_without_an_end_is_left_when_the_time_is_up(act: Act, streamed: bool) -> None:
    run = busy_run(timeout_s=1)
    with serving(act) as served:
        path, reason = outcome(curate(run, served, stream=streamed))
    assert path == "fail_safe"
    # How much of the second was left when the request went out depends on the machine.
    assert "time" in reason or "did not answer within" in reason or "no answer" in reason
    assert len(served.requests) == 1


def test_that_a_stream_that_stays_open_behind_its_end_mark_is_complete(run: Run) -> None:
    with serving(stream(message(build(IDS)), keep_open=20)) as served:
        assert outcome(curate(run, served)) == ("slow", "")
