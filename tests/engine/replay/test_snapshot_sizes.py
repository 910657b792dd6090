from __future__ import annotations

import pytest

from tests.engine.replay.long_runs import long_run, snapshot_sizes


@pytest.mark.proof
@pytest.mark.rule("9.9")
@pytest.mark.parametrize("calls_a_task", [100, 1_000], ids=["ten tasks", "one task"])
def test_that_snapshots_of_a_thousand_calls_take_less_than_a_fifth_of_full_copies(calls_a_task: int) -> None:
    run = long_run(1_000, calls_a_task)
    assert run.calls == 1_000
    # Every tenth: they grow evenly, and all of them are measured by the benchmark.
    sizes = snapshot_sizes(run, every=10)
    print(sizes)
    assert len(run.snapshots_taken()) > 300
    assert sizes.snapshots > 30
    assert sizes.share < 0.2
    assert sizes.kept < sizes.taken
