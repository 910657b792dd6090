"""The desktop under load: switching frames, and how long the GUI thread stands still while a session is imported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

pytest.importorskip("PySide6")

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass_gui.shell.application import application
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.memory import own_process, settle_window
from ravenglass_gui.work.replay_bridge import Bridge, measure_stall

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture(autouse=True)
def _own_process() -> Iterator[None]:
    """As the program runs: the process is the desktop's own."""
    with own_process():
        yield


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> MainWindow:
    application("dark")
    state = DebuggerState()
    bridge = Bridge(state, remember=False)
    window = MainWindow(state, bridge)
    qtbot.addWidget(window, before_close_func=lambda _: bridge.shutdown())
    window.show()
    settle_window()
    return window


def test_frame_switch_in_the_desktop(
    benchmark: BenchmarkFixture, qtbot: QtBot, window: MainWindow, recording: Path
) -> None:
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.bridge.open([recording])
    state = window.state
    assert state.run is not None
    calls = iter(range(10_000_000))

    def switch() -> None:
        assert state.run is not None
        state.set_call(next(calls) * 37 % state.run.calls + 1)
        QApplication.processEvents()

    benchmark(switch)


def test_longest_standstill_of_the_gui_thread_during_import(
    benchmark: BenchmarkFixture, window: MainWindow, recording: Path, figures: list[str]
) -> None:
    stalls = []

    def run() -> None:
        stalls.append(measure_stall(lambda: window.bridge.open([recording]), window.bridge.settled))

    benchmark.pedantic(run, rounds=5, warmup_rounds=0)
    longest = sorted(stall.longest_ms for stall in stalls)
    figures.append(
        f"{recording.name[:30]}: longest standstill during import, of {len(longest)} imports:"
        f" median {longest[len(longest) // 2]:.0f} ms, worst {longest[-1]:.0f} ms (goal 50 ms)"
    )
    assert not any(stall.timed_out for stall in stalls)
