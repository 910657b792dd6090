"""Every key of the registry, pressed in the real window: it fires its own action, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass_gui.actions.specs import SPECS, MenuName, PanelName
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge

pytestmark = pytest.mark.usefixtures("unstyled")

Held = tuple[QAction | QShortcut, QWidget, Qt.ShortcutContext]


@pytest.fixture
def window(qtbot: QtBot, chat: Path) -> Iterator[MainWindow]:
    """The window with a session whose every action makes sense."""
    state = DebuggerState()
    state.set_profile(load("tight-32k"))
    made = MainWindow(state, Bridge(state, remember=False))
    made.resize(1400, 900)
    qtbot.addWidget(made)
    made.show()
    made.bridge.open([chat])
    qtbot.waitUntil(lambda: not made.bridge.busy and not made.bridge.recorded.making, timeout=60_000)
    yield made
    made.close()


def actions(window: MainWindow) -> list[QAction]:
    return [action for action in window.findChildren(QAction) if action.objectName() in {s.id for s in SPECS}]


def held(window: MainWindow) -> Iterator[tuple[str, Held]]:
    """Every shortcut that Qt knows of in the window, with where it holds."""
    for action in window.findChildren(QAction):
        for widget in action.associatedObjects():
            if isinstance(widget, QWidget):
                for keys in action.shortcuts():
                    yield keys.toString(), (action, widget, action.shortcutContext())
    for shortcut in window.findChildren(QShortcut):
        owner = shortcut.parent()
        assert isinstance(owner, QWidget)
        for keys in shortcut.keys():  # noqa: SIM118
            yield keys.toString(), (shortcut, owner, shortcut.context())


def meet(one: Held, other: Held) -> bool:
    """Whether both hold at once somewhere in the window."""
    wide = (Qt.ShortcutContext.WindowShortcut, Qt.ShortcutContext.ApplicationShortcut)
    if one[0] is other[0]:
        return False
    if one[2] in wide or other[2] in wide or one[1] is other[1]:
        return True
    return one[1].isAncestorOf(other[1]) or other[1].isAncestorOf(one[1])


def test_that_no_key_stands_twice_where_both_would_hold(window: MainWindow) -> None:
    by_key: dict[str, list[Held]] = {}
    for keys, holds in held(window):
        by_key.setdefault(keys, []).append(holds)
    twice = {
        keys: sorted({one[0].objectName(), other[0].objectName()})
        for keys, all_of_it in by_key.items()
        for one, other in combinations(all_of_it, 2)
        if meet(one, other)
    }
    assert twice == {}


def test_that_qt_knows_of_no_key_that_is_not_in_the_registry(window: MainWindow) -> None:
    known = {(spec.id, QKeySequence(key).toString()) for spec in SPECS for key in spec.keys if not spec.claims}
    assert {(holds[0].objectName(), keys) for keys, holds in held(window)} == known


def test_that_every_action_of_the_registry_is_in_the_window_once(window: MainWindow) -> None:
    names = [action.objectName() for action in actions(window)]
    assert sorted(names) == sorted(spec.id for spec in SPECS)


def focused(window: MainWindow, place: MenuName | PanelName) -> QWidget:
    """The control that has the focus where an action of this menu or panel holds."""
    docks = window.layout_.docks
    if place in get_args(MenuName):
        return window.timeline.view
    if place in ("Manifest", "Plan", "Filter"):
        window.tabs.setCurrentWidget(window.manifest)
        return window.manifest.filter.field if place == "Filter" else window.manifest.view
    dock = docks[place.lower()]
    dock.show()
    dock.raise_()
    widget = dock.widget()
    assert widget is not None
    if place == "Message":
        return next(
            text for text in widget.findChildren(QWidget) if text.isVisible() and text.inherits("QPlainTextEdit")
        )
    return next(field for field in widget.findChildren(QLineEdit) if field.isVisible())


def record(window: MainWindow) -> list[str]:
    """From now on no action does what it does; the list says which ones were asked."""
    fired: list[str] = []
    for action in actions(window):
        action.triggered.disconnect()
        action.triggered.connect(lambda _on=False, action=action: fired.append(action.objectName()))
        action.setEnabled(True)
    return fired


def test_that_every_key_fires_its_action_and_no_other(window: MainWindow) -> None:
    fired = record(window)
    window.activateWindow()
    wrong: dict[str, list[str]] = {}
    for spec in SPECS:
        window.manifest.plan_keys.enabled = spec.menu == "Plan"
        for key in spec.keys:
            fired.clear()
            widget = focused(window, spec.menu)
            widget.setFocus()
            QApplication.processEvents()
            assert QApplication.focusWidget() is widget
            QTest.keySequence(widget, QKeySequence(key))
            if fired != [spec.id]:
                wrong[f"{spec.menu} {spec.id} {key}"] = list(fired)
    assert wrong == {}
