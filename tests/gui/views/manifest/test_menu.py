"""What can be done with the selected message: by the menu and by its keys."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.manifest.menu import MessageActions

PINNED = 3


@pytest.fixture
def state(state: DebuggerState, run: SimulatedRun) -> DebuggerState:
    """With a message that is pinned by hand, which is selected."""
    state.set_session(run.session)
    state.set_profile(run.profile)
    state.add_change(HandChange(5, "pin", PINNED))
    state.set_run(replay(run.session, run.profile, (HandChange(5, "pin", PINNED),)))
    state.select(PINNED)
    return state


@pytest.fixture
def actions(qtbot: QtBot, state: DebuggerState) -> MessageActions:
    view = QWidget()
    qtbot.addWidget(view)
    return MessageActions(state, view, lambda: None)


def test_that_the_menu_does_not_offer_to_archive_a_pinned_message(
    actions: MessageActions, state: DebuggerState
) -> None:
    actions.menu("")
    assert not actions.actions["archive"].isEnabled()
    assert actions.actions["pin"].text() == "Unpin (branch)"
    assert state.run is not None
    rows = (state.run.row(state.call, m) for m in range(10, state.run.rows(state.call)))
    state.select(next(row.id for row in rows if not row.pinned and not row.archived))
    actions.menu("")
    assert actions.actions["archive"].isEnabled()


def test_that_archiving_a_pinned_message_by_its_key_says_why_nothing_happens(
    qtbot: QtBot, actions: MessageActions, state: DebuggerState
) -> None:
    before = state.changes
    with qtbot.waitSignal(state.message_posted) as posted:
        actions.actions["archive"].trigger()
    assert posted.args == [
        "info",
        f"Message #{PINNED} is pinned, and pinned messages are never archived; nothing was changed.",
    ]
    assert state.changes == before


def test_that_the_keys_work_again_once_the_menu_is_closed(actions: MessageActions) -> None:
    menu = actions.menu("")
    menu.aboutToHide.emit()
    assert all(actions.actions[name].isEnabled() for name in ("archive", "retrieve", "filter_value"))


def test_that_a_message_that_the_call_does_not_know_yet_has_no_row(
    actions: MessageActions, state: DebuggerState
) -> None:
    assert state.run is not None
    state.set_call(5)
    state.select(state.run.rows(5) - 1)
    assert actions.row() is not None
    state.select(state.run.rows(5))
    assert actions.row() is None


def test_that_first_and_last_use_lead_to_both_ends_of_a_life(actions: MessageActions, state: DebuggerState) -> None:
    run = state.simulated
    assert run is not None
    message = next(m for m in range(20) if m != PINNED and not run.in_window(60, m) and run.in_window(12, m))
    state.select(message)
    used = [n for n in range(1, run.calls + 1) if message < run.rows(n) and run.in_window(n, message)]
    actions.actions["last_use"].trigger()
    assert state.call == used[-1]
    actions.actions["first_use"].trigger()
    assert state.call == used[0] < used[-1]
