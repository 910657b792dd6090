"""Keys that the focused control keeps for itself."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QTableView,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ravenglass_gui.shell.focus import needs

KEYS = {
    "Left": (Qt.Key.Key_Left, ""),
    "Home": (Qt.Key.Key_Home, ""),
    "Space": (Qt.Key.Key_Space, " "),
    "N": (Qt.Key.Key_N, "n"),
    "F5": (Qt.Key.Key_F5, ""),
}


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        (QLineEdit, {"Left", "Home", "Space", "N"}),
        (QPlainTextEdit, {"Left", "Home", "Space", "N"}),
        (QSpinBox, {"Left", "Home", "Space", "N"}),
        (QComboBox, {"Left", "Home", "Space"}),
        (QSlider, {"Left", "Home"}),
        (QPushButton, {"Space"}),
        (QTreeView, {"Left", "Home"}),
        (QTableView, {"Home"}),
    ],
)
def test_that_a_control_keeps_exactly_the_keys_it_needs(qtbot: QtBot, kind: type[QWidget], kept: set[str]) -> None:
    control = kind()
    qtbot.addWidget(control)
    assert {name for name, (key, text) in KEYS.items() if needs(control, key, text)} == kept


def test_that_a_text_that_cannot_be_edited_keeps_nothing(qtbot: QtBot) -> None:
    text = QPlainTextEdit()
    qtbot.addWidget(text)
    text.setReadOnly(True)
    assert not any(needs(text, key, typed) for key, typed in KEYS.values())
