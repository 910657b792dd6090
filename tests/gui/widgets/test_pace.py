"""Signals are passed on once for many, after a rest or at most so often, and can be taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from ravenglass_gui.widgets.pace import Pace, after_rest, at_most_every


@pytest.mark.parametrize("make", [after_rest, at_most_every])
def test_that_many_questions_have_one_answer_and_what_is_taken_back_has_none(
    qtbot: QtBot, make: Callable[[QObject, int], Pace]
) -> None:
    parent, answers = QObject(), list[int]()
    pace = make(parent, 20)
    pace.triggered.connect(lambda: answers.append(1))
    with qtbot.waitSignal(pace.triggered, timeout=5_000):
        for _ in range(9):
            pace.throttle()
    assert answers == [1]
    pace.throttle()
    pace.cancel()
    qtbot.waitUntil(lambda: not pace._timer.isActive(), timeout=5_000)
    assert answers == [1]
