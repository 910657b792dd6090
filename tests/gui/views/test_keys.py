"""Keys of a panel beside the same keys of the window."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from ravenglass.profile import Profile
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.message.panel import MessagePanel
from ravenglass_gui.views.tuning.panel import TuningPanel
from ravenglass_gui.views.why.panel import WhyPanel

CTRL = Qt.KeyboardModifier.ControlModifier


def window_with(panel: Any, keys: str, show: Any) -> tuple[QMainWindow, list[str]]:
    """A window with the panel and a shortcut of its own; the list grows when that is used."""
    window = QMainWindow()
    window.setCentralWidget(panel)
    used: list[str] = []
    QShortcut(QKeySequence(keys), window, lambda: used.append(keys))
    show(window)
    window.activateWindow()
    return window, used


def test_that_find_searches_the_message_while_it_has_the_focus(qtbot: QtBot, loaded: DebuggerState, show: Any) -> None:
    panel = MessagePanel(loaded)
    _window, used = window_with(panel, "Ctrl+F", show)
    loaded.select(2)
    panel.text.view.setFocus()
    qtbot.keyClick(panel.text.view, Qt.Key.Key_F, CTRL)
    assert panel.find_bar.isVisible()
    assert used == []


def test_that_undo_takes_back_a_slider_while_tuning_has_the_focus(
    qtbot: QtBot, state: DebuggerState, show: Any
) -> None:
    panel = TuningPanel(state)
    _window, used = window_with(panel, "Ctrl+Z", show)
    number = panel.editors["window"].number
    assert number is not None
    number.setFocus()
    number.selectAll()
    qtbot.keyClicks(number, "64000")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert state.profile.window == 64_000
    qtbot.keyClick(number, Qt.Key.Key_Z, CTRL)
    assert state.profile == Profile()
    qtbot.keyClick(number, Qt.Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert state.profile.window == 64_000
    assert used == []


def test_that_arrows_on_the_life_strip_are_not_taken_by_the_window(
    qtbot: QtBot, loaded: DebuggerState, show: Any
) -> None:
    panel = WhyPanel(loaded)
    _window, used = window_with(panel, "Left", show)
    loaded.select(1)
    panel.life.setFocus()
    qtbot.keyClick(panel.life, Qt.Key.Key_Left)
    assert used == []
    assert loaded.call < 60
