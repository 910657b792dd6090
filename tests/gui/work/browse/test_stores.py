"""Folders and databases given to the window: listed, and opened like a file where there is one session or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from ravenglass.cli.desktop import _session_of
from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.work.browse import worker as browse_worker
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.replay_bridge import Bridge
from tests.engine.sessions.formats.opencode.store import Chat, database, words
from tests.gui.recorded import KEY, leave_workspace, write_log
from tests.gui.stores import write_chat_lines

pytestmark = pytest.mark.usefixtures("unstyled")

Make = Callable[[], MainWindow]


@pytest.fixture
def make(qtbot: QtBot, settings: Settings) -> Iterator[Make]:
    made: list[MainWindow] = []

    def window() -> MainWindow:
        settings.hints_done = True
        state = DebuggerState()
        shown = MainWindow(state, Bridge(state, remember=False), settings, Browser())
        qtbot.addWidget(shown)
        made.append(shown)
        shown.show()
        return shown

    yield window
    for shown in made:
        shown.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for number in range(3):
        write_chat_lines(tmp_path / "store" / f"{number}.jsonl", f"cli:{number}", calls=number + 1)
    return tmp_path / "store"


def test_that_a_folder_is_listed_and_its_latest_session_shown_where_none_is(
    qtbot: QtBot, make: Make, store: Path, settings: Settings
) -> None:
    window = make()
    window.open_paths([store])
    qtbot.waitUntil(lambda: window.state.run is not None, timeout=30_000)
    assert window.state.root is not None
    assert window.state.root.path.parent == store
    assert [shelf.root for shelf in window.browser.shelves] == [store]
    assert settings.folders == [store]


def test_that_a_dropped_folder_leaves_the_open_session_on_screen_and_says_where_its_sessions_are(
    qtbot: QtBot, make: Make, store: Path, chat: Path
) -> None:
    window = make()
    with qtbot.waitSignal(window.bridge.settled, timeout=30_000):
        window.open_paths([chat])
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(store))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, buttons, keys))
    qtbot.waitUntil(lambda: "3 sessions are listed" in window.notice.text, timeout=30_000)
    assert window.state.root is not None
    assert window.state.root.path == chat


def test_that_a_database_is_listed_and_one_of_its_sessions_can_be_opened(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    talk = Chat().user(words("fix the login")).assistant(words("done"))
    path = database(tmp_path / "opencode.db", talk, Chat("ses_2").user(words("another")).assistant(words("yes")))
    window = make()
    window.open_paths([path])
    qtbot.waitUntil(lambda: window.state.run is not None, timeout=30_000)
    shelf = window.browser.shelf(path)
    assert shelf is not None
    assert not shelf.folder
    place = next(item.entry.place for item in shelf.items.values() if item.entry.key == "ses_2")
    with qtbot.waitSignal(window.bridge.opened, timeout=30_000):
        window.sessions.open_requested.emit(place)
    assert window.state.root is not None
    assert window.state.root.key == "ses_2"


def test_that_a_folder_with_one_session_is_opened_like_a_file(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    only = write_chat_lines(tmp_path / "one" / "only.jsonl", "cli:1")
    window = make()
    window.open_paths([tmp_path / "one"])
    qtbot.waitUntil(lambda: window.state.run is not None, timeout=30_000)
    assert window.state.root is not None
    assert window.state.root.path == only
    assert window.browser.shelves == ()


def test_that_the_latest_session_of_a_workspace_is_opened_over_what_is_on_screen(
    qtbot: QtBot, make: Make, tmp_path: Path, chat: Path
) -> None:
    root = leave_workspace(tmp_path / "work", rounds=4)
    write_chat_lines(root / "sessions" / "cli_older.jsonl", "cli:older")
    os.utime(root / "sessions" / "cli_older.jsonl", (1_000, 1_000))
    window = make()
    with qtbot.waitSignal(window.bridge.settled, timeout=30_000):
        window.open_paths([chat])
    with qtbot.waitSignal(window.bridge.opened, timeout=30_000):
        window.open_paths([root])
    assert window.state.root is not None
    assert window.state.root.id == KEY
    assert window.state.log is not None
    shelf = window.browser.shelf(root)
    assert shelf is not None
    assert len(shelf.sessions) == 2


def test_that_a_folder_of_traces_opens_as_a_log(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    window = make()
    window.open_paths([write_log(tmp_path / "cli_1")])
    qtbot.waitUntil(lambda: window.state.log is not None, timeout=30_000)
    assert window.state.calls == 3


def test_that_a_folder_without_sessions_says_so(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    window = make()
    window.open_paths([tmp_path / "empty"])
    qtbot.waitUntil(lambda: bool(window.notice.text), timeout=30_000)
    assert str(tmp_path / "empty") in window.notice.text
    assert window.browser.shelves == ()


def test_that_a_folder_taken_off_the_list_is_not_listed_at_the_next_start(
    qtbot: QtBot, make: Make, store: Path, settings: Settings
) -> None:
    window = make()
    window.open_paths([store])
    qtbot.waitUntil(lambda: settings.folders == [store], timeout=30_000)
    window.sessions.forget_requested.emit(store)
    assert settings.folders == []
    assert window.browser.shelves == ()


def test_that_folders_that_are_gone_are_not_listed(settings: Settings, store: Path, tmp_path: Path) -> None:
    settings.folders = [store, tmp_path / "gone"]
    assert settings.folders == [store]


def test_that_without_a_display_the_latest_session_of_a_folder_is_printed(store: Path, tmp_path: Path) -> None:
    for number in range(3):
        os.utime(store / f"{number}.jsonl", (1_000 + number, 1_000 + number))
    assert _session_of(store) == store / "2.jsonl"
    assert _session_of(store / "0.jsonl") == store / "0.jsonl"
    assert _session_of(tmp_path / "gone") == tmp_path / "gone"


def test_that_places_of_agents_that_are_found_open_nothing_by_themselves(
    qtbot: QtBot, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_chat_lines(tmp_path / "one" / "one.jsonl", "cli:one")
    monkeypatch.setattr(browse_worker, "places", lambda: (AgentPlace("Raven", tmp_path / "one"),))
    window = make()
    with qtbot.waitSignal(window.browser.listed, timeout=20_000):
        window.browser.begin()
    qtbot.wait(50)
    assert not window.bridge.busy
    assert window.state.root is None
    assert [shelf.root for shelf in window.browser.shelves] == [tmp_path / "one"]
