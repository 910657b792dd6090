"""One slow path beside one trim of the reference implementation's kind, on the same session and budget.

The reference drops the least relevant single message until the history fits, and counts the whole history again after
every drop (engine.md, section 6). Written anew from that description.
"""

from __future__ import annotations

import time
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass.presets import preset
from ravenglass.replay.bulk import run_log
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import stepper_before
from ravenglass.sessions import open_session
from ravenglass.tokens.encodings import load
from tests.benchmarks.timing import stats_of
from tests.benchmarks.typical_session import write_typical

MESSAGES = 600


def _trimmed(texts: list[str], relevance: list[float], protected: int, last: int, budget: int) -> list[int]:
    encode = load("o200k_base").encode_ordinary
    kept = list(range(len(texts)))
    while sum(len(encode(texts[m])) for m in kept) > budget:
        droppable = [m for m in kept[protected:] if m < len(texts) - last]
        if not droppable:
            break
        kept.remove(min(droppable, key=lambda m: (relevance[m], m)))
    return kept


def test_one_slow_path_beside_one_trim(benchmark: BenchmarkFixture, figures: list[str], tmp_path: Path) -> None:
    session = open_session(write_typical(tmp_path / "typical.jsonl", MESSAGES))
    inputs = Inputs.gather(session, preset("tight-32k").profile())
    log = run_log(inputs)
    call = max(number for number, path in enumerate(log.paths, start=1) if path == "slow")
    stepper = stepper_before(inputs, log, call)
    view = stepper.intake(call)
    decision, _ = stepper.decide(view)
    benchmark(stepper.decide, view)
    ours = stats_of(benchmark).median
    boundary = inputs.features.boundary(call)
    texts = [message.text for message in session.messages[:boundary]]
    relevance = [decision.scores.relevance[session.structure.group_of[m]] for m in range(boundary)]
    _trimmed(texts[:3], relevance[:3], 0, 0, 1)
    begun = time.perf_counter()
    kept = _trimmed(texts, relevance, 6, 16, inputs.budget.available)
    theirs = time.perf_counter() - begun
    figures.append(
        f"{boundary} messages: a slow path {ours * 1e3:.2f} ms, a trim with {boundary - len(kept)} drops"
        f" {theirs:.1f} s: {theirs / ours:,.0f} times faster"
    )
    assert theirs / ours > 5_000
