"""Trace logs by themselves and engines' workspaces, opened in the real window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.errors import SessionError
from ravenglass_gui.screenshot import take
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.archive.panel import ArchivePanel
from ravenglass_gui.views.shared.log_table import LogColumn
from ravenglass_gui.views.trace.panel import TracePanel
from ravenglass_gui.views.window.panel import WindowPanel
from ravenglass_gui.work.loading import load
from ravenglass_gui.work.replay_bridge import Bridge
from tests.engine.embed.files.leftovers import files
from tests.gui.recorded import leave_workspace, write_log

pytestmark = pytest.mark.usefixtures("unstyled")

Opener = Callable[[Path], MainWindow]


@pytest.fixture
def opened(qtbot: QtBot, state: DebuggerState) -> Iterator[Opener]:
    """Opens a path in a shown main window."""
    bridge = Bridge(state, remember=False)
    window = MainWindow(state, bridge)
    qtbot.addWidget(window)
    window.show()

    def run(path: Path) -> MainWindow:
        with qtbot.waitSignal(bridge.settled, timeout=60_000):
            bridge.open([path])
        return window

    yield run
    bridge.shutdown()


def trace(window: MainWindow) -> TracePanel:
    panel = window.views["trace"]
    assert isinstance(panel, TracePanel)
    window.tabs.setCurrentWidget(panel)
    return panel


def shown_events(panel: TracePanel) -> list[str]:
    found = (panel.model.event_at(row) for row in range(panel.model.rowCount()))
    return [event.event for event in found if event is not None]


def test_that_a_folder_of_turns_opens_as_recorded_calls(qtbot: QtBot, tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    state = window.state
    assert (state.session, state.run, state.call, state.calls) == (None, None, 1, 3)
    assert window.windowTitle() == "cli_1 · recorded trace log · Ravenglass"
    panel = trace(window)
    assert shown_events(panel) == ["curator_start", "fast_path"]
    assert panel.count.text() == "2 events · recorded"
    assert not panel.step.isVisible()
    window.actions_["next"].trigger()
    assert state.call == 2
    assert "curator_llm_response" in shown_events(panel)
    assert window.facts.text("path") == "slow path"
    assert window.facts.text("simulated").startswith("recorded · trace log")
    window.actions_["last"].trigger()
    assert (state.call, window.facts.text("path")) == (3, "fail-safe")


def test_that_a_single_turn_opens(tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1") / "0002.jsonl")
    assert window.state.calls == 1
    assert shown_events(trace(window))[-1] == "fallback"


def test_that_manifest_and_window_list_what_the_log_says(qtbot: QtBot, tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    window.state.set_call(2)
    table = window.manifest.log
    assert table.model.rowCount() == 4
    assert table.facts.text().startswith("Recorded: 4 messages known")
    assert not window.manifest.filter.isVisible()
    qtbot.mouseClick(
        table.view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=table.view.visualRect(table.model.index(2, LogColumn.TEXT)).center(),
    )
    assert window.state.selected == 2
    message = window.layout_.docks["message"].panel
    assert message.text.view.toPlainText() == "text 2"  # type: ignore[attr-defined]
    assert "the trace log quotes" in message.title.facts  # type: ignore[attr-defined]
    view = window.views["window"]
    assert isinstance(view, WindowPanel)
    window.tabs.setCurrentWidget(view)
    assert view.log.model.rowCount() == 3
    assert view.log.facts.text().startswith("Recorded: 3 messages")


def test_that_panels_without_an_answer_say_what_the_log_lacks(tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    window.state.set_call(2)
    for name in ("quota", "why"):
        panel = window.layout_.docks[name].panel
        assert panel._empty.sentence().startswith("This is a trace log by itself. It holds no ")  # type: ignore[attr-defined]
    lines = window.layout_.docks["working_state"].panel.lines  # type: ignore[attr-defined]
    assert [e.text for e in lines.entries() if e.kind == "line"] == ["修复登录", "no ORM"]
    assert not any(row.change.isVisible() for row in lines._rows)
    assert window.timeline._empty.sentence().startswith("Recorded trace log: 2 turns, 3 calls")


def test_that_stepping_and_planning_say_that_a_log_holds_no_texts(tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    window.actions_["step"].trigger()
    assert window.notice.text.startswith("A trace log by itself cannot be stepped")
    window.actions_["plan"].trigger()
    assert window.notice.text.startswith("There is no call to plan for")


def test_that_run_to_break_and_turns_follow_the_log(tmp_path: Path, opened: Opener) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    window.actions_["run_to_break"].trigger()
    assert window.state.call == 2
    window.actions_["next_turn"].trigger()
    assert window.state.call == 3
    window.actions_["run_to_break"].trigger()
    assert window.notice.text == "No call after 3 left the fast path."


def test_that_a_session_opened_after_a_log_replaces_it(tmp_path: Path, opened: Opener, chat: Path) -> None:
    opened(write_log(tmp_path / "cli_1"))
    window = opened(chat)
    assert window.state.log is None
    assert window.state.run is not None
    assert window.manifest.filter.isVisible()
    assert trace(window).step.isVisible()


def test_that_a_workspace_opens_with_session_trace_and_archive(qtbot: QtBot, tmp_path: Path, opened: Opener) -> None:
    root = leave_workspace(tmp_path)
    before = files(root)
    window = opened(root)
    state = window.state
    assert state.session is not None
    assert state.run is not None
    assert state.session.id == "agent:demo"
    panel = trace(window)
    panel.scope.setCurrentIndex(2)
    assert panel.scope.currentText() == "Recorded trace"
    state.set_call(5)
    event = panel.model.event_at(panel.view.currentIndex().row())
    assert event is not None
    assert (event.call, event.event) == (5, "curator_start")
    assert panel.count.text().endswith("· recorded")
    archive = window.views["archive"]
    assert isinstance(archive, ArchivePanel)
    window.tabs.setCurrentWidget(archive)
    archive.scope.setCurrentIndex(1)
    assert archive.model.rowCount() > 0
    assert archive.count.text().endswith("· recorded")
    archive.view.selectRow(0)
    assert archive.show_button.isEnabled()
    assert not archive.branch_button.isEnabled()
    with qtbot.waitSignal(state.retrieved) as brought:
        qtbot.mouseClick(archive.show_button, Qt.MouseButton.LeftButton)
    assert brought.args is not None
    entry = archive.model.entry(0)
    assert entry is not None
    assert brought.args[0].raw[0] == state.session.raw(entry.messages[0])
    assert files(root) == before


def test_that_a_session_file_inside_a_workspace_brings_its_trace_along(tmp_path: Path) -> None:
    root = leave_workspace(tmp_path)
    loaded = load(root / "sessions" / "agent" / "demo.jsonl")
    assert loaded.log is not None
    assert loaded.archive is not None
    alone = load(root / "memory" / ".curator" / "traces" / "agent_demo")
    assert alone.session is None
    assert alone.archive is not None


def test_that_a_damaged_trace_beside_a_session_is_a_note_and_no_failure(tmp_path: Path) -> None:
    root = leave_workspace(tmp_path)
    for file in (root / "memory" / ".curator" / "traces" / "agent_demo").iterdir():
        file.write_bytes(b"\x00\x01 not a trace\n")
    loaded = load(root / "sessions" / "agent" / "demo.jsonl")
    assert loaded.session is not None
    assert loaded.log is None
    assert loaded.notes[0].startswith("The trace beside the session was not read: ")


def test_that_a_folder_without_anything_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="holds no session of a known agent, and no trace log"):
        load(tmp_path)


def test_that_a_picture_of_a_log_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    out = tmp_path / "log.png"
    take(write_log(tmp_path / "cli_1"), out, view="trace", size=(1280, 800))
    assert out.stat().st_size > 10_000
