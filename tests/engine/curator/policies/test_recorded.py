"""The recorded policy: a log's answers given again, under the same and under other thresholds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ravenglass.curator.plan import BUILD_CONTEXT
from ravenglass.curator.policies.recorded import RecordedPolicy
from ravenglass.curator.policies.translate import translated
from ravenglass.errors import RavenglassError
from ravenglass.replay import Run, replay
from ravenglass.replay.stepper import ReplayLoop
from ravenglass.sessions import open_session
from ravenglass.traces import TraceCall, open_trace, write_log
from tests.engine import builders as b
from tests.engine.curator.policies.pressure import busy_run, busy_session, slow_call, tight
from tests.proofs import examples


@pytest.fixture(scope="module")
def run() -> Run:
    return busy_run()


def logged(run: Run, call: int, folder: Path, **policy: Any) -> TraceCall:
    """The log of one call, written and read again."""
    path = folder / "log.jsonl"
    write_log(path, run.loop(call, **policy).run())
    return open_trace(path).turns[0].calls[0]


def curate(run: Run, call: int, policy: RecordedPolicy) -> ReplayLoop:
    loop = run.loop(call, policy)
    loop.run()
    return loop


def conversation(call: TraceCall) -> list[Any]:
    """The curator's own events, without who answered."""
    names = ("curator_llm_response", "curator_tool_result", "slow_path_accepted")
    return [(r.event, r.payload) for r in call.records if r.event in names]


@pytest.mark.rule("6.17")
@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(session=b.sessions(turns=4, exchanges=4).filter(b.with_calls), profile=b.profiles())
def test_that_a_planners_log_gives_the_same_windows_again(
    tmp_path_factory: pytest.TempPathFactory, session: Any, profile: Any
) -> None:
    run = replay(session, profile)
    slow = [call for call, path in enumerate(run.paths, start=1) if path == "slow"]
    assume(slow)
    folder = tmp_path_factory.mktemp("log")
    for call in slow[:3]:
        before = run.loop(call)
        before.run()
        again = curate(run, call, RecordedPolicy.of(logged(run, call, folder)))
        assert again.conversation is not None
        assert again.conversation.reason == ""
        assert again.result == before.result


def test_that_the_conversation_is_repeated_event_by_event(run: Run, tmp_path: Path) -> None:
    call = slow_call(run)
    first = logged(run, call, tmp_path)
    second = logged(run, call, tmp_path, policy=RecordedPolicy.of(first))
    assert conversation(first) == conversation(second)
    assert len(conversation(first)) > 3


@pytest.mark.rule("6.17")
def test_that_the_answers_hold_under_other_thresholds(run: Run, tmp_path: Path) -> None:
    policy = RecordedPolicy.of(logged(run, slow_call(run), tmp_path))
    other = replay(busy_session(), tight(trim_target=0.3, weight_recency=0.0))
    loop = curate(other, slow_call(other), policy)
    assert loop.conversation is not None
    assert (loop.conversation.reason, loop.result.path) == ("", "slow")  # type: ignore[union-attr]


@pytest.mark.rule("6.17")
def test_that_unknown_messages_end_it_at_their_step(run: Run, tmp_path: Path) -> None:
    call = slow_call(run)
    policy = RecordedPolicy.of(logged(run, call, tmp_path))
    short = replay(busy_session(4), tight(window=1_500))
    loop = curate(short, slow_call(short), policy)
    assert loop.result is not None
    assert loop.result.path == "fail_safe"
    reason = loop.conversation.reason  # type: ignore[union-attr]
    assert reason.startswith("Step 2: curator_build_context names the messages ")
    assert "does not know; it knows 0 to" in reason
    assert any(e.event == "slow_path_exception" and e.payload["error"] == reason for e in loop.events)


def record(event: str, payload: object) -> str:
    return json.dumps({"ts": None, "event": event, "payload": payload})


def answer(step: int, tool: str, arguments: object, result: object) -> list[str]:
    call = {"name": tool, "arguments": arguments}
    return [
        record("curator_llm_request", {"step": step}),
        record("curator_llm_response", {"step": step, "content": "", "tool_calls": [call]}),
        record("curator_tool_result", {"step": step, "tool": tool, "arguments": arguments, "result": result}),
    ]


def hand_made(folder: Path, *lines: list[str]) -> RecordedPolicy:
    path = folder / "log.jsonl"
    path.write_text("\n".join(line for block in lines for line in block), encoding="utf-8")
    return RecordedPolicy.of(open_trace(path).turns[0].calls[0])


def on_standby(run: Run) -> int:
    call = slow_call(run)
    return next(m for m in range(5, run.rows(call - 1)) if run.state(call - 1, m).label == "standby")


@pytest.mark.rule("6.17")
def test_that_a_plan_rejected_now_ends_it_at_its_step(run: Run, tmp_path: Path) -> None:
    """It was accepted where archiving the message it includes was no contradiction."""
    message = on_standby(run)
    policy = hand_made(
        tmp_path,
        answer(1, "curator_archive_messages", {"message_ids": [message], "reason": "old"}, {"archived": 1}),
        answer(2, BUILD_CONTEXT, {"include_message_ids": [0, message]}, {"ok": True}),
    )
    loop = curate(run, slow_call(run), policy)
    assert loop.result is not None
    assert loop.result.path == "fail_safe"
    reason = loop.conversation.reason  # type: ignore[union-attr]
    assert reason.startswith("Step 2: the plan that was accepted when this was recorded is rejected now: message ")
    assert any(e.event == "plan_rejected" for e in loop.events)


def test_that_a_rejection_at_the_last_step_is_told_as_well(tmp_path: Path) -> None:
    run = busy_run(max_steps=2)
    message = on_standby(run)
    policy = hand_made(
        tmp_path,
        answer(1, "curator_archive_messages", {"message_ids": [message], "reason": "old"}, {"archived": 1}),
        answer(2, BUILD_CONTEXT, {"include_message_ids": [0, message]}, {"ok": True}),
    )
    loop = curate(run, slow_call(run), policy)
    reason = loop.conversation.reason  # type: ignore[union-attr]
    assert reason.startswith("no accepted plan after 2 steps; the last one: message ")


def test_that_a_plan_rejected_then_and_now_changes_nothing(run: Run, tmp_path: Path) -> None:
    policy = hand_made(
        tmp_path,
        answer(1, BUILD_CONTEXT, {"include_message_ids": [0, 9_999]}, {"error": "unknown ids"}),
        answer(2, BUILD_CONTEXT, {"include_message_ids": [0]}, {"ok": True}),
    )
    loop = curate(run, slow_call(run), policy)
    assert loop.result is not None
    assert loop.result.path == "slow"


def test_that_answers_without_a_plan_end_where_they_end(run: Run, tmp_path: Path) -> None:
    policy = hand_made(tmp_path, answer(1, "curator_read_memory", {}, {}))
    loop = curate(run, slow_call(run), policy)
    assert loop.conversation is not None
    assert loop.conversation.reason == "Step 2: the recorded answers end after step 1, without an accepted plan."


def test_that_a_plan_beyond_the_allowed_steps_is_told(tmp_path: Path) -> None:
    run = busy_run(max_steps=1)
    policy = hand_made(
        tmp_path,
        answer(1, "curator_read_memory", {}, {}),
        answer(2, BUILD_CONTEXT, {"include_message_ids": [0]}, {"ok": True}),
    )
    loop = curate(run, slow_call(run), policy)
    assert loop.conversation is not None
    assert loop.conversation.reason == "Step 1: the recorded plan comes at step 2, but this profile allows 1 steps."


def test_that_a_fast_path_has_no_answers_to_replay(run: Run, tmp_path: Path) -> None:
    with pytest.raises(RavenglassError, match="holds no answers"):
        RecordedPolicy.of(logged(run, 1, tmp_path))


def test_that_unreadable_arguments_become_the_tools_error(run: Run, tmp_path: Path) -> None:
    broken = {"step": 1, "tool_calls": [{"function": {"name": "curator_check_budget", "arguments": "{"}}]}
    policy = hand_made(
        tmp_path,
        [record("curator_llm_response", broken)],
        answer(2, BUILD_CONTEXT, {"include_message_ids": [0]}, {"ok": True}),
    )
    loop = curate(run, slow_call(run), policy)
    assert loop.result is not None
    assert loop.result.path == "slow"
    told = next(e.payload["result"] for e in loop.events if e.event == "curator_tool_result")
    assert told == {"error": "the log holds no readable arguments of curator_check_budget"}


@pytest.mark.parametrize(
    ("tool", "theirs", "result", "ours"),
    [
        ("curator_search_history", {"query": "x", "top_k": 6}, {}, [{"query": "x", "limit": 6}]),
        ("curator_check_budget", {"include_message_ids": [1]}, {}, [{"message_ids": [1]}]),
        ("curator_archive_messages", {"message_ids": [1], "reason": "r", "tags": ["t"], "summary": "s"}, {},
         [{"message_ids": [1], "reason": "r"}]),
        ("curator_retrieve_archived", {"archive_refs": ["a#1-2"], "mode": "exact"}, {},
         [{"refs": ["a#1-2"], "mode": "exact"}]),
        ("curator_read_memory", {"sections": ["x"]}, {}, [{}]),
        ("curator_set_relevance",
         {"updates": [{"message_id": 0, "relevance": 1, "tags": []}, {"message_id": 2, "relevance": 1.0},
                      {"message_id": 3, "relevance": 0.5}, {"message_id": 9, "relevance": 0.5}]},
         {"rejected": [{"message_id": 9}]},
         [{"message_ids": [0, 2], "relevance": 1.0}, {"message_ids": [3], "relevance": 0.5}]),
        ("curator_build_context",
         {"include_message_ids": [0], "include_archive_refs": [], "memory_sections": [], "drop_message_ids": [],
          "working_state_injection": "Goal: x", "notes": "n"}, {},
         [{"include_message_ids": [0], "working_state_injection": True, "notes": "n"}]),
        ("curator_build_context", {"include_message_ids": [0], "working_state_injection": None}, {},
         [{"include_message_ids": [0], "working_state_injection": False}]),
        ("no_such_tool", {"a": 1}, {}, [{"a": 1}]),
    ],
)  # fmt: skip
def test_that_calls_of_the_reference_implementation_are_translated(
    tool: str, theirs: Any, result: Any, ours: list[Any]
) -> None:
    assert list(translated(tool, theirs, result)) == ours


_VALUES = st.none() | st.integers() | st.text()


@given(
    st.sampled_from(("curator_set_relevance", "curator_build_context", "curator_archive_messages", "x")),
    st.dictionaries(
        st.sampled_from(("updates", "message_ids", "working_state_injection", "x")),
        st.none()
        | st.integers()
        | st.text()
        | st.lists(st.none() | st.integers() | st.dictionaries(st.text(), st.text())),
    ),
)
def test_that_translating_never_fails(tool: str, arguments: Any) -> None:
    for made in translated(tool, arguments, {}):
        assert isinstance(made, dict)


@pytest.mark.samples
def test_that_recorded_sessions_of_the_reference_implementation_replay_under_this_engine(samples: Path) -> None:
    root = samples / "raven" / "workspace"
    session = open_session(root / "sessions" / "cli" / "20260724_090000_ab12cd.jsonl")
    log = open_trace(root / "memory" / ".curator" / "traces" / "cli_20260724_090000_ab12cd")
    accepted = [call for turn in log.turns for call in turn.calls if call.first("slow_path_accepted")]
    assert accepted
    run = replay(session, tight(window=24_000, fast_path_threshold=0.0))
    for call in accepted:
        count = call.records[0].payload["message_count"]
        here = next(c.number for c in session.structure.calls if c.message > count)  # type: ignore[operator]
        loop = curate(run, here, RecordedPolicy.of(call))
        assert loop.conversation is not None
        assert (loop.conversation.reason, loop.result.path) == ("", "slow")  # type: ignore[union-attr]
        wanted = call.first("slow_path_accepted").payload["plan"]["include_message_ids"]  # type: ignore[index, union-attr]
        group_of = session.structure.group_of
        assert {group_of[m] for m in wanted} <= set(loop.result.assembled.placed)  # type: ignore[union-attr]
