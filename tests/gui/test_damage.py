"""Bytes that could not be read: the strip, the list, and the action that leads to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass.sessions import open_session
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.damage import DamageModel, other_warnings, places, summary
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge
from tests.gui.claude_recordings import write_recording
from tests.gui.recorded import write_log

pytestmark = pytest.mark.usefixtures("unstyled")


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    state = DebuggerState()
    shown = MainWindow(state, Bridge(state, remember=False))
    shown.resize(1280, 800)
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    shown.close()


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    window.bridge.open([path])
    qtbot.waitUntil(lambda: window.state.recorded is not None, timeout=60_000)


def test_that_a_whole_file_has_no_strip_and_nothing_to_list(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    opened(qtbot, window, write_recording(tmp_path / "whole.jsonl", reported=False))
    assert not window.damage.isVisible()
    assert not window.actions_["damage"].isEnabled()


def test_that_lost_bytes_and_a_cut_last_line_are_counted_and_listed_where_they_stand(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    broken = b'{"type": "user", "broken'
    path = write_recording(tmp_path / "hurt.jsonl", reported=False, damage=broken)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type": "assi')
    posted: list[str] = []
    window.state.message_posted.connect(lambda level, sentence: posted.append(sentence))  # noqa: ARG005
    opened(qtbot, window, path)
    assert posted == []  # the strip tells it; a notice that tells it too would only be in the way
    assert window.damage.isVisible()
    assert window.damage.text == (
        f"1 place could not be read: {len(broken)} bytes lost, all else was kept."
        " The last line of hurt.jsonl is not finished yet (14 bytes)."
    )
    assert window.actions_["damage"].isEnabled()
    window.damage.list.click()
    dialog = window.damage.dialog
    assert dialog is not None
    assert dialog.isVisible()
    model = dialog.model
    rows = [[model.index(row, column).data() for column in range(model.columnCount())] for row in range(2)]
    line = whole[: whole.index(broken)].count(b"\n") + 1
    assert rows[0][:4] == ["hurt.jsonl", f"{line}", f"{whole.index(broken):,}", f"{len(broken)}"]
    assert rows[0][4:] == ["it is no valid JSON", "nothing"]
    assert rows[1][:4] == ["hurt.jsonl", f"{whole.count(10) + 1}", f"{len(whole):,}", "14"]
    dialog.close()
    qtbot.waitUntil(lambda: window.damage.dialog is None)
    window.actions_["damage"].trigger()
    assert window.damage.dialog is not None
    window.damage.dialog.close()
    qtbot.waitUntil(lambda: window.damage.dialog is None)
    window.state.set_session(None)
    QApplication.processEvents()
    assert not window.damage.isVisible()


def test_that_the_model_is_a_sound_table(qtmodeltester: object, qtbot: QtBot, tmp_path: Path) -> None:
    path = write_recording(tmp_path / "hurt.jsonl", reported=False, damage=b"\x00\x00")
    session = open_session(path)
    model = DamageModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(places(session))
    assert model.rowCount() == 1
    model.show(())
    assert model.rowCount() == 0
    assert tester is not None


def test_that_every_other_warning_is_still_told(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "hurt.jsonl", reported=False, damage=b"{")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"a24"' not in line or b"tool_result" in line))
    session = open_session(path)
    assert len(session.warnings) == 2
    assert other_warnings(session) == ("1 tool result has no tool call in the file.",)


def test_that_the_damage_of_a_trace_log_by_itself_is_listed_too(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    folder = write_log(tmp_path / "traces")
    with (folder / "0001.jsonl").open("ab") as file:
        file.write(b'{"event": \x00\xff}\n{"event": "x"')
    with qtbot.waitSignal(window.bridge.settled, timeout=30_000):
        window.bridge.open([folder])
    found = places(None, window.state.log)
    assert [(place.file, place.pending) for place in found] == [("0001.jsonl", False), ("0001.jsonl", True)]
    assert window.damage.text == summary(found)
    assert window.actions_["damage"].isEnabled()


def test_that_nothing_lost_is_no_sentence() -> None:
    assert places(None) == ()
    assert summary(()) == ""
