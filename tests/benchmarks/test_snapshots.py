"""Sizes of all snapshots of a run of 1,000 calls, and what writing one takes."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass.hub.snapshots.format import encode
from tests.engine.replay.long_runs import long_run, snapshot_sizes


@pytest.mark.parametrize("calls_a_task", [100, 1_000], ids=["ten tasks", "one task"])
def test_that_snapshots_of_a_thousand_calls_are_small(
    benchmark: BenchmarkFixture, figures: list[str], calls_a_task: int
) -> None:
    run = long_run(1_000, calls_a_task)
    last = next(taken for taken in reversed(run.snapshots()) if taken.kind == "difference")
    base = run.snapshot(next(taken for taken in run.snapshots() if taken.step == last.base))
    data = benchmark(lambda: encode(run.snapshot(last), base))
    sizes = snapshot_sizes(run)
    figures.append(f"snapshot {last.name}: {len(data):,} bytes; {sizes}")
    assert sizes.share < 0.2
