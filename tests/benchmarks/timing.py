"""What a benchmark measured, as a value that is there."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture
from pytest_benchmark.stats import Stats


def stats_of(benchmark: BenchmarkFixture) -> Stats:
    """The figures of a benchmark that has run, in seconds."""
    assert benchmark.stats is not None
    found = benchmark.stats.stats
    assert isinstance(found, Stats)
    return found
