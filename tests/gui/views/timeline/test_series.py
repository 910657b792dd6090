"""A run arranged for the timeline says exactly what the run says."""

from __future__ import annotations

from ravenglass.replay import Run, replay
from ravenglass.rules import TIERS
from ravenglass_gui.text.numbers import compact
from ravenglass_gui.views.timeline.series import LANES, series, summary


def test_that_the_stack_adds_up_to_the_tiers_of_the_run(run: Run) -> None:
    arranged = series(run)
    assert arranged.stack.shape == (len(TIERS), run.calls)
    below = [0] * run.calls
    for row, tier in zip(arranged.stack.tolist(), TIERS, strict=True):
        assert [top - bottom for top, bottom in zip(row, below, strict=True)] == list(run.tier_tokens[tier])
        below = row
    assert arranged.totals.tolist() == list(run.window_tokens)


def test_that_lanes_hold_the_runs_markers_and_empty_ones_are_left_out(run: Run) -> None:
    arranged, markers = series(run), run.markers() | {"regret": tuple(dict.fromkeys(r.call for r in run.regrets))}
    assert {lane.event: tuple(lane.calls) for lane in arranged.lanes} == {k: v for k, v in markers.items() if v}
    assert [lane.event for lane in arranged.lanes] == [event for event, _ in LANES if markers.get(event)]


def test_that_turns_begin_at_their_first_call(run: Run) -> None:
    assert series(run).turns.tolist() == [1, 11, 21, 31, 41, 51]


def test_that_the_limits_and_the_tallest_window_are_visible(run: Run) -> None:
    arranged = series(run)
    assert (arranged.available, arranged.threshold, arranged.target) == (21_000, 12_600, 9_450)
    assert arranged.top > max(*run.window_tokens, run.budget.available)


def test_that_a_call_is_described_by_its_own_numbers(run: Run) -> None:
    arranged = series(run)
    call = run.markers()["slow_path_accepted"][0]
    text = arranged.describe(call)
    assert text.startswith(f"call {call} · turn {run.session.structure.calls[call - 1].turn + 1} · slow path")
    assert "events  slow path" in text
    for tier in TIERS:
        assert f"{tier}  {compact(run.tier_tokens[tier][call - 1])}" in text.split("\n")


def test_that_a_run_that_counts_tokens_otherwise_is_no_outline(run: Run) -> None:
    alike, other = (replay(run.session, run.profile.with_values(**values)) for values in ({}, {"message_overhead": 50}))
    outline = series(run, alike).outline
    assert outline is not None
    assert outline.tolist() == list(alike.window_tokens)
    assert series(run, other).outline is None


def test_that_the_summary_counts_calls_and_slow_paths(run: Run) -> None:
    assert summary(run).startswith(f"simulated with tight-32k · 60 calls · {run.metrics.slow} slow paths")
