"""The line that offers a snapshot where importance fell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.stepping.changes import RollBack
from ravenglass_gui.shell.bars.rollback_offer import RollbackOffer
from ravenglass_gui.state.debugger_state import DebuggerState
from tests.engine.replay.measures.test_importance import TALK

FELL = 8
"""The call of that session at which the mean score falls."""


@pytest.fixture(scope="module")
def fallen() -> SimulatedRun:
    return replay(TALK)


@pytest.fixture
def offer(state: DebuggerState, fallen: SimulatedRun, show: Callable[..., Any]) -> RollbackOffer:
    state.set_session(fallen.session)
    state.set_run(fallen)
    made: RollbackOffer = show(RollbackOffer(state))
    made.hide()
    return made


def test_that_it_is_there_only_at_the_call_where_importance_fell(offer: RollbackOffer) -> None:
    for call in range(1, offer._state.calls + 1):
        offer._state.set_call(call)
        offer.look()
        assert offer.isVisible() == (call == FELL), call


def test_that_its_button_rolls_back_to_the_snapshot_it_names_and_undo_takes_that_back(
    offer: RollbackOffer, fallen: SimulatedRun
) -> None:
    state = offer._state
    state.set_call(FELL)
    offer.look()
    latest = fallen.snapshots(FELL - 1)[-1]
    assert offer.button.text() == f"Roll back to call {latest.step} (branch)"
    offer.button.click()
    assert list(state.changes) == [RollBack(latest.step + 1, latest.name, latest.task, fallen.calls)]
    assert state.call == latest.step
    assert offer.isHidden()
    state.undo_change()
    assert list(state.changes) == []
