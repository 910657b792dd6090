"""Saved runs stand below their session, wherever it stands, and a click asks for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.store import ListedSession, OpenedSession, SavedRun
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.views.sessions.model import SessionRole, SessionsModel
from ravenglass_gui.views.sessions.panel import SessionsPanel
from tests.gui.replayed import Shown

ROOT = Path("/store")


def saved(place: Path, name: str = "tight-32k", number: int = 1, folder: Path | None = Path("/runs/one")) -> SavedRun:
    return SavedRun(number, place, name, f'name = "{name}"', 0.0, "{}", folder)


def texts(model: SessionsModel, index: QModelIndex) -> list[str]:
    return [str(model.index(row, 0, index).data()) for row in range(model.rowCount(index))]


def under(model: SessionsModel, *rows: int) -> QModelIndex:
    index = QModelIndex()
    for row in rows:
        index = model.index(row, 0, index)
    return index


def test_that_a_run_stands_below_the_open_the_remembered_and_the_listed_session(qtbot: QtBot, session: Session) -> None:
    model = SessionsModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    child = replace(session, id="c", title="explore", children=())
    root = replace(session, title="Main", project="/x/demo", children=(child,))
    opened = OpenedSession(Path("/a/two.jsonl"), "raven", "Two", "/x/demo", 9, 7, 512, 0.0, 0.0)
    shelf = Shelf(AgentPlace("An agent", ROOT), opened=False)
    shelf.fill((ListedSession.of(HolderEntry("raven", ROOT / "three.jsonl", id="3", title="Three", project="p")),))
    place = root.place.absolute()
    runs = [saved(place), saved(place, "default", 2, None), saved(opened.path, "mine", 3), saved(ROOT / "three.jsonl")]
    model.rebuild((opened,), root, root, [shelf], "", runs)
    assert texts(model, under(model, 0, 0)) == ["Main", "Two"]
    assert texts(model, under(model, 0, 0, 0)) == ["explore", "Run under tight-32k", "Run under default"]
    assert "2 saved runs" in under(model, 0, 0, 0).data(SessionRole.FACTS)
    assert texts(model, under(model, 0, 0, 1)) == ["Run under mine"]
    assert texts(model, under(model, 1, 0, 0)) == ["Run under tight-32k"]
    assert under(model, 1, 0, 0).data(SessionRole.FACTS).endswith("1 saved run")
    assert under(model, 1, 0, 0, 0).data(SessionRole.FACTS).endswith("one")
    assert model.rowCount() == 2


def test_that_runs_of_a_session_that_stands_nowhere_else_have_a_section(qtbot: QtBot) -> None:
    model = SessionsModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    runs = [saved(Path("/gone/chat.jsonl")), saved(Path("/gone/other.jsonl"), "default", 2)]
    model.rebuild((), None, None, (), "", runs)
    assert texts(model, QModelIndex()) == ["Saved runs"]
    assert texts(model, under(model, 0)) == ["chat.jsonl", "other.jsonl"]
    assert texts(model, under(model, 0, 0)) == ["Run under tight-32k"]
    model.rebuild((), None, None, (), "TIGHT chat", runs)
    assert texts(model, under(model, 0)) == ["chat.jsonl"]
    model.rebuild((), None, None, (), "nothing", runs)
    assert model.rowCount() == 0


def test_that_a_click_on_a_run_asks_for_it_and_its_menu_copies_its_folder(
    qtbot: QtBot, state: DebuggerState, show: Shown[SessionsPanel]
) -> None:
    panel = show(SessionsPanel(state), 220, 400)
    run = saved(Path("/gone/chat.jsonl"))
    panel.set_runs((run,))
    index = under(panel.model, 0, 0, 0)
    with qtbot.waitSignal(panel.run_requested) as asked, qtbot.assertNotEmitted(panel.open_requested):
        panel.tree.clicked.emit(index)
    assert asked.args == [run]
    menu, node = QMenu(panel), panel.model.node(index)
    assert node is not None
    panel.fill_menu(menu, node)
    assert [action.text() for action in menu.actions() if action.text()] == ["Open", "Copy path"]
    with qtbot.waitSignal(panel.run_requested) as asked:
        menu.actions()[0].trigger()
    assert asked.args == [run]
