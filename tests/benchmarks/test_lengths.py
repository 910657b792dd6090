"""How the time of a replay grows with the length of a session. 100,000 messages with RAVENGLASS_LONG=1 (minutes)."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.lengths import Figures, in_a_process
from tests.benchmarks.typical_session import write_typical

LENGTHS = (1_000, 10_000, 100_000) if os.environ.get("RAVENGLASS_LONG") else (1_000, 10_000)
_LEAST_COUNTING = 0.12
"""Share of a first replay that counting tokens takes at least: the rest is what is found out about a session."""


@pytest.mark.parametrize("preset", ["default", "tight-32k"])
def test_a_replay_after_a_change_grows_in_proportion_to_the_length(
    benchmark: BenchmarkFixture, figures: list[str], tmp_path: Path, preset: str
) -> None:
    found: dict[int, Figures] = {}
    for length in LENGTHS[:-1]:
        found[length] = in_a_process(write_typical(tmp_path / f"{length}.jsonl", length), preset)
    last = write_typical(tmp_path / "last.jsonl", LENGTHS[-1])
    found[LENGTHS[-1]] = benchmark.pedantic(in_a_process, (last, preset), rounds=1)
    for length, one in found.items():
        figures.append(
            f"{preset}, {length:,} messages: first replay {one['first']:,.0f} ms of CPU, of which counting"
            f" alone {one['counting']:,.0f} ({one['share']:.0%}), {one['first wall']:,.0f} ms by the clock, needs"
            f" {one['needs']:,.0f}, after a change"
            f" {one['change']:,.1f}, metrics {one['metrics']:,.0f}, a frame with its window {one['look']:.1f} (worst"
            f" {one['worst look']:.1f}), {one['slow paths']:,.0f} slow paths, peak {one['peak MB']:,.0f} MB"
        )
    growth = LENGTHS[-1] / LENGTHS[0]
    exponent = math.log(found[LENGTHS[-1]]["change"] / found[LENGTHS[0]]["change"], growth)
    figures.append(f"{preset}: time after a change grows with the length to the power of {exponent:.2f}")
    assert exponent < 1.15
    assert found[LENGTHS[-1]]["counting"] > _LEAST_COUNTING * found[LENGTHS[-1]]["first"]
