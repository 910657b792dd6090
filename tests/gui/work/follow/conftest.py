"""The window that tests of following open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge
from tests.gui.work.follow.looked_at import Open


@pytest.fixture
def opened(qtbot: QtBot) -> Iterator[Open]:
    """A real window that follows what was opened in it."""
    made: list[MainWindow] = []

    def window(path: Path) -> MainWindow:
        state = DebuggerState()
        state.set_profile(load("tight-32k"))
        shown = MainWindow(state, Bridge(state, remember=False))
        qtbot.addWidget(shown)
        made.append(shown)
        shown.resize(1280, 800)
        shown.show()
        with qtbot.waitSignal(shown.bridge.settled, timeout=60_000):
            shown.bridge.open([path])
        with qtbot.waitSignal(shown.bridge.grew, timeout=30_000):
            shown.actions_["follow"].trigger()
        qtbot.waitUntil(lambda: not shown.bridge.busy and shown.bridge.later is None, timeout=30_000)
        return shown

    yield window
    for shown in made:
        shown.close()
