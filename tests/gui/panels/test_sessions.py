"""The session list asks for what was clicked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex
from pytestqt.qtbot import QtBot

from ravenglass.sessions.model import Session
from ravenglass.store.records import OpenedSession
from ravenglass_gui.panels.sessions import SessionsPanel
from ravenglass_gui.state import DebuggerState
from tests.gui.replayed import Shown


def entry(path: str, project: str) -> OpenedSession:
    return OpenedSession(Path(path), "raven", "A title", project, 9, 7, 512, 0.0, 0.0)


def test_that_a_click_on_a_session_asks_to_open_it_and_on_a_project_does_not(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel]
) -> None:
    panel = show(SessionsPanel(state), 220, 400)
    panel.set_recent((entry("/a/one.jsonl", "/x/billing"),))
    project = panel.model.index(0, 0)
    with qtbot.assertNotEmitted(panel.open_requested):
        panel.tree.clicked.emit(project)
    with qtbot.waitSignal(panel.open_requested) as asked:
        panel.tree.clicked.emit(panel.model.index(0, 0, project))
    assert asked.args == [Path("/a/one.jsonl")]


def test_that_a_sub_agent_is_asked_for_and_the_shown_session_is_not(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], session: Session
) -> None:
    child = replace(session, id="c", title="explore: callers", children=())
    root = replace(session, title="Main", children=(child,))
    panel = show(SessionsPanel(state), 220, 400)
    state.set_session(root)
    main = panel.model.index(0, 0, panel.model.index(0, 0))
    with qtbot.assertNotEmitted(panel.child_requested):
        panel.tree.clicked.emit(main)
    with qtbot.waitSignal(panel.child_requested) as asked:
        panel.tree.clicked.emit(panel.model.index(0, 0, main))
    assert asked.args == [child]
    state.set_session(child, root)
    assert panel.tree.currentIndex().data() == "explore: callers"
    with qtbot.waitSignal(panel.child_requested) as asked:
        panel.tree.clicked.emit(panel.model.index(0, 0, panel.model.index(0, 0)))
    assert asked.args == [root]


def test_that_an_empty_list_offers_to_open_a_file(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel]
) -> None:
    panel = show(SessionsPanel(state), 220, 400)
    assert panel.model.rowCount(QModelIndex()) == 0
    with qtbot.waitSignal(panel.dialog_requested):
        panel._empty.button().click()


def test_that_rows_are_painted_in_both_states(
    state: DebuggerState, show: Shown[SessionsPanel], session: Session
) -> None:
    panel = show(SessionsPanel(state), 220, 400)
    panel.set_recent((entry("/a/one.jsonl", "/x/billing"),))
    before = panel.grab().toImage()
    state.set_session(session)
    assert panel.grab().toImage() != before
