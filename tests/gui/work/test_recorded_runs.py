"""The recorded run of what is on screen: made once, and again only where that makes a difference."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Signal

from ravenglass.errors import RavenglassError
from ravenglass.replay import replay
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.recorded_runs import RecordedRuns
from ravenglass_gui.work.replaying import Replaying
from tests.gui.work.by_hand import HandWorker


class Settling(QObject):
    settled = Signal()


@pytest.fixture
def worker() -> HandWorker:
    return HandWorker()


@pytest.fixture
def owner() -> Settling:
    return Settling()


@pytest.fixture
def recorded(state: DebuggerState, session: Session, worker: HandWorker, owner: Settling) -> RecordedRuns:
    """Before anything is open."""
    replaying = Replaying(state, worker.as_worker, owner)
    replaying.ended.connect(replaying.go_on)
    return RecordedRuns(state, replaying, lambda: replaying.busy, owner.settled, owner)


def show(state: DebuggerState, session: Session, worker: HandWorker) -> Session:
    """Open a copy of a session of which no recorded run is kept, and its replay. Returns the copy."""
    copy = replace(session, derived={})
    state.set_session(copy)
    state.set_run(replay(copy, state.profile))
    assert [job.kind for _, job in worker.asked][-1:] == ["recorded"]
    return copy


def test_that_a_recorded_run_that_could_not_be_made_is_not_asked_for_again(
    recorded: RecordedRuns, state: DebuggerState, session: Session, worker: HandWorker, owner: Settling
) -> None:
    show(state, session, worker)
    worker.fail(RavenglassError("the record has no end"))
    for _ in range(3):
        owner.settled.emit()
    assert len(worker.asked) == 1
    assert recorded.missing == "The recorded run could not be made: the record has no end"


def test_that_the_recorded_run_that_is_looked_at_has_the_prices_of_now(
    recorded: RecordedRuns, state: DebuggerState, session: Session, worker: HandWorker
) -> None:
    copy = show(state, session, worker)
    worker.finish(recorded_run(copy, state.profile))
    assert not recorded.making
    profile = state.profile.with_values(price_input=99)
    state.set_profile(profile)
    worker.cancelled.emit(worker.asked[-1][0])
    asked = len(worker.asked)
    state.show_recorded(True)
    assert [job.kind for _, job in worker.asked[asked:]] == ["recorded"]
    assert worker.job.profile == profile


def test_that_the_recorded_run_of_the_session_before_is_not_shown(
    recorded: RecordedRuns, state: DebuggerState, session: Session, worker: HandWorker
) -> None:
    copy = show(state, session, worker)
    state.set_session(replace(session, id="another", derived={}))
    worker.finish(recorded_run(copy, state.profile))
    assert state.recorded is None
    assert recorded.missing
