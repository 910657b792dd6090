"""After a slider move: how soon the timeline shows something of the new run, and how soon all of it is there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

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
from ravenglass_gui.work.replay_bridge import Bridge
from tests.benchmarks.typical_session import write_typical

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
LENGTHS = [1_000, 10_000, *([100_000] if os.environ.get("RAVENGLASS_LONG") else [])]


def _pass(milliseconds: int) -> None:
    """Let the window and its threads go on, as between two events."""
    QApplication.processEvents()
    time.sleep(milliseconds / 1e3)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    application("dark")
    state = DebuggerState()
    bridge = Bridge(state, remember=False)
    made = MainWindow(state, bridge)
    qtbot.addWidget(made, before_close_func=lambda _: bridge.shutdown())
    made.show()
    settle_window()
    with own_process():
        yield made


@pytest.mark.parametrize("length", LENGTHS)
def test_first_pixels_after_a_slider_move(
    benchmark: BenchmarkFixture, qtbot: QtBot, window: MainWindow, length: int, tmp_path: Path, figures: list[str]
) -> None:
    state, bridge = window.state, window.bridge
    with qtbot.waitSignal(bridge.settled, timeout=600_000):
        bridge.open([write_typical(tmp_path / "typical.jsonl", length)])
    qtbot.waitUntil(lambda: not bridge.busy and not bridge.recorded.making, timeout=600_000)
    first: list[float] = []
    whole: list[float] = []
    targets = iter(0.30 + 0.02 * number for number in range(8))

    def slide() -> None:
        shown, begun = state.run, time.perf_counter()
        state.set_profile(state.profile.with_values(trim_target=next(targets)))
        while state.part is None and state.run is shown:
            _pass(1)
        QApplication.processEvents()  # what was asked to be drawn is drawn
        first.append((time.perf_counter() - begun) * 1e3)
        while state.run is shown or bridge.busy:
            _pass(1)
        whole.append((time.perf_counter() - begun) * 1e3)
        for _ in range(60):
            _pass(5)

    benchmark.pedantic(slide, rounds=6, warmup_rounds=1)
    figures.append(
        f"{length:,} messages: first pixels of a new run after {median(first):.0f} ms (goal 60 ms, worst"
        f" {max(first):.0f}), the whole after {median(whole):.0f} ms"
    )
    assert all(a <= b for a, b in zip(first, whole, strict=True))
