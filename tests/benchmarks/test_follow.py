"""Following under load: from the moment a session's file grows until the run that has it is on screen."""

from __future__ import annotations

import gzip
import os
import shutil
import statistics
import time
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


_LINES = 6
"""Lines appended at a time: about one call with its results."""
_ROUNDS = 25
_GOAL_MS = 300


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> MainWindow:
    application("dark")
    state = DebuggerState()
    bridge = Bridge(state, remember=False)
    made = MainWindow(state, bridge)
    qtbot.addWidget(made, before_close_func=lambda _: made.following.shutdown())
    made.show()
    settle_window()
    return made


def test_from_append_to_frame(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    window: MainWindow,
    recording: Path,
    tmp_path: Path,
    figures: list[str],
) -> None:
    data = gzip.decompress(recording.read_bytes()) if recording.suffix == ".gz" else recording.read_bytes()
    lines = data.splitlines(keepends=True)
    path = tmp_path / recording.name.removesuffix(".gz")
    if recording.with_suffix("").is_dir():
        shutil.copytree(recording.with_suffix(""), path.with_suffix(""))
    kept = len(lines) - _LINES * _ROUNDS
    path.write_bytes(b"".join(lines[:kept]))
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.bridge.open([path])
    with qtbot.waitSignal(window.bridge.grew, timeout=60_000):
        window.following.toggle()
    latencies, stalls = [], []

    def grow() -> None:
        nonlocal kept
        began = time.perf_counter()
        with path.open("ab") as file:
            file.write(b"".join(lines[kept : kept + _LINES]))
        kept += _LINES
        stalls.append(measure_stall(lambda: None, window.bridge.grew, timeout_s=5))
        QApplication.processEvents()  # painted
        latencies.append((time.perf_counter() - began) * 1_000)

    benchmark.pedantic(grow, rounds=_ROUNDS, warmup_rounds=0)
    assert not any(stall.timed_out for stall in stalls)
    assert window.state.run is not None
    assert window.state.call == window.state.run.calls
    figures.append(
        f"{recording.name[:30]}: append to frame, of {len(latencies)}: median {statistics.median(latencies):.0f} ms,"
        f" worst {max(latencies):.0f} ms (goal {_GOAL_MS} ms);"
        f" longest standstill median {statistics.median(stall.longest_ms for stall in stalls):.0f} ms,"
        f" worst {max(stall.longest_ms for stall in stalls):.0f} ms"
    )
