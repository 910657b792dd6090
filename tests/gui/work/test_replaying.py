"""What is replayed while a person drags, opens, cancels; and what is shown of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject

from ravenglass.errors import RavenglassError
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.bulk import RunPart
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replaying import Replaying
from tests.gui.work.by_hand import HandWorker


@pytest.fixture
def worker() -> HandWorker:
    return HandWorker()


@pytest.fixture
def owner() -> QObject:
    return QObject()


@pytest.fixture
def replaying(loaded: DebuggerState, worker: HandWorker, owner: QObject) -> Replaying:
    """With the session and its run on screen."""
    made = Replaying(loaded, worker.as_worker, owner)
    made.ended.connect(made.go_on)
    return made


def slide(state: DebuggerState, value: float) -> None:
    state.set_profile(state.profile.with_values(trim_target=value))


def run_of(worker: HandWorker) -> SimulatedRun:
    """The run of what was asked for last."""
    return replay(worker.job.session, worker.job.profile, worker.job.changes)


def targets(worker: HandWorker) -> list[float]:
    return [job.profile.trim_target for _, job in worker.asked]


def test_that_a_drag_shows_short_runs_on_its_way(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    now = [0.0]
    replaying.lane._clock = lambda: now[0]
    slide(loaded, 0.3)
    slide(loaded, 0.4)
    now[0] = 0.2
    assert replaying.lane.progressed(worker.asked[-1][0])
    worker.finish(run_of(worker))
    assert loaded.run is not None
    assert loaded.run.profile.trim_target == 0.3
    assert targets(worker) == [0.3, 0.4]


def test_that_a_drag_drops_a_run_that_takes_half_a_second(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    now = [0.0]
    replaying.lane._clock = lambda: now[0]
    shown = loaded.run
    slide(loaded, 0.3)
    slide(loaded, 0.4)
    now[0] = 0.5
    replaying.lane.progressed(worker.asked[-1][0])
    worker.finish(run_of(worker))
    assert loaded.run is shown
    assert targets(worker) == [0.3, 0.4]


def test_that_what_was_finished_after_it_was_cancelled_is_not_shown(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    shown, profile = loaded.run, loaded.profile
    slide(loaded, 0.3)
    late = run_of(worker)
    replaying.cancel()
    worker.finish(late)
    assert (loaded.run, loaded.profile) == (shown, profile)
    assert targets(worker) == [0.3], "to take the wish back asks for nothing"


def test_that_a_slider_that_came_back_shows_nothing_of_where_it_had_been(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    shown, before = loaded.run, loaded.profile.trim_target
    slide(loaded, 0.3)
    slide(loaded, before)
    worker.finish(run_of(worker))
    assert loaded.run is shown
    assert not replaying.busy


def test_that_the_run_of_the_session_before_is_not_shown(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker, session: Session
) -> None:
    slide(loaded, 0.3)
    run = run_of(worker)
    loaded.set_session(replace(session, id="another"))
    worker.finish(run)
    assert loaded.run is None


def test_that_a_session_that_was_left_is_not_replayed(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker, session: Session
) -> None:
    slide(loaded, 0.3)
    slide(loaded, 0.4)
    loaded.set_session(replace(session, id="another"))
    worker.cancelled.emit(worker.asked[-1][0])
    assert targets(worker) == [0.3]
    assert not replaying.busy


def test_that_a_replay_that_failed_leaves_the_newer_wish_in_force(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    slide(loaded, 0.3)
    slide(loaded, 0.4)
    worker.fail(RavenglassError("no"))
    assert loaded.profile.trim_target == 0.4
    assert targets(worker) == [0.3, 0.4]
    worker.finish(run_of(worker))
    assert loaded.run is not None
    assert loaded.run.profile.trim_target == 0.4


def test_that_a_replay_that_failed_alone_gives_back_what_is_on_screen(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    shown, profile = loaded.run, loaded.profile
    slide(loaded, 0.3)
    worker.fail(RavenglassError("no"))
    assert (loaded.run, loaded.profile) == (shown, profile)
    assert targets(worker) == [0.3]
    assert not replaying.busy


def test_that_taking_back_a_change_and_a_slider_asks_for_nothing_on_the_way(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    shown, profile = loaded.run, loaded.profile
    loaded.add_change(HandChange(3, "pin", 1))
    slide(loaded, 0.3)
    worker.cancelled.emit(worker.asked[-1][0])
    assert (worker.job.changes, worker.job.profile.trim_target) == (loaded.changes, 0.3)
    asked = len(worker.asked)
    worker.fail(RavenglassError("no"))
    assert (loaded.run, loaded.profile, loaded.changes) == (shown, profile, ())
    assert len(worker.asked) == asked
    assert not replaying.busy


def part_of(run: SimulatedRun, calls: int) -> RunPart:
    return RunPart(calls, run.budget, {tier: tokens[:calls] for tier, tokens in run.tier_tokens.items()})


def test_that_a_part_is_there_until_its_run_is_done(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker
) -> None:
    del replaying
    shown = loaded.run
    slide(loaded, 0.3)
    made = run_of(worker)
    worker.came.emit(worker.asked[-1][0], part_of(made, 20))
    assert loaded.part is not None
    assert (loaded.part.calls, loaded.run) == (20, shown), "panels stay with the run before"
    worker.finish(made)
    assert loaded.part is None
    assert loaded.run is made


@pytest.mark.parametrize("end", ["fail", "cancel", "waiting", "another"])
def test_that_a_part_of_what_is_not_wanted_any_more_is_not_shown(
    loaded: DebuggerState, replaying: Replaying, worker: HandWorker, end: str
) -> None:
    slide(loaded, 0.3)
    ticket, part = worker.asked[-1][0], part_of(run_of(worker), 20)
    if end in ("fail", "cancel"):
        worker.came.emit(ticket, part)
        assert loaded.part is part
        if end == "fail":
            worker.fail(RavenglassError("no"))
        else:
            replaying.cancel()
            worker.cancelled.emit(ticket)
    elif end == "waiting":
        slide(loaded, 0.4)
        worker.came.emit(ticket, part)
    else:
        worker.came.emit(ticket + 1, part)
    assert loaded.part is None
