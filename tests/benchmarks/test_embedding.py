"""What a window costs inside a running agent, when 600 messages came before it."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

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
