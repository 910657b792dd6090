"""The folder of a saved run, opened in the desktop: as it was saved, killed while it was saved, without its session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.asking.run import AskedRun
from ravenglass.replay.stepping.changes import Compaction
from ravenglass.saving import save_run
from ravenglass.sessions import open_session
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    state = DebuggerState()
    made = MainWindow(state, Bridge(state, remember=False))
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


@pytest.fixture
def saved(chat: Path, tmp_path: Path) -> tuple[Path, SimulatedRun]:
    run = replay(open_session(chat), load("tight-32k"), [Compaction(9, 3_000)])
    save_run(run, tmp_path / "run")
    return tmp_path / "run", run


def opened(window: MainWindow, qtbot: QtBot, folder: Path) -> SimulatedRun:
    window.open_paths([folder])
    qtbot.waitUntil(lambda: not window.bridge.busy and window.state.simulated is not None, timeout=60_000)
    assert window.state.simulated is not None
    return window.state.simulated


def test_that_a_saved_run_is_shown_as_it_was_saved(
    window: MainWindow, qtbot: QtBot, saved: tuple[Path, SimulatedRun]
) -> None:
    folder, run = saved
    shown = opened(window, qtbot, folder)
    assert (shown.profile, shown.changes) == (run.profile, run.changes)
    assert list(shown.window_tokens) == list(run.window_tokens)
    assert window.state.showing == "simulated"


def test_that_the_answers_of_a_saved_run_are_given_again(
    window: MainWindow, qtbot: QtBot, saved: tuple[Path, SimulatedRun]
) -> None:
    folder, run = saved
    origin = json.loads((folder / "origin.json").read_text())
    (folder / "origin.json").write_text(json.dumps({**origin, "asked": "small-model"}))
    opened(window, qtbot, folder)
    qtbot.waitUntil(lambda: isinstance(window.state.simulated, AskedRun), timeout=30_000)
    shown = window.state.simulated
    assert shown is not None
    assert shown.asked == "small-model"
    assert list(shown.window_tokens) == list(run.window_tokens)


def test_that_a_run_that_was_not_saved_to_its_end_is_shown_and_said_to_be_incomplete(
    window: MainWindow, qtbot: QtBot, saved: tuple[Path, SimulatedRun]
) -> None:
    folder, run = saved
    mark = json.loads((folder / "ravenglass-run.json").read_text())
    (folder / "ravenglass-run.json").write_text(json.dumps({**mark, "complete": False}))
    (folder / "windows.jsonl").unlink()
    shown = opened(window, qtbot, folder)
    assert shown.profile == run.profile
    assert "is not complete" in window.notice.text


def test_that_a_saved_run_without_its_session_is_shown_as_its_trace(
    window: MainWindow, qtbot: QtBot, saved: tuple[Path, SimulatedRun], chat: Path
) -> None:
    folder, _ = saved
    chat.unlink()
    window.open_paths([folder])
    qtbot.waitUntil(lambda: window.state.log is not None, timeout=30_000)
    assert window.state.session is None
    assert window.state.calls > 0
    assert "is not there any more" in window.notice.text
