"""Situations by hand in which every answer of Why is checked against its own figures, the trace and the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ravenglass.curator.policies.planner import Planner
from ravenglass.profile import make_profile
from ravenglass.replay import SimulatedRun, branch, replay, rollback
from ravenglass.replay.asking.run import replay_asking
from ravenglass.replay.stepping.changes import Change, Compaction, HandChange, HandPlan
from ravenglass.sessions.model.session import Message
from tests.engine import builders as b
from tests.engine.curator.policies.pressure import busy_session, tight
from tests.engine.curator.test_tiny_windows import parallel
from tests.engine.replay.answers.contradictions import contradictions

SESSION = busy_session(20)


def steps(count: int) -> list[Message]:
    made = (
        (b.assistant(f"step {n}", b.call("Read", file_path=f"p{n}")), b.result(b.filler(200))) for n in range(count)
    )
    return [message for pair in made for message in pair]


def by_hand(*changes: Change) -> SimulatedRun:
    return branch(replay(SESSION, tight()), min(change.call for change in changes), changes=changes)


def rolled_back() -> SimulatedRun:
    run = replay(SESSION, tight())
    return rollback(run, run.snapshot(run.snapshots()[1]))


def with_an_image() -> SimulatedRun:
    session = b.session(b.user("first"), *steps(4), b.user("look", images=1), *steps(4), b.assistant("done"))
    return replay(session, make_profile(name="tiny", window=1_500, system_overhead=0))


SITUATIONS: dict[str, Callable[[], SimulatedRun]] = {
    "several slow paths": lambda: replay(SESSION, tight()),
    "pinned": lambda: by_hand(HandChange(8, "pin", 4)),
    "pinned and unpinned": lambda: by_hand(HandChange(8, "pin", 4), HandChange(14, "unpin", 4)),
    "protected": lambda: by_hand(HandChange(9, "protect", 6)),
    "archived": lambda: by_hand(HandChange(12, "archive", 4)),
    "retrieved": lambda: by_hand(HandChange(14, "retrieve", 4)),
    "archived and retrieved": lambda: by_hand(HandChange(10, "archive", 4), HandChange(15, "retrieve", 4)),
    "relevance": lambda: by_hand(HandChange(8, "relevance", 4, 1.0)),
    "compacted": lambda: by_hand(Compaction(10, 1_500)),
    "compacted twice": lambda: by_hand(Compaction(10, 1_500), Compaction(16, 900)),
    "planned by hand": lambda: by_hand(HandPlan(12, frozenset({0, 1, 2}))),
    "rolled back": rolled_back,
    "small quota": lambda: replay(SESSION, tight(quota_task=0.1, quota_session=0.6)),
    "borrowing": lambda: replay(SESSION, tight(quota_borrowing=True)),
    "eager": lambda: replay(SESSION, tight(eager_lifecycle=True)),
    "whole log": lambda: replay(SESSION, tight(pressure_basis="full_log")),
    "no trimming below": lambda: replay(SESSION, tight(trim_target=1.0)),
    "summaries": lambda: replay(SESSION, tight(summarize=True)),
    "tight": lambda: replay(SESSION, tight(window=1_100)),
    "calls left out": lambda: replay(b.session(*parallel(60)), make_profile(name="t", window=1_000, system_overhead=0)),
    "an image cut": with_an_image,
    "asked": lambda: replay_asking(SESSION, tight(), lambda _: Planner()),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_that_no_answer_of_why_contradicts_the_run(name: str) -> None:
    run = SITUATIONS[name]()
    for call in range(1, run.calls + 1):
        for message in range(run.rows(call)):
            assert contradictions(run, call, message) == []
