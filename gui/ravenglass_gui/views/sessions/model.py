"""The session browser as an item model: what was opened, and a section for every listed folder.

Rows are made as they are looked at (see session_nodes.py). A change of what stands where resets the model; a change of
what is known of a session only changes its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.safe.visible import visible
from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import ListedSession, OpenedSession, SavedRun
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.sessions.node import Node
from ravenglass_gui.views.sessions.nodes import (
    NO_PROJECT,
    Beside,
    describe,
    opened_section,
    shelf_facts,
    shelf_section,
)
from ravenglass_gui.views.sessions.saved_runs import SavedRuns

__all__ = ["NO_PROJECT", "SessionRole", "SessionsModel"]

_Index = QModelIndex | QPersistentModelIndex


class SessionRole(IntEnum):
    """What the list's delegate and panel ask an index for."""

    KIND = Qt.ItemDataRole.UserRole + 1
    """`section`, `project`, `session`, `agent`, `run`, `more` or `left`."""
    PATH = Qt.ItemDataRole.UserRole + 2
    """What opens it, as text, for a session."""
    SESSION = Qt.ItemDataRole.UserRole + 3
    """The `Session`, for a sub-agent and for the session that is open."""
    FACTS = Qt.ItemDataRole.UserRole + 4
    CURRENT = Qt.ItemDataRole.UserRole + 5
    """Whether this is the session on screen."""
    ICON = Qt.ItemDataRole.UserRole + 7
    """Name of an icon, or empty."""
    BAD = Qt.ItemDataRole.UserRole + 6
    """Whether the facts say what is wrong."""


class SessionsModel(QAbstractItemModel):
    """One column. Ids of rows are never used twice, so that an index from before a reset leads nowhere."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sections: list[Node] = []
        self._nodes: dict[int, Node] = {}
        self._next = 1
        self._whole: frozenset[tuple[object, ...]] = frozenset()
        self._now: Path | None = None

    def rebuild(
        self,
        recent: Iterable[OpenedSession],
        root: Session | None,
        shown: Session | None,
        shelves: Sequence[Shelf] = (),
        words: str = "",
        runs: Iterable[SavedRun] = (),
    ) -> None:
        """`recent` and the saved `runs` newest first; `root` is the open file's session, `shown` it or one of its
        sub-agents. Only rows that hold every one of `words` (letter case ignored) are kept."""
        wanted = words.casefold().split()
        if wanted:
            recent = [o for o in recent if all(w in f"{o.title} {o.project} {o.format}".casefold() for w in wanted)]
        self._now = root.place.absolute() if root is not None else None
        recent, saved = list(recent), SavedRuns(runs)
        opened = opened_section(recent, root, shown, saved)
        sections = [] if opened is None else [opened]
        beside = Beside(saved, self._whole, self._now)
        for shelf in shelves:
            section = shelf_section(shelf, wanted, beside)
            if section.count or not wanted:
                sections.append(section)
        stand = {
            *([self._now] if self._now else ()),
            *(o.path for o in recent),
            *(p.absolute() for shelf in shelves for p in shelf.items),
        }
        elsewhere = saved.section(stand, wanted)
        if elsewhere is not None:
            sections.append(elsewhere)
        self.beginResetModel()
        self._nodes.clear()
        self._sections = sections
        for row, node in enumerate(sections):
            node.row = row
        self.endResetModel()

    def show_whole(self, key: tuple[object, ...]) -> None:
        """Show all sessions of the project whose `more` row has this key, from the next rebuild on."""
        self._whole = self._whole | {key}

    def update(self, shelf: Shelf, items: Iterable[ListedSession]) -> bool:
        """Show details that are known now. False where a session stands somewhere else with them: rebuild then."""
        made = {node.key: node for node in self._made() if node.root == shelf.root}
        for item in items:
            node = made.get(("listed", shelf.root, item.entry.place))
            if node is None:
                continue  # nobody has looked at its row yet
            if not _under(node, item):
                return False
            describe(node, item, opened=item.entry.place == self._now)
            self._changed(node)
        section = next((node for node in self._sections if node.key == ("shelf", shelf.root)), None)
        if section is not None:
            section.facts = shelf_facts(shelf, section.shown)
            self._changed(section)
        return True

    def _made(self) -> Iterator[Node]:
        for section in self._sections:
            yield from section.made()

    def _changed(self, node: Node) -> None:
        index = self._index(node)
        self.dataChanged.emit(index, index)

    def current(self) -> QModelIndex:
        """The row of the session on screen; invalid without one."""
        if self._sections and self._sections[0].key == ("opened",):
            for node in _walk(self._sections[0]):
                if node.current:
                    return self._index(node)
        return QModelIndex()

    def node(self, index: _Index) -> Node | None:
        return self._nodes.get(index.internalId()) if index.isValid() else None

    def find(self, key: tuple[object, ...]) -> QModelIndex:
        """The row of that key among those that were made; invalid where there is none."""
        node = next((node for node in self._made() if node.key == key), None)
        return self._index(node) if node is not None else QModelIndex()

    # -- what Qt asks ----------------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: _Index | None = None) -> QModelIndex:
        below = self._below(parent)
        if column != 0 or not 0 <= row < len(below):
            return QModelIndex()
        return self._index(below[row])

    def parent(self, index: _Index | None = None) -> QModelIndex:  # type: ignore[override]
        node = self.node(index) if index is not None else None
        return self._index(node.parent) if node is not None and node.parent is not None else QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:
        return len(self._below(parent))

    def columnCount(self, parent: _Index | None = None) -> int:  # noqa: ARG002
        return 1

    def hasChildren(self, parent: _Index | None = None) -> bool:
        if parent is None or not parent.isValid():
            return bool(self._sections)
        node = self.node(parent)
        return node is not None and node.count > 0

    def flags(self, index: _Index) -> Qt.ItemFlag:
        node = self.node(index)
        if node is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        node = self.node(index)
        if node is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return visible(node.title)
            case Qt.ItemDataRole.AccessibleTextRole:
                return visible(f"{node.title}, {node.facts}" if node.facts else node.title)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(f"{node.title}\n{node.tip}" if node.tip else node.title)
            case SessionRole.KIND:
                return node.kind
            case SessionRole.PATH:
                return str(node.place) if node.place is not None else None
            case SessionRole.SESSION:
                return node.session
            case SessionRole.FACTS:
                return visible(node.facts)
            case SessionRole.CURRENT:
                return node.current
            case SessionRole.ICON:
                return node.icon
            case SessionRole.BAD:
                return node.bad
        return None

    def _below(self, parent: _Index | None) -> list[Node]:
        if parent is None or not parent.isValid():
            return self._sections
        node = self.node(parent)
        return node.below if node is not None else []

    def _index(self, node: Node) -> QModelIndex:
        if not node.id:
            node.id, self._next = self._next, self._next + 1
            self._nodes[node.id] = node
        return self.createIndex(node.row, 0, node.id)


def _under(node: Node, item: ListedSession) -> bool:
    """Whether a row stands under the project that its session names, or under another session."""
    parent = node.parent
    if parent is None or parent.kind != "project":
        return True
    return item.entry.parent is None and parent.key[-1] == item.entry.project


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for below in node.below:
        yield from _walk(below)
