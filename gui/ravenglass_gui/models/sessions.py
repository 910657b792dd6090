"""Opened sessions as a tree: projects, their sessions newest first, and sub-agents of the one that is open."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from pathlib import PurePath

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from ravenglass.sessions.model import Session
from ravenglass.store.records import OpenedSession
from ravenglass_gui.models.plain import one_line
from ravenglass_gui.widgets.numbers import amount, size

NO_PROJECT = "no project recorded"


class SessionRole(IntEnum):
    """What the list's delegate and panel ask an index for."""

    KIND = Qt.ItemDataRole.UserRole + 1
    """`project`, `session` or `agent`."""
    PATH = Qt.ItemDataRole.UserRole + 2
    """Path of the file, for a session."""
    SESSION = Qt.ItemDataRole.UserRole + 3
    """The `Session`, for a sub-agent and for the session that is open."""
    FACTS = Qt.ItemDataRole.UserRole + 4
    CURRENT = Qt.ItemDataRole.UserRole + 5
    """Whether this is the session on screen."""


class SessionsModel(QStandardItemModel):
    """Rebuilt whenever a session is opened: some dozens of rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = QModelIndex()

    def rebuild(self, recent: Iterable[OpenedSession], root: Session | None, shown: Session | None) -> None:
        """`recent` newest first; `root` is the open file's session, `shown` it or one of its sub-agents."""
        self.clear()
        current: list[QStandardItem] = []
        projects: dict[str, QStandardItem] = {}
        known = list(recent)
        if root is not None:
            known = [o for o in known if o.path != root.place.absolute()]
            self._session(projects, root, shown, current)
        for opened in known:
            facts = f"{amount(opened.calls, 'call')} · {size(opened.size)}"
            item = _item("session", opened.title or opened.path.name, facts, str(opened.path))
            item.setData(str(opened.path), SessionRole.PATH)
            self._project(projects, opened.project).appendRow(item)
        self._current = current[0].index() if current else QModelIndex()

    def current(self) -> QModelIndex:
        """The row of the session on screen; invalid without one."""
        return self._current

    def _session(
        self, projects: dict[str, QStandardItem], root: Session, shown: Session | None, current: list[QStandardItem]
    ) -> None:
        facts = f"{amount(len(root.structure.calls), 'call')} · {amount(len(root.messages), 'message')}"
        item = _item("session", root.title or root.path.name, facts, str(root.path))
        item.setData(str(root.place.absolute()), SessionRole.PATH)
        self._project(projects, root.project).appendRow(item)
        self._mark(item, root, shown, current)
        self._children(item, root, shown, current)

    def _children(
        self, parent: QStandardItem, session: Session, shown: Session | None, current: list[QStandardItem]
    ) -> None:
        for child in session.children:
            facts = amount(len(child.structure.calls), "call")
            item = _item("agent", child.title or child.id, facts, str(child.path))
            parent.appendRow(item)
            self._mark(item, child, shown, current)
            self._children(item, child, shown, current)

    @staticmethod
    def _mark(item: QStandardItem, session: Session, shown: Session | None, current: list[QStandardItem]) -> None:
        item.setData(session, SessionRole.SESSION)
        item.setData(session is shown, SessionRole.CURRENT)
        if session is shown:
            current.append(item)

    def _project(self, projects: dict[str, QStandardItem], project: str) -> QStandardItem:
        if project not in projects:
            name = PurePath(project.replace("\\", "/")).name or project or NO_PROJECT
            projects[project] = _item("project", name, "", project or "The record does not say where it was made.")
            projects[project].setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.appendRow(projects[project])
        return projects[project]


def _item(kind: str, title: str, facts: str, tip: str) -> QStandardItem:
    item = QStandardItem(one_line(title, 200))
    item.setEditable(False)
    item.setData(kind, SessionRole.KIND)
    item.setData(facts, SessionRole.FACTS)
    item.setData(f"{item.text()}, {facts}" if facts else item.text(), Qt.ItemDataRole.AccessibleTextRole)
    item.setData(tip, Qt.ItemDataRole.StatusTipRole)
    return item
