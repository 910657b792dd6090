"""Asking a model from the desktop: shown first, then asked, shown as a branch, cancelled, undone, saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay.asking.answering import AskedRun
from ravenglass.saving import save_run
from ravenglass_gui.shell.asking.dialog import AskDialog, open_ask_dialog
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.work.replay_bridge import Bridge
from tests.engine.curator.policies.endpoint_server import build, error, hang, message, serving, whole

pytestmark = pytest.mark.usefixtures("unstyled")

MANY = 400


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def window(qtbot: QtBot, chat: Path) -> Iterator[MainWindow]:
    state = DebuggerState()
    state.set_profile(load("tight-32k"))
    made = MainWindow(state, Bridge(state, remember=False))
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.bridge.open([chat])
    qtbot.waitUntil(lambda: not made.bridge.busy and not made.bridge.recorded.making, timeout=60_000)
    yield made
    made.close()


def dialog_of(window: MainWindow, url: str) -> AskDialog:
    """The dialog that Ctrl+M opens, filled in."""
    window.actions_["ask"].trigger()
    dialog = next(one for one in window.findChildren(AskDialog) if one.isVisible())
    dialog.model.url.setText(url)
    dialog.model.model.setText("small")
    dialog.model.variable.setText("")
    return dialog


def test_that_nothing_is_sent_before_the_request_and_its_cost_were_shown(window: MainWindow, qtbot: QtBot) -> None:
    with serving(*[whole(message(build([0, 1])))] * MANY) as served:
        dialog = dialog_of(window, served.url)
        assert not dialog.ask_button.isEnabled()
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        assert served.requests == []
        assert "prompt tokens" in dialog.said.text()
        assert "curator_build_context" in dialog.request.view.toPlainText()
        dialog.model.model.setText("other")  # what was shown is not what would be asked now
        assert not dialog.ask_button.isEnabled()
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        assert window.state.simulated is not None
        before = window.state.simulated
        dialog.ask_button.click()
        qtbot.waitUntil(lambda: window.state.simulated is not before, timeout=60_000)
        assert served.requests[0]["model"] == "other"
    run = window.state.simulated
    assert isinstance(run, AskedRun)
    assert run.answered
    qtbot.waitUntil(lambda: not window.bridge.busy)
    assert window.state.simulated is run  # no replay of the planner's took its place
    assert "asked other" in window.which.toolTip()
    assert window.which.text() == "asked other"
    window.state.undo_change()
    assert window.state.simulated is before
    window.state.redo_change()
    assert window.state.simulated is run


def test_that_a_run_that_was_asked_is_saved_without_asking_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    with serving(*[whole(message(build([0, 1])))] * MANY) as served:
        dialog = dialog_of(window, served.url)
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        dialog.ask_button.click()
        qtbot.waitUntil(lambda: isinstance(window.state.simulated, AskedRun), timeout=60_000)
        asked = len(served.requests)
        run = window.state.simulated
        assert isinstance(run, AskedRun)
        base = run.twin()
        assert len(served.requests) == asked
    save_run(base, tmp_path / "run")
    saved = json.loads((tmp_path / "run" / "run.json").read_text())
    assert saved["asked"]["calls"] == list(run.answered)


def test_that_cancelling_leaves_the_run_on_screen(window: MainWindow, qtbot: QtBot) -> None:
    before = window.state.simulated
    with serving(*[hang(30)] * 5) as served:
        dialog = dialog_of(window, served.url)
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        dialog.ask_button.click()
        qtbot.waitUntil(lambda: len(served.requests) > 0, timeout=30_000)
        assert window.bridge.busy
        window.busy.cancel_asked.emit()
        qtbot.waitUntil(lambda: not window.bridge.busy, timeout=5_000)
    assert window.state.simulated is before
    assert "cancelled" in window.notice.text


def test_that_an_endpoint_that_refuses_is_a_sentence(window: MainWindow, qtbot: QtBot) -> None:
    before = window.state.simulated
    with serving(*[error(401, "who are you")] * MANY) as served:
        dialog = dialog_of(window, served.url)
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        dialog.ask_button.click()
        qtbot.waitUntil(lambda: "who are you" in window.notice.text, timeout=30_000)
    assert window.state.simulated is before


@pytest.mark.parametrize(
    ("url", "model", "price", "said"),
    [
        ("", "m", "", "Say where the model is"),
        ("http://127.0.0.1:1/v1", "", "", "Say which model"),
        ("ftp://host", "m", "", "base_url"),
        ("http://127.0.0.1:1/v1", "m", "cheap", "no price"),
    ],
)
def test_that_what_is_missing_is_said_in_the_dialog(
    window: MainWindow, url: str, model: str, price: str, said: str
) -> None:
    dialog = dialog_of(window, url)
    dialog.model.model.setText(model)
    dialog.model.asked.setText(price)
    dialog.show_button.click()
    assert said in dialog.said.text()
    assert not dialog.ask_button.isEnabled()


def test_that_a_log_answers(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    run = window.state.simulated
    assert run is not None
    save_run(run.twin(), tmp_path / "run")
    dialog = dialog_of(window, "")
    dialog.who.setCurrentIndex(1)
    dialog.show_button.click()
    assert "Say which trace log" in dialog.said.text()
    dialog.log.path.setText(str(tmp_path / "run" / "traces"))
    dialog.show_button.click()
    qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
    dialog.ask_button.click()
    qtbot.waitUntil(lambda: isinstance(window.state.simulated, AskedRun), timeout=60_000)
    made = window.state.simulated
    assert made is not None
    assert list(made.window_tokens) == list(run.window_tokens)


def test_that_what_was_typed_is_remembered_but_never_the_key(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    with serving(*[whole(message(build([0, 1])))] * MANY) as served:
        dialog = open_ask_dialog(window, window.state, window.bridge, settings)
        dialog.model.url.setText(served.url)
        dialog.model.model.setText("small")
        dialog.model.key.setText("sk-secret")
        dialog.show_button.click()
        qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        dialog.ask_button.click()
        qtbot.waitUntil(lambda: isinstance(window.state.simulated, AskedRun), timeout=60_000)
        assert set(served.keys) == {"Bearer sk-secret"}
    settings.sync()
    assert settings.endpoint()["model"] == "small"
    assert "sk-secret" not in str(settings.endpoint())


def test_that_enter_looks_and_only_the_button_itself_asks(window: MainWindow, qtbot: QtBot) -> None:
    with serving() as served:
        dialog = dialog_of(window, served.url)
        for _ in range(2):
            qtbot.keyClick(dialog.model.model, Qt.Key.Key_Return)
            qtbot.waitUntil(dialog.ask_button.isEnabled, timeout=30_000)
        assert dialog.isVisible()
        assert served.requests == []


def test_that_tab_goes_from_the_prices_to_the_look_and_on_to_the_request(window: MainWindow) -> None:
    dialog = dialog_of(window, "")
    dialog.model.answered.setFocus()
    seen = []
    for _ in range(3):
        dialog.focusNextChild()
        seen.append(dialog.focusWidget())
    assert seen == [dialog.show_button, dialog.request.view, dialog.close_button]
