"""The session browser asks for what was clicked, keeps what is folded, and says why it is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import OpenedSession
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.sessions.model import SessionRole
from ravenglass_gui.views.sessions.nodes import PAGE
from ravenglass_gui.views.sessions.panel import SessionsPanel
from ravenglass_gui.work.browse.browsing import Browser
from tests.gui.replayed import Shown
from tests.gui.stores import write_chat_lines


def entry(path: str, project: str) -> OpenedSession:
    return OpenedSession(Path(path), "raven", "A title", project, 9, 7, 512, 0.0, 0.0)


def row(panel: SessionsPanel, *rows: int) -> QModelIndex:
    index = QModelIndex()
    for number in rows:
        index = panel.model.index(number, 0, index)
    return index


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser(remember=False)
    yield made
    made.shutdown()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for number in range(30):
        write_chat_lines(
            tmp_path / "store" / f"{number:02d}.jsonl", f"cli:{number:02d}", title=f"Task {number:02d} 登录"
        )
    return tmp_path / "store"


def settled(qtbot: QtBot, browser: Browser, act: Callable[[], object]) -> None:
    with qtbot.waitSignal(browser.settled, timeout=30_000):
        act()


def test_that_a_click_on_a_session_asks_to_open_it_and_on_a_project_does_not(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel]
) -> None:
    panel = show(SessionsPanel(state), 220, 400)
    panel.set_recent((entry("/a/one.jsonl", "/x/billing"),))
    project = panel.model.index(0, 0, panel.model.index(0, 0))
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
    main = row(panel, 0, 0, 0)
    with qtbot.assertNotEmitted(panel.child_requested):
        panel.tree.clicked.emit(main)
    with qtbot.waitSignal(panel.child_requested) as asked:
        panel.tree.clicked.emit(panel.model.index(0, 0, main))
    assert asked.args == [child]
    state.set_session(child, root)
    assert panel.tree.currentIndex().data() == "explore: callers"
    with qtbot.waitSignal(panel.child_requested) as asked:
        panel.tree.clicked.emit(row(panel, 0, 0, 0))
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


def test_that_a_listed_session_is_asked_for_and_its_details_arrive_in_its_row(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, store: Path
) -> None:
    panel = show(SessionsPanel(state, browser=browser), 260, 600)
    settled(qtbot, browser, lambda: browser.add(store))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    first = row(panel, 0, 0, 0)
    qtbot.waitUntil(lambda: "1 call" in str(row(panel, 0, 0, 0).data(SessionRole.FACTS)))
    assert str(first.data()).endswith("登录")
    with qtbot.waitSignal(panel.open_requested) as asked:
        panel.tree.clicked.emit(first)
    assert asked.args[0].parent == store
    assert panel._title.facts == "30"


def test_that_folding_the_current_row_and_the_place_survive_a_new_list(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, store: Path
) -> None:
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    settled(qtbot, browser, lambda: browser.add(store))
    qtbot.waitUntil(lambda: panel.model.rowCount(row(panel, 0, 0)) == 30)
    panel.tree.setCurrentIndex(row(panel, 0, 0, 20))
    chosen = panel.tree.currentIndex().data(SessionRole.PATH)
    panel.tree.verticalScrollBar().setValue(333)
    settled(qtbot, browser, panel.refresh)
    panel._soon.flush()
    assert panel.tree.currentIndex().data(SessionRole.PATH) == chosen
    assert panel.tree.verticalScrollBar().value() == 333
    panel.tree.clicked.emit(row(panel, 0))
    assert not panel.tree.isExpanded(row(panel, 0))
    panel.set_recent((entry("/a/one.jsonl", "/x/billing"),))
    assert not panel.tree.isExpanded(row(panel, 1))
    assert panel.tree.isExpanded(row(panel, 0))


def test_that_what_is_on_screen_is_wanted_first(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    settled(qtbot, browser, lambda: browser.add(store))
    qtbot.waitUntil(lambda: panel.model.rowCount(row(panel, 0, 0)) == 30)
    wanted: list[list[tuple[Path, Path]]] = []
    monkeypatch.setattr(browser, "want", wanted.append)
    panel.tree.scrollToBottom()
    qtbot.waitUntil(lambda: bool(wanted))
    last = Path(str(row(panel, 0, 0, 29).data(SessionRole.PATH)))
    assert (store, last) in wanted[-1]
    assert len(wanted[-1]) < 15


def test_that_typing_filters_and_a_filter_without_a_hit_says_so(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, store: Path
) -> None:
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    settled(qtbot, browser, lambda: browser.add(store))
    qtbot.waitUntil(lambda: panel.filter.isVisible())
    panel.filter.setText("登录 17")
    qtbot.waitUntil(lambda: panel.model.rowCount(row(panel, 0, 0)) == 1)
    assert row(panel, 0).data(SessionRole.FACTS).startswith("1 of 30 sessions")
    panel.filter.setText("nowhere")
    qtbot.waitUntil(lambda: panel._empty.isVisible())
    assert "'nowhere'" in panel._empty.sentence()
    panel._empty.button().click()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)


def test_that_without_any_agent_the_list_says_so(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ravenglass_gui.work.browse.worker.places", lambda: ())
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    browser.begin()
    qtbot.waitUntil(lambda: "No agent that is known" in panel._empty.sentence())


def test_that_the_menu_of_a_row_opens_reads_copies_and_takes_off(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, store: Path
) -> None:
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    settled(qtbot, browser, lambda: browser.add(store))
    qtbot.waitUntil(lambda: panel.model.rowCount(row(panel, 0, 0)) == 30)
    menu = QMenu(panel)
    session = panel.model.node(row(panel, 0, 0, 0))
    assert session is not None
    panel.fill_menu(menu, session)
    opens, reads, copies = menu.actions()
    with qtbot.waitSignal(panel.open_requested):
        opens.trigger()
    settled(qtbot, browser, reads.trigger)
    copies.trigger()
    assert QGuiApplication.clipboard().text() == str(session.place)
    section = panel.model.node(row(panel, 0))
    assert section is not None
    menu.clear()
    panel.fill_menu(menu, section)
    with qtbot.waitSignal(panel.forget_requested) as asked:
        menu.actions()[-1].trigger()
    assert asked.args == [store]


def test_that_enter_opens_a_session_and_folds_a_heading(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel]
) -> None:
    panel = show(SessionsPanel(state), 260, 300)
    panel.set_recent((entry("/a/one.jsonl", "/x/billing"),))
    panel.tree.setCurrentIndex(row(panel, 0, 0, 0))
    with qtbot.waitSignal(panel.open_requested) as asked:
        qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert asked.args == [Path("/a/one.jsonl")]
    panel.tree.setCurrentIndex(row(panel, 0, 0))
    qtbot.keyClick(panel.tree, Qt.Key.Key_Enter)
    assert not panel.tree.isExpanded(row(panel, 0, 0))


def test_that_the_row_for_older_sessions_shows_them(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel], browser: Browser, tmp_path: Path
) -> None:
    for number in range(PAGE + 20):
        write_chat_lines(tmp_path / "many" / f"{number}.jsonl", f"cli:{number}")
    panel = show(SessionsPanel(state, browser=browser), 260, 300)
    with qtbot.waitSignal(browser.listed, timeout=30_000):
        browser.add(tmp_path / "many")
    qtbot.waitUntil(lambda: panel.model.rowCount(row(panel, 0, 0)) == PAGE + 1)
    panel.tree.clicked.emit(row(panel, 0, 0, PAGE))
    assert panel.model.rowCount(row(panel, 0, 0)) == PAGE + 20
