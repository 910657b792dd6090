"""A window without a library, and a recording with a compaction and cleared results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge
from tests.gui.claude_recordings import (
    write_recording,
)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    state = DebuggerState()
    shown = MainWindow(state, Bridge(state, remember=False))
    shown.resize(1280, 800)
    qtbot.addWidget(shown)
    shown.show()
    QApplication.processEvents()
    yield shown
    shown.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_recording(tmp_path / "session.jsonl")
