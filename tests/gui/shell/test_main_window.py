"""The real window with real worker threads, driven as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.resources import demo_session
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.theme.palette import DARK, LIGHT, colours
from ravenglass_gui.work.replay_bridge import Bridge

Make = Callable[..., MainWindow]


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Make]:
    """Windows of a person's, closed at the end."""
    made: list[MainWindow] = []

    def window(settings: Settings | None = None, *, width: int = 1280, height: int = 800) -> MainWindow:
        state = DebuggerState()
        state.set_profile(load("tight-32k"))
        shown = MainWindow(state, Bridge(state), settings)
        shown.resize(width, height)
        qtbot.addWidget(shown)
        made.append(shown)
        shown.show()
        QApplication.processEvents()
        return shown

    yield window
    for shown in made:
        shown.close()


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> MainWindow:
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.bridge.open([path])
    assert window.state.run is not None
    return window


def test_that_opening_the_demo_fills_every_panel(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make(), demo_session())
    run = window.state.run
    assert run is not None
    assert run.calls > 100
    assert window.windowTitle().endswith("· Ravenglass")
    assert window.facts.text("window").startswith("window ")
    assert window.timeline.series is not None
    assert window.sessions.model.rowCount() == 1


def test_that_a_sub_agent_of_the_demo_is_shown_in_place_and_left_again(qtbot: QtBot, make: Make) -> None:
    window = opened(qtbot, make(), demo_session())
    root = window.state.session
    assert root is not None
    assert root.children
    child = root.children[0]
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.sessions.child_requested.emit(child)
    assert window.state.session is child
    assert window.state.root is root
    assert window.state.run is not None
    assert window.state.run.calls == len(child.structure.calls)
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.sessions.child_requested.emit(root)
    assert window.state.session is root


def test_that_keys_move_the_playhead_by_calls_turns_and_events(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    state, view = window.state, window.timeline.view
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert state.call == 1
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert state.call == 3
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert state.call == 11
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert state.call == 1
    qtbot.keyClick(view, Qt.Key.Key_N)
    assert state.call == window.navigator.marks()[0]
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert state.call == 60
    qtbot.keyClick(view, Qt.Key.Key_P)
    assert state.call == [mark for mark in window.navigator.marks() if mark < 60][-1]


def test_that_arrow_keys_and_letters_stay_in_a_text_field(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    window.state.set_call(30)
    window.actions_["filter"].trigger()
    field = QApplication.focusWidget()
    assert field is not None
    qtbot.keyClicks(field, "swan")
    qtbot.keyClick(field, Qt.Key.Key_Left)
    qtbot.keyClick(field, Qt.Key.Key_Home)
    qtbot.keyClick(field, Qt.Key.Key_Space)
    assert window.state.call == 30
    assert field.property("text") == " swan"


def test_that_run_to_break_stops_at_the_next_slow_path(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    run = window.state.run
    assert run is not None
    window.state.set_call(1)
    window.actions_["run_to_break"].trigger()
    assert window.state.call == next(n for n, path in enumerate(run.paths, 1) if path != "fast")


def test_that_stepping_the_curator_shows_one_event_a_press_and_ends(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    window.state.set_call(1)
    window.actions_["run_to_break"].trigger()
    window.actions_["step"].trigger()
    loop = window.state.loop
    assert loop is not None
    assert window.tabs.currentWidget() is window.views["trace"]
    for _ in range(200):
        window.actions_["step"].trigger()
    assert loop.done
    assert "is over" in window.notice.text
    window.actions_["next"].trigger()
    assert window.state.loop is None


def test_that_stepping_without_a_session_says_what_to_do(make: Make) -> None:
    window = make()
    window.step_curator()
    assert window.state.loop is None
    assert "open a session" in window.notice.text


def test_that_a_slider_value_replays_the_session_and_keeps_the_call(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    window.state.set_call(20)
    before = window.state.run
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.state.set_profile(window.state.profile.with_values(trim_target=0.2))
    assert window.state.run is not before
    assert window.state.run is not None
    assert window.state.run.profile.trim_target == 0.2
    assert window.state.call == 20


def test_that_a_bad_file_shows_a_sentence_and_keeps_the_session(
    qtbot: QtBot, make: Make, chat: Path, tmp_path: Path
) -> None:
    window = opened(qtbot, make(), chat)
    session, run = window.state.session, window.state.run
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\x00\x01\x02 this is no session")
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.bridge.open([bad])
    assert "bad.jsonl" in window.notice.text
    assert window.notice.isVisible()
    assert (window.state.session, window.state.run) == (session, run)


def test_that_a_dropped_file_is_opened(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = make()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(chat))])
    drop = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.dropEvent(drop)
    assert window.state.session is not None
    assert window.state.session.path.name == "chat.json"


def test_that_closing_the_session_leaves_an_empty_window(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = opened(qtbot, make(), chat)
    window.actions_["close"].trigger()
    assert window.state.run is None
    assert window.windowTitle() == "Ravenglass"
    assert not window.actions_["next"].isEnabled()
    assert chat.exists()


def test_that_a_layout_is_saved_and_brought_back(qtbot: QtBot, make: Make, settings: Settings) -> None:
    first = make(settings)
    first.layout_.docks["quota"].hide()
    first.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first.layout_.docks["why"])
    first.close()
    second = make(settings)
    assert second.layout_.docks["quota"].isHidden()
    assert second.dockWidgetArea(second.layout_.docks["why"]) is Qt.DockWidgetArea.LeftDockWidgetArea
    second.actions_["reset_layout"].trigger()
    assert not second.layout_.docks["quota"].isHidden()
    assert second.dockWidgetArea(second.layout_.docks["why"]) is Qt.DockWidgetArea.RightDockWidgetArea


def test_that_a_damaged_layout_is_not_applied(make: Make, settings: Settings) -> None:
    from PySide6.QtCore import QByteArray

    settings.save_window(QByteArray(), QByteArray(b"no layout at all"))
    window = make(settings)
    assert all(not dock.isHidden() for dock in window.layout_.docks.values())


def test_that_the_theme_switches_at_once_and_is_remembered(qtbot: QtBot, make: Make, settings: Settings) -> None:
    window = make(settings)
    assert colours() is DARK
    before = window.grab().toImage().pixelColor(3, 400).name()
    window.actions_["theme"].trigger()
    assert colours() is LIGHT
    assert settings.theme == "light"
    after = window.grab().toImage().pixelColor(3, 400).name()
    assert (before, after) == (DARK.window, LIGHT.window)


def test_that_hints_are_shown_once_and_never_after_they_were_dismissed(make: Make, settings: Settings) -> None:
    first = make(settings)
    assert first.hints.isVisible()
    first.hints.dismiss()
    assert first.hints.isHidden()
    assert not make(settings).hints.isVisible()


def test_that_no_hint_is_shown_without_settings(make: Make) -> None:
    assert make().hints.isHidden()


def test_that_the_question_mark_shows_every_key_and_escape_hides_them(qtbot: QtBot, make: Make) -> None:
    window = make()
    window.timeline.view.setFocus()
    window.actions_["keys"].trigger()
    assert window.keys.isVisible()
    qtbot.keyClick(window.keys, Qt.Key.Key_Escape)
    assert window.keys.isHidden()
    assert QApplication.focusWidget() is window.timeline.view


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1600, 1000)])
def test_that_the_window_fits_the_sizes_it_is_made_for(make: Make, width: int, height: int) -> None:
    window = make(width=width, height=height)
    assert (window.width(), window.height()) == (width, height)
    for dock in window.layout_.docks.values():
        inside = window.rect().contains(dock.geometry())
        assert inside, dock.windowTitle()
        assert dock.height() >= 100, dock.windowTitle()


def test_that_looking_at_everything_changes_no_byte_of_the_session(qtbot: QtBot, make: Make, chat: Path) -> None:
    before = chat.read_bytes()
    window = opened(qtbot, make(), chat)
    for name in window.views:
        window.tabs.setCurrentWidget(window.views[name])
        for call in (1, 30, 60):
            window.state.set_call(call)
            window.state.select(call)
            QApplication.processEvents()
    assert chat.read_bytes() == before


def test_that_a_file_is_opened_as_the_format_that_is_chosen(qtbot: QtBot, make: Make, chat: Path) -> None:
    window = make()
    window.actions_["open_as"].trigger()
    dialog = window.findChild(QInputDialog)
    assert dialog is not None
    assert any(item.startswith("anthropic-messages: ") for item in dialog.comboBoxItems())
    dialog.reject()
    with qtbot.waitSignal(window.bridge.settled, timeout=30_000):
        window.open_paths([chat], "anthropic-messages")
    assert window.state.session is not None
    assert window.state.session.format == "anthropic-messages"
