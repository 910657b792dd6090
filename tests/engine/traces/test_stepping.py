"""A log stepped through without its session, its figures, and its path under other thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.profile import Profile, make_profile
from ravenglass.replay import replay
from ravenglass.sessions.model.session import Span, Usage
from ravenglass.traces import (
    LoggedMessages,
    TraceCall,
    TraceRecord,
    TraceReplay,
    answers,
    append_log,
    faults,
    open_trace,
    path_under,
    summarise,
)
from tests.engine import builders as b
from tests.engine.traces.logs import (
    accepted,
    fallback,
    line,
    one_call,
    plan,
    request,
    response,
    result,
    start,
)
from tests.engine.traces.test_messages import ANY, EVENTS
from tests.proofs import examples

BUILD = "curator_build_context"


def slow(folder: Path) -> TraceCall:
    """Search, archive, relevance, working state, a plan that comes back, one that is accepted."""
    archive = ("curator_archive_messages", {"message_ids": [1, 2], "reason": "old"})
    rate = (
        "curator_set_relevance",
        {"updates": [{"message_id": 0, "relevance": 1}, {"message_id": 99, "relevance": 0}]},
    )
    state = ("curator_update_working_state", {"goals": ["x"]})
    first, second = (BUILD, plan([0, 99])), (BUILD, plan([0, 5]))
    done = {"archived_message_ids": [1, 2], "archive_refs": ["a.jsonl#1-2"]}
    return one_call(
        folder,
        start(), request(1), response(1, archive, rate, state),
        result(1, *archive, done), result(1, *rate, {"accepted": [0], "rejected": [{"message_id": 99}]}),
        result(1, *state, {"working_state": {"goals": ["x"]}}),
        request(2), response(2, first), result(2, *first, {"accepted": False, "errors": ["unknown 99"]}),
        request(3), response(3, second), result(3, *second, {"accepted": True, "final_total_tokens": 100}),
        accepted([0, 5]),
        line("main_agent_result", {"usage": {"prompt_tokens": 1_234, "completion_tokens": 56}}),
    )  # fmt: skip


@pytest.mark.rule("8.5")
def test_that_each_step_shows_what_is_true_after_it(tmp_path: Path) -> None:
    replayed = TraceReplay(slow(tmp_path))
    seen: dict[str, Any] = {}
    while (record := replayed.step()) is not None:
        seen[f"{record.event} {record.payload.get('tool', '')}{replayed.state.step}"] = replayed.state
    archived = seen["curator_tool_result curator_archive_messages1"]
    assert (archived.archived, archived.archive_refs, archived.path) == ((1, 2), ("a.jsonl#1-2",), None)
    assert seen["curator_tool_result curator_set_relevance1"].relevance == ((0, 1.0),)
    assert seen["curator_tool_result curator_update_working_state1"].working_state == {"goals": ["x"]}
    rejected = seen[f"curator_tool_result {BUILD}2"]
    assert (rejected.rejected, rejected.verdict.ok, rejected.verdict.errors) == (1, False, ("unknown 99",))
    assert seen["slow_path_accepted 3"].path == "slow"
    assert seen["slow_path_accepted 3"].plan.include == (0, 5)
    assert replayed.done
    assert replayed.step() is None


def test_that_the_figures_are_those_of_the_last_step(tmp_path: Path) -> None:
    call = slow(tmp_path)
    summary, state = summarise(call), TraceReplay(call).run()
    assert (summary.path, summary.plan, summary.verdict) == (state.path, state.plan, state.verdict)
    assert summary.steps == 3
    assert summary.tools == {
        "curator_archive_messages": 1, "curator_set_relevance": 1, "curator_update_working_state": 1, BUILD: 2,
    }  # fmt: skip
    assert (summary.rejected, summary.accepted_at, summary.included) == (1, 3, 2)
    assert summary.history_tokens == 15_000
    assert summary.threshold_tokens is None
    assert summary.request == "Go on."
    assert summary.usage == Usage(1_234, 56, None, None)
    assert summary.outcome == "accepted at step 3"


def test_that_a_fast_path_and_an_unfinished_call_are_told_apart(tmp_path: Path) -> None:
    fast = one_call(tmp_path, start(7), line("fast_path", {"history_tokens": 10, "threshold_tokens": 20}))
    summary = summarise(fast)
    assert (summary.path, summary.history_tokens, summary.threshold_tokens, summary.included) == ("fast", 10, 20, 7)
    cut = summarise(one_call(tmp_path, start(), request(1)))
    assert cut.path is None
    assert cut.outcome.startswith("unfinished")
    assert (cut.included, cut.usage, cut.verdict) == (None, None, None)


def test_that_a_fail_safe_tells_why(tmp_path: Path) -> None:
    spoken = one_call(tmp_path, start(), request(1), response(1, content="I cannot decide."), fallback([0], [0]))
    assert summarise(spoken).outcome == "fail-safe: the curator's last answer was no tool call: I cannot decide."
    raised = one_call(tmp_path, start(), line("slow_path_exception", {"error": "no model"}), fallback([0], [0]))
    assert summarise(raised).outcome == "fail-safe: no model"
    silent = one_call(tmp_path, start(), line("slow_path_exception"), fallback([0], [0]))
    assert summarise(silent).outcome == "fail-safe: the log names no reason"


def test_that_answers_and_results_are_paired_by_order(tmp_path: Path) -> None:
    one: tuple[str, dict[str, object]] = ("curator_read_memory", {})
    two = ("curator_check_budget", {"include_message_ids": [1]})
    call = one_call(tmp_path, start(), response(1, one, two), result(1, *one, {"n": 1}), response(2, one))
    first, second = answers(call)
    assert [(c.tool, c.result) for c in first.calls] == [
        ("curator_read_memory", {"n": 1}),
        ("curator_check_budget", None),
    ]
    assert second.calls[0].result is None
    assert first.calls[1].arguments == {"include_message_ids": [1]}
    assert not first.calls[0].accepted


def test_that_arguments_are_read_as_text_and_as_object_and_damage_is_none(tmp_path: Path) -> None:
    def spoken(arguments: Any) -> Any:
        payload = {"step": 1, "tool_calls": [{"name": "x", "arguments": arguments}]}
        (found,) = answers(one_call(tmp_path, start(), line("curator_llm_response", payload)))
        return found.calls[0].arguments

    assert spoken({"a": 1}) == spoken('{"a": 1}') == {"a": 1}
    assert spoken("") == {}
    assert spoken("{") is spoken("[1]") is spoken(None) is None


@pytest.mark.parametrize(
    ("values", "path", "changed", "told"),
    [
        ({}, "slow", False, "Slow path as recorded: 15,000 history tokens against 0.6 x 21,352 = 12,811."),
        ({"fast_path_threshold": 0.8}, "fast", True, "Fast path: 15,000 history tokens against 0.8 x 21,352 = 17,082."),
        ({"max_steps": 2}, "fail_safe", True, "its plan was accepted at step 3, beyond the 2 allowed"),
        ({"max_steps": 3}, "slow", False, "as recorded"),
    ],
)
def test_that_the_path_follows_other_thresholds(
    tmp_path: Path, values: dict[str, Any], path: str, changed: bool, told: str
) -> None:
    check = path_under(slow(tmp_path), make_profile(**values))
    assert (check.path, check.recorded, check.changed) == (path, "slow", changed)
    assert told in check.sentence


def test_that_a_decision_that_took_too_long_would_have_ended_in_the_fail_safe(tmp_path: Path) -> None:
    begin = {"budget": {"available": 100}, "history_tokens": 90}
    call = one_call(
        tmp_path, line("curator_start", begin, ts="2026-01-01T00:00:00Z"),
        line("slow_path_accepted", {"plan": plan([0])}, ts="2026-01-01T00:00:40Z"),
    )  # fmt: skip
    assert path_under(call, Profile()).path == "fail_safe"
    assert "took 40 s, longer than the 30 s allowed" in path_under(call, Profile()).sentence
    assert path_under(call, make_profile(timeout_s=60)).path == "slow"


def test_that_a_fast_path_that_would_be_slow_does_not_guess_the_plan(tmp_path: Path) -> None:
    call = one_call(tmp_path, start(), line("fast_path", {"history_tokens": 3_000, "threshold_tokens": 12_811}))
    check = path_under(call, make_profile(fast_path_threshold=0.1))
    assert (check.path, check.changed) == ("slow", True)
    assert "what it would decide is unknown" in check.sentence


def test_that_a_log_without_history_or_budget_leaves_the_path_unknown(tmp_path: Path) -> None:
    for call in (
        one_call(tmp_path, start(), accepted([0])),
        one_call(tmp_path, line("fast_path", {"history_tokens": 1})),
    ):
        check = path_under(call, Profile())
        assert (check.path, check.changed) == (None, False)
        assert "does not hold" in check.sentence


@given(st.lists(st.tuples(EVENTS, st.dictionaries(st.sampled_from(
    ("messages", "plan", "validation", "result", "tool", "arguments", "tool_calls", "budget", "step", "usage",
     "message_count", "max_steps", "history_tokens", "threshold_tokens", "content", "error")), ANY, max_size=5)),
    min_size=1, max_size=8))  # fmt: skip
def test_that_no_payload_however_odd_breaks_the_replay(events: list[tuple[str, Any]]) -> None:
    records = tuple(
        TraceRecord(event, payload, None, b"", Span(n, n, 1)) for n, (event, payload) in enumerate(events, start=1)
    )
    call = TraceCall(1, records)
    replayed = TraceReplay(call)
    for record in records:
        assert replayed.step() is record
    assert replayed.state == TraceReplay(call).run()
    summary = summarise(call)
    assert summary.path == replayed.state.path
    assert path_under(call, Profile()).sentence
    assert all(fault.sentence for fault in faults(call))
    assert all(message.id >= 0 for message in LoggedMessages(records))


@pytest.mark.rule("8.5")
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(session=b.sessions(turns=4, exchanges=4).filter(b.with_calls), profile=b.profiles())
def test_that_our_own_log_says_what_the_run_did(
    tmp_path_factory: pytest.TempPathFactory, session: Any, profile: Profile
) -> None:
    run = replay(session, profile)
    path = tmp_path_factory.mktemp("log") / "t.jsonl"
    append_log(path, [event for call in range(1, run.calls + 1) for event in run.loop(call).run()])
    calls = open_trace(path).turns[0].calls
    assert [summarise(call).path for call in calls] == list(run.paths)
    for number, call in enumerate(calls, start=1):
        frame, summary = run.frame(number), summarise(call)
        assert summary.history_tokens == frame.history_tokens
        assert summary.threshold_tokens == run.budget.threshold
        assert summary.budget.available == run.budget.available
        assert summary.message_count == frame.known
        if summary.path == "slow":
            assert summary.verdict is not None
            assert summary.verdict.tokens == frame.tokens
            assert path_under(call, profile).path == "slow" or frame.history_tokens < run.budget.threshold
        elif frame.history_tokens < run.budget.threshold:
            assert path_under(call, profile).path == "fast"


@pytest.mark.rule("8.5")
@pytest.mark.samples
def test_that_every_log_of_the_reference_implementation_replays_without_its_session(samples: Path) -> None:
    log = open_trace(samples / "raven" / "workspace" / "memory" / ".curator" / "traces")
    for _, call in log.calls:
        replayed = TraceReplay(call)
        while replayed.step() is not None:
            pass
        summary = summarise(call)
        assert replayed.state.path == summary.path
        assert summary.path in ("fast", "slow", "fail_safe")
        assert summary.history_tokens is not None
        assert summary.included is not None
        # Under its own thresholds the log's path is the one it took.
        own = make_profile(fast_path_threshold=0.6, timeout_s=600)
        assert path_under(call, own).path == summary.path
        assert path_under(call, make_profile(fast_path_threshold=0.0, timeout_s=600)).path != "fast"
