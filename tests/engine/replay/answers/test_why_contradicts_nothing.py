"""No answer of Why contradicts its own figures, the trace or the window. `make proofs` asks 50,000 times."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from ravenglass.presets import PRESETS, load
from ravenglass.replay import SimulatedRun, branch, replay
from ravenglass.sessions import open_session
from tests.engine.replay.answers.contradictions import contradictions
from tests.engine.replay.runs import any_runs, summary_runs, thorough
from tests.proofs import examples

RAN: Counter[str] = Counter()
PROOF = bool(os.environ.get("RAVENGLASS_PROOFS"))
DEMO = next((Path(__file__).parents[4] / "fixtures" / "demo").glob("*.jsonl"))
_CALLS, _MESSAGES = (90, 90) if PROOF else (12, 25)
"""Calls of the demo that are looked at, and messages of each, for every preset."""
_LONGEST = 60
"""Messages of a random run that are asked for at a call."""


def checked(run: SimulatedRun, asked: Iterator[tuple[int, int]]) -> None:
    for call, message in asked:
        RAN["answers of Why checked"] += 1
        assert contradictions(run, call, message) == []


def every(run: SimulatedRun) -> Iterator[tuple[int, int]]:
    for call in range(1, run.calls + 1):
        for message in range(min(run.rows(call), _LONGEST)):
            yield call, message


def some(run: SimulatedRun) -> Iterator[tuple[int, int]]:
    chosen = random.Random(7)
    for call in sorted(chosen.sample(range(1, run.calls + 1), min(run.calls, _CALLS))):
        for message in chosen.sample(range(run.rows(call)), min(run.rows(call), _MESSAGES)):
            yield call, message


@thorough
@given(any_runs())
def test_that_random_runs_with_changes_by_hand_are_explained_without_a_contradiction(run: SimulatedRun) -> None:
    checked(run, every(run))


@settings(thorough, max_examples=examples(20))
@given(summary_runs())
def test_that_runs_with_summaries_are_explained_without_a_contradiction(run: SimulatedRun) -> None:
    checked(run, every(run))


@pytest.mark.parametrize(
    "name",
    ["tight-32k", *(pytest.param(p.name, marks=pytest.mark.proof) for p in PRESETS if p.name != "tight-32k")],
)
def test_that_the_demo_is_explained_without_a_contradiction(name: str) -> None:
    run = replay(open_session(DEMO), load(name))
    checked(run, some(run))


@pytest.mark.proof
def test_that_a_branch_is_explained_by_the_figures_that_held_when_it_was_decided() -> None:
    origin = replay(open_session(DEMO), load("tight-32k"))
    at = origin.calls // 2
    made = branch(origin, at, profile=load("strict-quota").with_values(window=48_000, protect_first_n=1))
    for call in (at, at + 1, at + 5, made.calls):
        checked(made, ((call, message) for message in range(0, made.rows(call), 9)))
