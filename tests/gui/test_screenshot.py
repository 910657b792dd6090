"""Pictures of the desktop."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from ravenglass.errors import RavenglassError, SessionError
from ravenglass.presets import load
from ravenglass_gui.screenshot import settled, take
from ravenglass_gui.theme.palette import DARK, LIGHT, colours
from ravenglass_gui.work.looking import Looking
from tests.gui.claude_recordings import write_recording


def test_that_the_same_session_gives_the_same_picture(qtbot: QtBot, chat: Path, tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        take(chat, tmp_path / name, size=(1280, 800), profile=load("tight-32k"))
    one, two = QImage(str(tmp_path / "one.png")), QImage(str(tmp_path / "two.png"))
    assert (one.width(), one.height()) == (1280, 800)
    assert one == two


def test_that_a_window_is_taken_once_it_has_come_to_rest(qtbot: QtBot) -> None:
    label = QLabel("0")
    label.resize(200, 40)
    qtbot.addWidget(label)
    changing = QTimer(label, interval=40)
    changing.timeout.connect(lambda: label.setText(label.text() + "0") if len(label.text()) < 9 else changing.stop())
    changing.start()
    picture = settled(label)
    assert label.text() == "0" * 9
    assert picture.toImage() == label.grab().toImage()


def test_that_a_window_is_taken_once_its_views_have_their_answers(qtbot: QtBot) -> None:
    label = QLabel("waiting")
    qtbot.addWidget(label)
    looking = Looking(label)
    looking.found.connect(label.setText)
    looking.ask(lambda: time.sleep(0.4) or "answered")  # type: ignore[func-returns-value]
    assert looking.waiting
    settled(label)
    assert label.text() == "answered"
    assert not looking.waiting


def test_that_theme_and_size_are_as_asked_and_the_theme_is_given_back(qtbot: QtBot, chat: Path, tmp_path: Path) -> None:
    out = tmp_path / "folder" / "light.png"
    take(chat, out, size=(1600, 1000), theme="light", call=5, view="window")
    picture = QImage(str(out))
    assert (picture.width(), picture.height()) == (1600, 1000)
    assert picture.pixelColor(3, 500).name() == LIGHT.window
    assert colours() is DARK


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"view": "cellar"}, "no view 'cellar'"),
        ({"call": 61}, "no call 61; the session has calls 1 to 60"),
        ({"call": 0}, "no call 0"),
    ],
)
def test_that_what_does_not_exist_is_a_sentence(
    qtbot: QtBot, chat: Path, tmp_path: Path, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(RavenglassError, match=sentence):
        take(chat, tmp_path / "no.png", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "no.png").exists()


def test_that_an_unreadable_session_is_the_engines_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bin"
    bad.write_bytes(b"\x00\xff\x00")
    with pytest.raises(SessionError, match=r"bad\.bin") as caught:
        take(bad, tmp_path / "no.png")
    assert caught.value.tried


def test_that_a_picture_that_cannot_be_written_is_a_sentence(qtbot: QtBot, chat: Path, tmp_path: Path) -> None:
    with pytest.raises(RavenglassError, match="could not be written"):
        take(chat, tmp_path / "picture.unknown", size=(1280, 800))


@pytest.mark.proof
def test_that_the_recorded_run_is_drawn_where_it_is_asked_for(qtbot: QtBot, tmp_path: Path) -> None:
    session = write_recording(tmp_path / "session.jsonl")
    for run in ("simulated", "recorded"):
        take(session, tmp_path / f"{run}.png", size=(1280, 800), call=12, run=run)
        take(session, tmp_path / f"{run}-again.png", size=(1280, 800), call=12, run=run)
        assert QImage(str(tmp_path / f"{run}.png")) == QImage(str(tmp_path / f"{run}-again.png"))
    assert QImage(str(tmp_path / "simulated.png")) != QImage(str(tmp_path / "recorded.png"))


def test_that_a_session_without_a_recorded_run_to_show_is_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    silent = tmp_path / "silent.json"
    silent.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    with pytest.raises(RavenglassError, match=r"no recorded run to show\. This session holds 1 message"):
        take(silent, tmp_path / "no.png", run="recorded")
