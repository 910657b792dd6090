"""The session browser under load: how soon a folder of sessions is listed, and how long the window stands still."""

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
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.memory import own_process, settle_window
from ravenglass_gui.work.replay_bridge import Bridge, Stall, measure_stall
from tests.gui.stores import write_chat_lines

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture(autouse=True)
def _own_process() -> Iterator[None]:
    """As the program runs: the process is the desktop's own."""
    with own_process():
        yield


@pytest.mark.parametrize("sessions", [500, 10_000])
def test_first_list_of_a_folder(
    benchmark: BenchmarkFixture, qtbot: QtBot, qapp: QApplication, tmp_path: Path, figures: list[str], sessions: int
) -> None:
    for number in range(sessions):
        path = tmp_path / "store" / f"p{number % 50}" / f"{number}.jsonl"
        write_chat_lines(path, f"cli:{number}", calls=20, title=f"会话 {number} fix the login redirect")
    application("dark")
    state = DebuggerState()
    bridge, browser = Bridge(state, remember=False), Browser(remember=False)
    window = MainWindow(state, bridge, None, browser)
    qtbot.addWidget(window)
    window.show()
    settle_window()
    browser.pause("details come later")
    listed: list[Stall] = []

    def first_list() -> None:
        listed.append(measure_stall(lambda: browser.add(tmp_path / "store"), browser.listed))

    benchmark.pedantic(first_list, rounds=1, warmup_rounds=0)
    typed = measure_stall(lambda: window.sessions.filter.setText("会话 77"), window.sessions.model.modelReset)
    goal = " (goal 1 s)" if sessions == 500 else ""
    figures.append(
        f"{sessions:,} sessions: listed in {listed[0].elapsed_s:.2f} s{goal}, longest standstill"
        f" {listed[0].longest_ms:.0f} ms; filtered with a standstill of {typed.longest_ms:.0f} ms"
    )
    browser.pause(None)
    window.close()
