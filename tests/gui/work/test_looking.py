"""Answers made in a thread of their own: the newest arrives, and a view that is gone leaves no trace."""

from __future__ import annotations

import threading
import time

import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from ravenglass_gui.work.looking import Looking


def test_that_the_answer_to_the_newest_question_arrives_in_the_gui_thread(qtbot: QtBot) -> None:
    parent = QObject()
    looking = Looking(parent)
    found: list[tuple[object, bool]] = []
    looking.found.connect(lambda answer: found.append((answer, threading.current_thread() is threading.main_thread())))
    held = threading.Event()
    looking.ask(lambda: held.wait(10))
    looking.ask(lambda: "newest")
    held.set()
    qtbot.waitUntil(lambda: bool(found), timeout=10_000)
    assert found == [("newest", True)]
    shiboken6.delete(parent)


def test_that_a_question_that_can_not_be_answered_is_a_sentence(qtbot: QtBot) -> None:
    parent = QObject()
    looking = Looking(parent)
    with qtbot.waitSignal(looking.failed, timeout=10_000) as told:
        looking.ask(lambda: 1 // 0)
    assert "ZeroDivisionError" in told.args[0]
    shiboken6.delete(parent)


def test_that_what_is_taken_down_while_it_looks_gets_no_answer_and_nothing_breaks(qtbot: QtBot) -> None:
    arrived: list[object] = []
    for number in range(300):
        parent = QObject()
        looking = Looking(parent)
        looking.found.connect(arrived.append)
        looking.ask(lambda number=number: time.sleep(number % 4 / 10_000))  # type: ignore[misc]
        time.sleep(number % 3 / 10_000)
        shiboken6.delete(parent)
    qtbot.wait(50)
    assert arrived == []
