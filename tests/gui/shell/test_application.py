"""Where the first window stands: on the screen, and no larger than it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ravenglass_gui.shell.application import fit_to_screen


@pytest.mark.parametrize("free", [QRect(0, 0, 1280, 800), QRect(0, 28, 1366, 740), QRect(1920, 0, 1024, 768)])
def test_that_a_window_starts_wholly_on_a_small_screen(qtbot: QtBot, free: QRect) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(300, 200, 1600, 1000)
    fit_to_screen(window, free)
    assert free.contains(window.geometry())
    assert window.size() == QSize(1600, 1000).boundedTo(free.size())


def test_that_a_window_that_fits_is_left_where_it_stands(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 50, 900, 600)
    fit_to_screen(window, QRect(0, 0, 1920, 1200))
    assert window.geometry() == QRect(QPoint(100, 50), QSize(900, 600))


def test_that_a_screen_smaller_than_the_least_size_shows_the_top_left_corner(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setMinimumSize(960, 600)
    window.setGeometry(300, 200, 1600, 1000)
    fit_to_screen(window, QRect(0, 0, 800, 600))
    assert window.geometry() == QRect(0, 0, 960, 600)
