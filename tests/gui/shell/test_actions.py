"""The registry of actions."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ravenglass_gui.actions.specs import SPECS, WINDOW, MenuName, key_names
from ravenglass_gui.shell.actions import Actions


def test_that_every_key_of_the_users_guide_is_there() -> None:
    keys = {key for spec in SPECS for key in spec.keys}
    moving = ("Left", "Right", "Shift+Left", "Shift+Right", "Home", "End", "N", "P", "Space", "W", "A", "S", "D")
    others = ("F10", "F5", "Ctrl+O", "Ctrl+W", "Ctrl+F", "?", "Ctrl+Q")
    assert {*moving, *others} <= keys


def test_that_every_action_says_what_it_does_and_is_in_a_menu(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window, {spec.id: lambda: None for spec in WINDOW})
    listed = [
        action.objectName()
        for menu in get_args(MenuName)
        for action, _ in (*actions.menu(menu), *actions.menu(menu, "Theme"))
    ]
    assert sorted(listed) == sorted(spec.id for spec in WINDOW)
    for spec in WINDOW:
        assert spec.tip.endswith(".")
        assert actions[spec.id].toolTip().startswith(spec.tip.rstrip("."))


def test_that_a_missing_handler_is_an_error_at_once(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    with pytest.raises(ValueError, match="open"):
        Actions(window, {spec.id: lambda: None for spec in WINDOW if spec.id != "open"})


def test_that_actions_are_enabled_by_what_is_open(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window, {spec.id: lambda: None for spec in WINDOW})
    actions.enable(session=True, calls=False)
    assert actions["close"].isEnabled()
    assert not actions["next"].isEnabled()
    assert actions["open"].isEnabled()


def test_that_an_action_calls_its_handler(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    called: list[str] = []
    handlers = {spec.id: (lambda name=spec.id: called.append(name)) for spec in WINDOW}
    actions = Actions(window, handlers)
    for spec in WINDOW:
        actions[spec.id].trigger()
    assert called == [spec.id for spec in WINDOW]


def test_that_play_says_pause_while_playing(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window, {spec.id: lambda: None for spec in WINDOW})
    actions.show_playing(True)
    assert actions["play"].text() == "Pause"
    actions.recolour()
    assert actions["play"].text() == "Pause"
    actions.show_playing(False)
    assert actions["play"].text() == "Play"


def test_that_keys_are_written_as_the_platform_does() -> None:
    spec = next(spec for spec in SPECS if spec.id == "zoom_in")
    assert len(key_names(spec)) == len(spec.keys)
