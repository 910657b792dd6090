"""A later state of what is open: replayed once nothing else runs, and shown unless a branch is on screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from ravenglass.errors import RavenglassError
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.growing import Growing
from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.replaying import Replaying
from tests.gui.replayed import cut_off
from tests.gui.work.by_hand import HandWorker


@pytest.fixture
def worker() -> HandWorker:
    return HandWorker()


@pytest.fixture
def owner() -> QObject:
    return QObject()


@pytest.fixture
def growing(qtbot: QtBot, state: DebuggerState, run: SimulatedRun, worker: HandWorker, owner: QObject) -> Growing:
    """With the first half of the session on screen."""
    del qtbot
    earlier = replay(cut_off(run.session, len(run.session.messages) // 2), run.profile)
    state.set_session(earlier.session)
    state.set_profile(earlier.profile)
    state.set_run(earlier)
    replaying = Replaying(state, worker.as_worker, owner)
    made = Growing(state, replaying, lambda: replaying.busy, owner)
    replaying.ended.connect(replaying.go_on)
    replaying.ended.connect(made.go_on)
    return made


def kinds(worker: HandWorker) -> list[str]:
    return [job.kind for _, job in worker.asked]


@pytest.mark.parametrize("anew", [False, True])
def test_that_what_was_read_on_goes_on_from_the_run_and_what_was_written_anew_does_not(
    growing: Growing, state: DebuggerState, worker: HandWorker, session: Session, run: SimulatedRun, anew: bool
) -> None:
    before = state.simulated
    growing.show(Loaded(session, anew=anew))
    assert kinds(worker) == ["growing"]
    assert worker.job.base is (None if anew else before)
    worker.finish(run)
    assert state.run is run
    assert growing.later is None


def test_that_a_branch_stays_until_its_changes_are_undone(
    growing: Growing, state: DebuggerState, worker: HandWorker, session: Session
) -> None:
    state.add_change(HandChange(3, "pin", 1))
    worker.finish(replay(worker.job.session, worker.job.profile, worker.job.changes))
    branch = state.run
    growing.show(Loaded(session))
    assert kinds(worker) == ["replay"]
    assert state.run is branch
    state.undo_change()
    assert kinds(worker) == ["replay", "growing"]


def test_that_a_later_state_that_cannot_be_replayed_is_told_once(
    growing: Growing, state: DebuggerState, worker: HandWorker, session: Session
) -> None:
    shown = state.run
    told: list[object] = []
    growing.failed.connect(told.append)
    growing.show(Loaded(session))
    worker.fail(RavenglassError("no"))
    growing.go_on()
    assert kinds(worker) == ["growing"]
    assert (len(told), state.run) == (1, shown)
