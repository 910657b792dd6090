from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.item import State
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.measures.importance import importance
from ravenglass.trace import TraceEvent
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.replay.runs import any_runs, thorough

LOGIN = [assistant("", call("Read", file_path="src/login.py")), result("login_quota login_cache login_user")]
TALK = session(
    user("login_quota login_cache login_user src/login.py"),
    *LOGIN * 6,
    assistant("login_quota is fixed."),
    user("invoice_totals release_notes src/billing.py"),
    assistant("", call("Grep", pattern="invoice_totals release_notes src/billing.py")),
    result("nothing"),
    assistant("Not here."),
    user("go on"),
    assistant("Yes."),
)


def drops(run: SimulatedRun) -> dict[int, TraceEvent]:
    return {c: e for c in range(1, run.calls + 1) for e in run.events(c) if e.event == "diagnosis"}


@pytest.mark.rule("9.8")
def test_that_a_fall_of_the_mean_score_offers_the_latest_snapshot() -> None:
    run = replay(TALK)
    found = drops(run)
    assert list(found) == [8]
    payload = found[8].payload
    values = [importance(run.inputs, run._log, c) for c in range(3, 9)]
    assert payload["mean_before"] == pytest.approx(sum(values[:5]) / 5, abs=1e-4)
    assert payload["mean_score"] == pytest.approx(values[5], abs=1e-4)
    assert values[5] < 0.65 * sum(values[:5]) / 5
    latest = run.snapshots(7)[-1]
    assert payload["offer"] == {"rollback": latest.name, "step": latest.step}
    assert (payload["calls"], payload["limit"], payload["rule"]) == (5, 0.35, "importance_drop")


def test_that_how_far_and_from_where_it_may_fall_is_in_the_profile() -> None:
    run = replay(TALK)
    assert drops(replay(TALK, run.profile.with_values(rollback_drop=0.95))) == {}
    assert drops(replay(TALK, run.profile.with_values(rollback_calls=10))) == {}
    assert list(drops(replay(TALK, run.profile.with_values(rollback_calls=2)))) == [8]


def test_that_a_fall_is_told_once() -> None:
    run = replay(TALK)
    values = {c: importance(run.inputs, run._log, c) for c in range(1, 11)}
    fell = [c for c in range(6, 11) if values[c] < 0.65 * sum(values[k] for k in range(c - 5, c)) / 5]
    assert fell == [8, 10]
    assert list(drops(run)) == [8]


@pytest.mark.rule("9.8")
@thorough
@given(any_runs(), st.data())
def test_that_importance_is_the_mean_score_of_what_the_manifest_calls_active(
    run: SimulatedRun, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, run.calls))
    rows = {row.group: row for row in (run.row(number, m) for m in range(run.rows(number)))}
    active = [row.score for row in rows.values() if row.state is State.ACTIVE]
    expected = sum(active) / len(active) if active else 0.0
    assert importance(run.inputs, run._log, number) == pytest.approx(expected)
    assert importance(run.inputs, run._log, number) == run._log.importance[number]
