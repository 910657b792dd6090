"""Starting the program: what is opened first, and what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import ravenglass_gui.app as app
from ravenglass.presets import load
from ravenglass_gui.shell.application import has_display
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.settings import Settings
from tests.gui.recordings import write_chat

Start = Callable[..., MainWindow]


@pytest.fixture
def start(qtbot: QtBot, qapp: QApplication, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Runs the program until its first replay is shown, closes it, and gives back its window."""
    monkeypatch.setattr(app, "Settings", lambda: settings)
    monkeypatch.setattr(app, "settle_window", lambda: None)
    seen: list[MainWindow] = []
    """Windows of all starts: an earlier one is still among the top-level widgets."""

    def run(files: list[Path], **options: object) -> MainWindow:
        def look() -> None:
            window = next(w for w in qapp.topLevelWidgets() if isinstance(w, MainWindow) and w not in seen)
            seen.append(window)
            qtbot.addWidget(window)
            window.bridge.settled.connect(window.close)

        QTimer.singleShot(0, qapp, look)
        assert app.main(files, **options) == 0  # type: ignore[arg-type]
        return seen[-1]

    return run


def test_that_the_first_start_opens_the_demo(
    start: Start, settings: Settings, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ravenglass_gui.shell.main_window.demo_session", lambda: chat)
    window = start([])
    assert window.state.session is not None
    assert window.state.session.path.name == "chat.json"


def test_that_the_next_start_opens_what_was_open_last(start: Start, settings: Settings, tmp_path: Path) -> None:
    mine = write_chat(tmp_path / "mine.json", exchanges=3)
    start([mine])
    assert settings.last_session == mine
    window = start([])
    assert window.state.session is not None
    assert window.state.session.path.name == "mine.json"


def test_that_a_profile_given_at_the_start_is_used(start: Start, chat: Path) -> None:
    window = start([chat], profile=load("tight-32k"))
    assert window.state.run is not None
    assert window.state.run.profile.name == "tight-32k"


@pytest.mark.parametrize(
    ("environment", "shown"),
    [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "w"}, True), ({"QT_QPA_PLATFORM": "vnc"}, True)],
)
def test_that_a_display_is_recognised(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], shown: bool
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_display() is shown
