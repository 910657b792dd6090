"""How long opening, replaying and looking take. Prints figures; asserts only ratios taken in one run."""

from __future__ import annotations

import time
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass.presets import preset
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.sessions import open_session
from tests.benchmarks.timing import stats_of


def test_opening(benchmark: BenchmarkFixture, recording: Path) -> None:
    session = benchmark(open_session, recording)
    assert session.messages


def test_first_replay_with_counting(benchmark: BenchmarkFixture, recording: Path) -> None:
    benchmark.pedantic(replay, setup=lambda: ((open_session(recording), Profile()), {}), rounds=5, warmup_rounds=1)


def test_replay_after_one_slider_change(benchmark: BenchmarkFixture, recording: Path, figures: list[str]) -> None:
    session = open_session(recording)
    begun = time.perf_counter()
    replay(session, Profile())
    first = time.perf_counter() - begun
    targets = iter(range(10_000))

    def changed() -> None:
        replay(session, Profile(trim_target=0.30 + next(targets) % 40 / 100))

    benchmark(changed)
    again = stats_of(benchmark).median
    figures.append(f"{recording.name[:30]}: first replay {first * 1e3:.0f} ms, after a change {again * 1e3:.1f} ms")
    # What does not depend on the threshold (counts, entities) is never made again.
    assert again < first / 3


def test_random_access_to_frames_and_windows(benchmark: BenchmarkFixture, recording: Path) -> None:
    session = open_session(recording)
    run = replay(session, preset("tight-32k").profile())
    calls = iter(range(10_000_000))

    def look() -> None:
        call = next(calls) * 37 % run.calls + 1
        run.frame(call)
        run.window(call)

    benchmark(look)


def test_trace_of_one_call(benchmark: BenchmarkFixture, recording: Path) -> None:
    run = replay(open_session(recording), preset("tight-32k").profile())
    calls = iter(range(10_000_000))
    benchmark(lambda: run.events(next(calls) * 37 % run.calls + 1))
