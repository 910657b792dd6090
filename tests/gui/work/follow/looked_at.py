"""A real window that follows, and what its tests look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass_gui.shell.main_window import MainWindow
from tests.gui.stores import line

Open = Callable[[Path], MainWindow]


def messages(first: int, last: int, text: str = "") -> bytes:
    return b"".join(line(number, text) for number in range(first, last))


def calls(qtbot: QtBot, window: MainWindow, wanted: int) -> None:
    qtbot.waitUntil(lambda: window.state.calls == wanted, timeout=20_000)


def as_a_whole(window: MainWindow) -> None:
    """What is shown is what opening the file now would show."""
    run, root = window.state.run, window.state.root
    assert run is not None
    assert root is not None
    fresh = replay(open_session(root.path, root.key), run.profile, run.changes)
    assert [run.window(call) for call in range(1, run.calls + 1)] == [
        fresh.window(call) for call in range(1, fresh.calls + 1)
    ]
