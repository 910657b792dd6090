"""The blocks of one call's window in order, with section headings cache breakpoints, and the end of what is as it was.

Blocks are the engine's `WindowMessage`s; rows that are no block carry a `Line`. Moving the playhead keeps the
rows that did not change, so that scrolling and selection survive.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.replay.frame import Breakpoint, Window, WindowMessage
from ravenglass.safe.visible import visible
from ravenglass_gui.text.numbers import compact
from ravenglass_gui.text.plain import one_line

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class WindowColumn(IntEnum):
    """Columns from left to right."""

    ID = 0
    WHAT = 1
    TOKENS = 2
    TEXT = 3


class WindowRole(IntEnum):
    """Beside Qt's roles."""

    ENTRY = Qt.ItemDataRole.UserRole + 1
    LARGEST = Qt.ItemDataRole.UserRole + 2
    """Tokens of the largest block listed: the full length of a bar."""


HEADERS = ("#", "block", "tokens", "text")
SECTIONS = {"session": "session: working state, summary", "history": "history, chronological"}
ICONS = {"summary": "mdi6.text-short"}
"""Icon of a block that is no message, by its label; others have that of their role."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row that is no block: a section heading, a cache breakpoint, or the end of the cached prefix."""

    kind: Literal["section", "cache", "mark"]
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A message, or what stands for one. `gone`: it stood in the previous window and is not in this one."""

    message: WindowMessage
    gone: bool = False
    note: bool = False
    """The writer cleared its text: in a recorded window a note stands in its place."""


Entry = Line | Block


def entries(window: Window, previous: Window | None, *, changed_only: bool) -> list[Entry]:
    """The rows of a window. With `changed_only`: blocks that are new or in another form, then those that left."""
    listed: list[Entry] = []
    section = ""
    marks = {} if changed_only else {mark.blocks: mark for mark in window.breakpoints}
    for position, message in enumerate(window.messages):
        if position in marks:
            listed.append(Line("mark", mark_text(marks[position])))
        if position == window.stable_prefix and window.stable_prefix and not changed_only:
            listed.append(Line("cache", cache_text(window)))
        if changed_only and not message.added:
            continue
        if message.section != section:
            section = message.section
            listed.append(Line("section", SECTIONS.get(section, section)))
        listed.append(Block(message, note=_is_note(window, message)))
    if window.messages and window.stable_prefix == len(window.messages) and not changed_only:
        listed.append(Line("cache", cache_text(window)))
    if window.messages and len(window.messages) in marks:
        listed.append(Line("mark", mark_text(marks[len(window.messages)])))
    if changed_only and previous is not None:
        inside = {m.id for m in window.messages}
        gone = [m for m in previous.messages if m.id is not None and m.id not in inside]
        if gone:
            listed.append(Line("section", f"left the window at this call · {len(gone):,}"))
            listed.extend(Block(m, gone=True, note=_is_note(previous, m)) for m in gone)
    return listed


def _is_note(window: Window, message: WindowMessage) -> bool:
    return window.path == "recorded" and message.id is not None and not message.verbatim


def cache_text(window: Window) -> str:
    """The label of the line behind which the window differs from the one before: no cache serves more."""
    if not window.remembered:
        return (
            "as in the call before up to here, but the cache had forgotten it"
            f" · {compact(window.stable_tokens)} of {compact(window.tokens)} tokens"
        )
    return f"as in the call before up to here · {compact(window.stable_tokens)} of {compact(window.tokens)} tokens"


_MARKS = {
    "head": "the head before the working state",
    "kept": "what a slow path keeps",
    "outlasted": "what outlasted the latest break",
    "lasting": "what stays at the next call",
    "cached": "what is in the cache already",
    "automatic": "the whole window, automatic",
}
_TOOLS = "tools and system prompt"


def mark_text(mark: Breakpoint) -> str:
    """The label of a cache breakpoint: what it stands behind, and how much that is."""
    behind = _MARKS[mark.kind] if mark.blocks else _TOOLS
    return f"cache breakpoint behind {behind} · {compact(mark.tokens)} tokens"


class WindowModel(QAbstractTableModel):
    """`show` replaces the rows, keeping the common beginning."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []
        self._largest = 0

    def show(self, listed: list[Entry]) -> None:
        common = 0
        for before, after in zip(self._entries, listed, strict=False):
            if _same(before, after):
                common += 1
            else:
                break
        if common < len(self._entries):
            self.beginRemoveRows(_ROOT, common, len(self._entries) - 1)
            del self._entries[common:]
            self.endRemoveRows()
        if common < len(listed):
            self.beginInsertRows(_ROOT, common, len(listed) - 1)
            self._entries = list(listed)
            self._measure()
            self.endInsertRows()
        else:
            self._entries = list(listed)
            self._measure()
        if common:
            self.dataChanged.emit(self.index(0, 0), self.index(common - 1, len(WindowColumn) - 1))

    def _measure(self) -> None:
        self._largest = max((e.message.tokens for e in self._entries if isinstance(e, Block)), default=0)

    def entry(self, row: int) -> Entry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def row_of(self, message: int) -> int | None:
        """Where a message's block is listed, or None."""
        for row, entry in enumerate(self._entries):
            if isinstance(entry, Block) and entry.message.id == message:
                return row
        return None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(WindowColumn)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if isinstance(self.entry(index.row()), Block):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return visible(cell_text(entry, WindowColumn(index.column())))
        if role == WindowRole.ENTRY:
            return entry
        if role == WindowRole.LARGEST:
            return self._largest
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(entry, Block):
            return tooltip(entry)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(WindowColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight
                if section in (WindowColumn.ID, WindowColumn.TOKENS)
                else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def _same(before: Entry, after: Entry) -> bool:
    """The row stands for the same thing, so it keeps its place (its looks may differ)."""
    if isinstance(before, Block) and isinstance(after, Block):
        return before.message.id == after.message.id and before.gone == after.gone
    return before == after


def cell_text(entry: Entry, column: WindowColumn) -> str:
    """A cell in words."""
    if isinstance(entry, Line):
        return entry.text if column is WindowColumn.TEXT else ""
    message = entry.message
    match column:
        case WindowColumn.ID:
            return "" if message.id is None else str(message.id)
        case WindowColumn.WHAT:
            return message.label
        case WindowColumn.TOKENS:
            return f"{message.tokens:,}"
        case WindowColumn.TEXT:
            return block_text(message)


def block_text(message: WindowMessage) -> str:
    """The block on one line: its text, or the calls it makes."""
    calls = " · ".join(f"{name}({one_line(arguments, 120)})" for _, name, arguments in message.tool_calls)
    return one_line("  ".join(part for part in (one_line(message.text), calls) if part), 600)


_STAND_INS = {
    "stub": "a stub of the recorded text, retrievable in full",
    "updated": "the file as an edit since left it, not as it was read; what was read is retrievable",
    "difference": "the difference from an earlier version that stands in the window too, retrievable in full",
    "reference": "a reference to the same text further down, retrievable in full",
}


def _made_of(entry: Block) -> str:
    message = entry.message
    if entry.note:
        return "a note: the writer cleared the recorded text from its window"
    if message.verbatim:
        return "verbatim"
    if message.id is not None:
        return _STAND_INS[message.stand_in]
    if message.label == "summary":
        return "stands for messages that left the window; they stay retrievable; select it to read it in full"
    return "no recorded message: made for the window"


def tooltip(entry: Block) -> str:
    """Facts of a block that its row only hints at."""
    message = entry.message
    said = [f"{message.role}, {message.tokens:,} tokens"]
    said.append(_made_of(entry))
    if entry.gone:
        said.append("in the previous window, not in this one")
    elif message.added:
        said.append("not in the previous window, or in another form there")
    return "\n".join(said)
