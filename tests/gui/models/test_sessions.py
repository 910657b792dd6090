"""The tree of opened sessions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ravenglass.sessions.model import Session
from ravenglass.store.records import OpenedSession
from ravenglass_gui.models.sessions import NO_PROJECT, SessionRole, SessionsModel


def remembered(path: str, project: str, title: str = "", calls: int = 1) -> OpenedSession:
    return OpenedSession(Path(path), "claude-code", title, project, 9, calls, 4_000_000, 0.0, 0.0)


def tree(model: SessionsModel, parent: QModelIndex | None = None) -> list[object]:
    parent = parent or QModelIndex()
    rows: list[object] = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        below = tree(model, index)
        text = index.data(Qt.ItemDataRole.DisplayRole)
        rows.append((text, below) if below else text)
    return rows


def test_that_sessions_stand_under_their_project_in_the_order_given(qtbot: QtBot) -> None:
    model = SessionsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    recent = (
        remembered("/a/one.jsonl", "/home/me/billing", "Split the billing module", 871),
        remembered("/a/two.jsonl", "", "修复登录页的重定向"),
        remembered("/a/three.jsonl", "/home/me/billing"),
    )
    model.rebuild(recent, None, None)
    assert tree(model) == [
        ("billing", ["Split the billing module", "three.jsonl"]),
        (NO_PROJECT, ["修复登录页的重定向"]),
    ]
    first = model.index(0, 0, model.index(0, 0))
    assert first.data(SessionRole.FACTS) == "871 calls · 4.0 MB"
    assert Path(first.data(SessionRole.PATH)) == Path("/a/one.jsonl")
    assert tester.model() is model


def test_that_sub_agents_are_nested_and_the_shown_one_is_current(qtbot: QtBot, session: Session) -> None:
    grandchild = replace(session, id="g", title="deeper", children=())
    child = replace(session, id="c", title="explore: callers", children=(grandchild,))
    root = replace(session, title="Main", project="/x/demo", children=(child,))
    model = SessionsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.rebuild((), root, grandchild)
    assert tree(model) == [("demo", [("Main", [("explore: callers", ["deeper"])])])]
    assert model.current().data(SessionRole.SESSION) is grandchild
    model.rebuild((), root, root)
    assert model.current().data(Qt.ItemDataRole.DisplayRole) == "Main"
    assert tester.model() is model


def test_that_the_open_session_is_listed_once(qtbot: QtBot, session: Session) -> None:
    model = SessionsModel()
    model.rebuild((remembered(str(session.path.absolute()), session.project),), session, session)
    assert sum(len(rows[1]) for rows in tree(model) if isinstance(rows, tuple)) == 1


def test_that_a_title_of_many_lines_becomes_one(qtbot: QtBot) -> None:
    model = SessionsModel()
    model.rebuild((remembered("/a/one.jsonl", "p", "<b>one</b>\n\n  two"),), None, None)
    assert tree(model) == [("p", ["<b>one</b> two"])]
