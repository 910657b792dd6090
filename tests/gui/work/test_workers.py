"""What a replay goes on from: the run before further changes, and only where the order of the changes stays; what is
there when a run is handed over."""

from __future__ import annotations

import pytest

from ravenglass.replay import HandChange, SimulatedRun, bulk, replay
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.stepping.changes import Change
from ravenglass_gui.work import workers
from ravenglass_gui.work.workers import Job, ReplayWorker


def made(job: Job) -> SimulatedRun:
    """The run that a worker makes of a job."""
    worker = ReplayWorker(None)
    found: list[object] = []
    worker.finished.connect(lambda _, run, __: found.append(run))
    worker.failed.connect(lambda _, error: found.append(error))
    worker.wanted = 1
    worker.run(1, job)
    (run,) = found
    assert isinstance(run, SimulatedRun), run
    return run


def same(one: SimulatedRun, other: SimulatedRun) -> None:
    assert one.changes == other.changes
    assert [one.window(n) for n in range(1, one.calls + 1)] == [other.window(n) for n in range(1, other.calls + 1)]


def test_that_changes_at_one_call_keep_their_order(run: SimulatedRun) -> None:
    pin, unpin = HandChange(20, "pin", 3), HandChange(20, "unpin", 3)
    base = replay(run.session, run.profile, (unpin,))
    changes: tuple[Change, ...] = (pin, unpin)
    same(made(Job(run.session, run.profile, changes, base)), replay(run.session, run.profile, changes))


def test_that_a_branch_begins_at_the_first_of_its_changes(run: SimulatedRun) -> None:
    changes: tuple[Change, ...] = (HandChange(20, "pin", 3), HandChange(40, "pin", 6))
    same(made(Job(run.session, run.profile, changes, run)), replay(run.session, run.profile, changes))


def test_that_needs_were_looked_for_before_a_run_is_handed_over(
    run: SimulatedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = (HandChange(20, "pin", 3),)
    handed = [
        made(Job(run.session, run.profile, ())),
        made(Job(run.session, run.profile, changes)),
        made(Job(run.session, run.profile, changes, run)),
        made(Job(run.session, run.profile, (), run, "growing")),
    ]

    def look(*_: object) -> None:
        pytest.fail("looked for in the thread of the window")

    monkeypatch.setattr(AtRisk, "look", look)
    assert [(len(one.regrets), one.metrics.calls) for one in handed] == [(0, run.calls)] * len(handed)


def test_that_a_replay_tells_what_is_there_of_it_before_it_is_done(
    run: SimulatedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_REPORT", 8)
    monkeypatch.setattr(workers, "FIRST_PART_S", 0.0)
    monkeypatch.setattr(workers, "NEXT_PART_S", 0.0)
    worker, told = ReplayWorker(None), list[object]()
    worker.came.connect(lambda ticket, part: told.append((ticket, part.calls)))
    worker.finished.connect(lambda ticket, *_: told.append(ticket))
    worker.wanted = 7
    worker.run(7, Job(run.session, run.profile, ()))
    assert told == [*((7, calls) for calls in range(8, run.calls + 1, 8)), (7, run.calls), 7]


def test_that_a_short_replay_is_told_whole_and_one_that_is_not_wanted_not_at_all(
    run: SimulatedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_REPORT", 8)
    monkeypatch.setattr(workers, "FIRST_PART_S", 3_600.0)
    worker, told = ReplayWorker(None), list[int]()
    worker.came.connect(lambda _, part: told.append(part.calls))
    worker.wanted = 7
    worker.run(7, Job(run.session, run.profile, ()))
    monkeypatch.setattr(workers, "FIRST_PART_S", 0.0)
    worker.run(6, Job(run.session, run.profile, ()))
    assert told == [run.calls]
