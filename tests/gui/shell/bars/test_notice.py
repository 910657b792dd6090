"""Sentences for the person: shown, counted, closed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

import ravenglass_gui.shell.bars.notice as notice
from ravenglass_gui.shell.bars.busy_strip import BusyStrip, describe
from ravenglass_gui.shell.bars.notice import NoticeBar
from ravenglass_gui.work.replay_bridge import Busy


def test_that_the_newest_sentence_is_shown_and_closing_shows_the_one_before(qtbot: QtBot) -> None:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.post("warning", "Line 3 is cut.")
    bar.post("error", "No such file.")
    assert bar.text == "No such file."
    bar.dismiss()
    assert bar.text == "Line 3 is cut."
    bar.dismiss()
    assert bar.text == ""
    assert bar.isHidden()


def test_that_the_same_sentence_is_shown_once(qtbot: QtBot) -> None:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    for _ in range(5):
        bar.post("error", "No such file.")
    bar.dismiss()
    assert bar.isHidden()


def test_that_informations_go_by_themselves_and_errors_stay(qtbot: QtBot, monkeypatch: object) -> None:
    notice_ms = notice.INFO_MS
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.post("error", "No such file.")
    bar._timer.setInterval(1)
    bar.post("info", "Reading was cancelled.")
    qtbot.waitUntil(lambda: bar.text == "No such file.", timeout=2_000)
    qtbot.wait(20)
    assert bar.text == "No such file."
    assert notice_ms >= 5_000


def test_that_markup_in_a_sentence_is_shown_as_it_is(qtbot: QtBot) -> None:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.post("error", "<b>bold</b>.jsonl: not a session")
    assert bar.text == "<b>bold</b>.jsonl: not a session"
    assert bar._text.textFormat().name == "PlainText"


def test_that_short_work_never_shows_its_progress(qtbot: QtBot) -> None:
    strip = BusyStrip()
    qtbot.addWidget(strip)
    strip.show_busy(Busy("Replaying 60 calls", 10, 60))
    strip.show_busy(None)
    qtbot.wait(300)
    assert strip.isHidden()


def test_that_long_work_shows_count_estimate_and_a_cancel_button(qtbot: QtBot) -> None:
    strip = BusyStrip()
    qtbot.addWidget(strip)
    strip.show_busy(Busy("Reading big.jsonl", 45, 100, 3.2))
    qtbot.waitUntil(lambda: not strip.isHidden(), timeout=2_000)
    assert strip.text == "Reading big.jsonl · 45 % · 3.2 s left"
    with qtbot.waitSignal(strip.cancel_asked):
        strip._cancel.click()
    strip.show_busy(None)
    assert strip.isHidden()


def test_that_unknown_progress_is_not_shown_as_zero() -> None:
    assert describe(Busy("Reading a.jsonl")) == "Reading a.jsonl"
