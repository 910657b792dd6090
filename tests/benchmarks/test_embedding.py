"""What a window costs inside a running agent, when 600 messages came before it, and when 1,000 or 10,000 did."""

from __future__ import annotations

import random
import resource
import time
from itertools import count
from pathlib import Path
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass import Engine, Profile
from tests.benchmarks.timing import stats_of
from tests.engine.embed.conversations import answers, asks, said

MESSAGES = 600
_WORDS = (
    "def", "return", "self", "handle_request", "parse_args", "src/auth.py", "KeyError", "quota", "修改", "login",
)  # fmt: skip


def text(dice: random.Random) -> str:
    return " ".join(dice.choices(_WORDS, k=dice.randint(50, 900)))


@pytest.mark.parametrize("window", [16_000, 128_000])
@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "disk"])
def test_a_window_after_600_messages(benchmark: BenchmarkFixture, tmp_path: Path, window: int, on_disk: bool) -> None:
    dice, numbers = random.Random(1), count()
    with Engine(Profile().with_values(window=window), tmp_path if on_disk else None, session_key="a:b") as engine:
        engine.observe(said("user", "Fix the login. Never edit files under migrations/."))

        def another_group() -> None:
            n = next(numbers)
            engine.record_response(asks(f"c{n}", file_path=f"src/f{n % 50}.py"))
            engine.observe(answers(f"c{n}", text(dice)))

        while len(engine._conversation) < MESSAGES:
            another_group()
        engine.window()
        # Every round asks for a window over one more group: nothing of it is remembered from the round before.
        benchmark.pedantic(engine.window, setup=another_group, rounds=30)
        found, stats = engine.run().metrics, stats_of(benchmark)
    where = "on disk" if on_disk else "in memory"
    print(f"\nW = {window:,}, {where}: mean {stats.mean * 1000:.1f} ms a window, longest {stats.max * 1000:.1f} ms;")
    print(f"{found.slow} slow paths in {found.calls} calls")


ROUNDS = 40
_MOST_MS = 5.0
"""A window at 10,000 messages, in CPU time."""
_MOST_RATIO = 2.0
"""To one at 1,000: what a window costs is in the window, not in what came before."""


def spent_on_windows(messages: int) -> tuple[float, float, float, float]:
    """Milliseconds of CPU: the first window after so many messages that were only observed; the median and the longest
    of those after it; and the median of everything else that a call needs, `observe` and `record_response`."""
    dice = random.Random(1)
    words = [f"{dice.choice('abcdef')}{dice.randrange(10**4):x}" for _ in range(2_000)]

    def words_of(role: str) -> dict[str, object]:
        return said(role, " ".join(dice.choices(words, k=60)))

    with Engine(session_key="a:b") as engine:
        for n in range(messages):
            engine.observe(words_of("assistant" if n % 2 else "user"))
        begun = time.process_time()
        engine.window()
        first = time.process_time() - begun
        windows, others = [], []
        for _ in range(ROUNDS):
            asked, answer = words_of("user"), words_of("assistant")
            times = [time.process_time()]
            for step in (lambda: engine.observe(asked), engine.window, lambda: engine.record_response(answer)):  # noqa: B023
                step()
                times.append(time.process_time())
            windows.append(times[2] - times[1])
            others.append(times[3] - times[2] + times[1] - times[0])
    return first * 1e3, median(windows) * 1e3, max(windows) * 1e3, median(others) * 1e3


def test_a_window_at_1_000_and_at_10_000_messages(benchmark: BenchmarkFixture, figures: list[str]) -> None:
    found: dict[int, tuple[float, float, float, float]] = {}
    for messages in (1_000, 10_000):
        found[messages] = (
            spent_on_windows(messages)
            if messages < 10_000
            else benchmark.pedantic(spent_on_windows, (messages,), rounds=1)
        )
        first, window, longest, others = found[messages]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures.append(
            f"{messages:,} messages: {window:.2f} ms of CPU a window (longest {longest:.1f}), {others:.2f} for what it"
            f" is about; the first one, with all that was only observed, {first:,.0f}; peak {peak:,.0f} MB"
        )
    ratio = found[10_000][1] / found[1_000][1]
    figures.append(f"a window at 10,000 messages to one at 1,000: {ratio:.2f}")
    assert found[10_000][1] < _MOST_MS
    assert ratio < _MOST_RATIO
