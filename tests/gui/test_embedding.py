"""What a running engine leaves opens in the desktop as the run that it was."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from ravenglass import Engine
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge
from tests.engine.embed.conversations import drive
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT


def test_that_the_session_of_a_running_engine_opens_with_the_windows_it_gave(qtbot: QtBot, tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path) as engine:
        given = drive(engine, long_chat(25)).windows
        state = DebuggerState()
        state.set_profile(TIGHT)
        bridge = Bridge(state, remember=False)
        assert engine.session_file is not None
        with qtbot.waitSignal(bridge.settled, timeout=60_000):
            bridge.open([engine.session_file])  # while the engine still writes
        run = state.run
        assert run is not None
        assert {call: run.window(call) for call in given} == given
        bridge.shutdown()
