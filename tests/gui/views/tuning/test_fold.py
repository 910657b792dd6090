"""A group folds by mouse and keyboard, and what is folded away is out of everyone's way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ravenglass_gui.theme.palette import DARK, LIGHT, theme
from ravenglass_gui.views.tuning.fold import Fold


@pytest.fixture
def shown(qtbot: QtBot) -> tuple[QWidget, Fold, QLineEdit, QLineEdit]:
    """A window with a folded group, the editor in it and one behind it."""
    window = QWidget()
    layout = QVBoxLayout(window)
    fold, inside, behind = Fold("Quotas", window, opened=False), QLineEdit(), QLineEdit()
    fold.add(inside)
    layout.addWidget(fold)
    layout.addWidget(behind)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window, fold, inside, behind


def test_that_space_opens_and_closes_a_group(qtbot: QtBot, shown: tuple[QWidget, Fold, QLineEdit, QLineEdit]) -> None:
    _, fold, inside, _ = shown
    fold.button.setFocus(Qt.FocusReason.TabFocusReason)
    for visible in (True, False):
        qtbot.keyClick(fold.button, Qt.Key.Key_Space)
        assert inside.isVisible() is visible


def test_that_tab_passes_over_what_is_folded_away(
    qtbot: QtBot, shown: tuple[QWidget, Fold, QLineEdit, QLineEdit]
) -> None:
    _, fold, inside, behind = shown
    for opened, next_one in ((False, behind), (True, inside)):
        fold.button.setChecked(opened)
        fold.button.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.keyClick(fold.button, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is next_one


def test_that_its_button_says_what_it_does_and_follows_the_palette(
    shown: tuple[QWidget, Fold, QLineEdit, QLineEdit],
) -> None:
    _, fold, _, _ = shown
    assert fold.button.accessibleName() == "Quotas: show or hide this group"
    for palette in (LIGHT, DARK):
        theme.show(palette)
        assert f" color: {palette.dim};" in fold.button.styleSheet()
