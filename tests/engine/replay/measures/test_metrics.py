from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from ravenglass.replay import HandChange, SimulatedRun
from ravenglass.replay import replay as run_replay
from ravenglass.replay.measures.lifetime import remembered
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain


@thorough
@given(any_runs())
def test_that_the_figures_are_sums_over_the_calls(run: SimulatedRun) -> None:
    m, calls = run.metrics, range(1, run.calls + 1)
    windows = [run.window(c) for c in calls]
    assert (m.calls, m.fast + m.slow + m.fail_safe) == (run.calls, run.calls)
    assert m.slow == sum(w.path == "slow" for w in windows)
    assert m.peak_tokens == max(w.tokens for w in windows)
    assert m.mean_tokens == pytest.approx(sum(w.tokens for w in windows) / run.calls)
    assert m.evictions == sum(run.frame(c).evicted for c in calls)
    assert m.archived == sum(run.frame(c).archived for c in calls)
    assert m.cache_breaks == sum(bool(run.frame(c).cache_break) for c in calls)
    assert m.impossible == sum(w.impossible for w in windows)
    assert m.over_budget == 0
    assert 0 <= m.cache_hit <= 1
    assert m.regrets == len(run.regrets)
    assert m.recall is None or 0 <= m.recall <= 1


@thorough
@given(any_runs())
def test_that_what_leaves_and_enters_accounts_for_the_number_in_the_window(run: SimulatedRun) -> None:
    before: set[int] = set()
    for number in range(1, run.calls + 1):
        now = {m for m in range(run.rows(number)) if run.in_window(number, m)}
        assert run.frame(number).evicted == len(before - now)
        before = now


@thorough
@given(any_runs())
def test_that_the_cost_lies_between_all_cached_and_nothing_cached(run: SimulatedRun) -> None:
    sent = sum(run.window_tokens) + run.calls * run.budget.system
    p = run.profile
    assert sent * p.price_cached - 1e-9 <= run.metrics.cost * 1_000_000 <= sent * p.price_input + 1e-9


def _session(gaps: list[float]) -> Session:
    """A prompt of 100 tokens and three exchanges of 210; responses are `gaps` seconds apart."""
    messages = [user(filler(100))]
    for number in range(3):
        messages += [assistant(filler(10), call("", raw="")), result(f"{number} {filler(199)}")]
    built = session(*messages, assistant("end"))
    at = 1_767_225_600.0
    timed: list[Message] = []
    for message in built.messages:
        if message.role == "assistant" and message.id > 1:
            at += gaps.pop(0)
        timed.append(replace(message, ts=at))
    return replace(built, messages=tuple(timed))


def _run(gaps: list[float], *changes: HandChange, **more: object) -> SimulatedRun:
    profile = plain(100_000, system_overhead=1_000, **{"price_input": 2.0, "price_cached": 0.5, **more})
    return run_replay(_session(gaps), profile, changes)


def test_that_the_cost_of_a_small_run_is_what_a_person_computes() -> None:
    run = _run([10, 10, 10])
    assert list(run.window_tokens) == [100, 310, 520, 730]
    # Call 1 pays everything; after that the last window and the system overhead come from the cache.
    fresh = (100 + 1_000) + 210 + 210 + 210
    cached = (100 + 1_000) + (310 + 1_000) + (520 + 1_000)
    assert run.metrics.cost == pytest.approx((fresh * 2.0 + cached * 0.5) / 1_000_000)
    assert run.metrics.cache_hit == pytest.approx((100 + 310 + 520) / (100 + 310 + 520 + 730))


def test_that_a_pause_longer_than_the_lifetime_pays_for_everything_again() -> None:
    run = _run([10, 301, 10])
    fresh = 1_100 + 210 + (520 + 1_000) + 210
    cached = 1_100 + 0 + 1_520
    assert run.metrics.cost == pytest.approx((fresh * 2.0 + cached * 0.5) / 1_000_000)
    assert [run.frame(c).cache_hit for c in (2, 3, 4)] == pytest.approx([100 / 310, 0, 520 / 730])


@pytest.mark.parametrize(("lifetime", "hit"), [(300, 0.0), (301, 310 / 520), (3_600, 310 / 520)])
def test_that_the_lifetime_is_a_field_of_the_profile(lifetime: int, hit: float) -> None:
    run = _run([10, 301, 10], cache_ttl_s=lifetime)
    assert remembered(run.inputs, 3) == (hit > 0)
    assert run.frame(3).cache_hit == pytest.approx(hit)


def test_that_unknown_times_count_as_no_pause() -> None:
    built = session(user("a"), assistant("b"), user("c"), assistant("d"), seconds_apart=None)
    assert run_replay(built, plain()).metrics.cache_hit > 0


def test_that_a_break_at_the_very_start_after_a_pause_pays_for_the_overhead_again() -> None:
    messages = [
        user("start"),
        assistant("", call("Bash", command="make")),
        result(filler(300)),
        user("next"),
        assistant("x"),
    ]
    built = session(*messages, user("and"), assistant("end"), seconds_apart=1_000)
    profile = plain(100_000, system_overhead=500, price_input=1.0, price_cached=0.0)
    run = run_replay(built, profile, [HandChange(3, "archive", 0)])
    assert run._log.prefix[2] == 0
    sent = sum(run.window_tokens) + 3 * 500
    assert run.metrics.cost == pytest.approx(sent / 1_000_000)


def test_that_calls_past_the_context_rot_line_are_counted() -> None:
    built = session(user(filler(1_500)), assistant("a"), user("b"), assistant("c"))
    assert run_replay(built, plain(rot_tokens=1_500)).metrics.rot_calls == 1
