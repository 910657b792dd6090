"""Changes by hand in the real window: what they wake, what they replay, how they are taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.branches.joined import Branch
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.tuning.panel import TuningPanel
from ravenglass_gui.work import workers
from ravenglass_gui.work.replay_bridge import Bridge

pytestmark = pytest.mark.usefixtures("unstyled")


@pytest.fixture
def window(qtbot: QtBot, chat: Path) -> Iterator[MainWindow]:
    state = DebuggerState()
    state.set_profile(load("tight-32k"))
    made = MainWindow(state, Bridge(state, remember=False))
    qtbot.addWidget(made)
    made.show()
    made.bridge.open([chat])
    settled(qtbot, made)
    yield made
    made.close()


def settled(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.bridge.busy and not window.bridge.recorded.making, timeout=60_000)


def press(window: MainWindow, name: str) -> None:
    window.manifest.actions_on_message.actions[name].trigger()


def test_that_a_pin_does_not_wake_tuning(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[str] = []
    refresh = TuningPanel.refresh

    def noted(panel: TuningPanel) -> None:
        woken.append("refresh")
        refresh(panel)

    monkeypatch.setattr(TuningPanel, "refresh", noted)
    window.state.set_call(20)
    window.state.select(3)
    press(window, "pin")
    settled(qtbot, window)
    assert window.state.changes
    assert window.state.run is not None
    assert window.state.run.changes == window.state.changes
    assert woken == []
    window.state.set_profile(window.state.profile.with_values(trim_target=0.31))
    settled(qtbot, window)
    assert woken


def test_that_a_change_is_a_branch_that_begins_at_its_call(window: MainWindow, qtbot: QtBot) -> None:
    state = window.state
    state.set_call(40)
    state.select(3)
    press(window, "pin")
    settled(qtbot, window)
    first = state.simulated
    assert isinstance(first, Branch)
    assert first.at == 40
    state.set_call(20)
    press(window, "protect")
    settled(qtbot, window)
    made, whole = state.simulated, replay(first.session, first.profile, state.changes)
    assert isinstance(made, Branch)
    assert made.at == 20
    assert made.changes == whole.changes == state.changes
    assert (list(made.window_tokens), list(made.paths)) == (list(whole.window_tokens), list(whole.paths))
    assert made.markers() == whole.markers()


def test_that_undo_and_redo_show_their_runs_and_replay_nothing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = window.state
    before = state.run
    state.select(3)
    press(window, "pin")
    settled(qtbot, window)
    after = state.run
    assert after is not before
    asked: list[str] = []
    for name in ("replay", "branch"):
        monkeypatch.setattr(workers, name, lambda *_args, name=name, **_options: asked.append(name))
    window.actions_["undo_change"].trigger()
    assert state.run is before
    window.actions_["redo_change"].trigger()
    assert state.run is after
    settled(qtbot, window)
    assert state.run is after
    assert asked == []
