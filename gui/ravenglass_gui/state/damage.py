"""What of a session's bytes could not be read: a table for the person, a row a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ravenglass.sessions.importing.build import damage_sentences
from ravenglass.sessions.model.session import Damage, Session, Span
from ravenglass_gui.state.later import every
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.text.numbers import amount

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
HEADERS = ("file", "line", "offset", "bytes", "reason", "kept")
_NUMBERS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class DamagedPlace:
    """Bytes that could not be read. `pending`: a last line that its writer may still finish, which is no damage."""

    file: str
    line: int
    offset: int
    length: int
    reason: str
    kept: str
    pending: bool = False


def places(root: Session | None, log: OpenLog | None = None) -> tuple[DamagedPlace, ...]:
    """Everything that could not be read of a session, its sub-agents and a trace log, a place once, in file order."""
    found: dict[DamagedPlace, None] = {}
    for session in every(root) if root is not None else ():
        found |= dict.fromkeys(_of_file(session.path.name, session.damage, session.pending))
    for turn in log.log.turns if log is not None else ():
        found |= dict.fromkeys(_of_file(turn.path.name, turn.damage, turn.pending))
    return tuple(found)


def _of_file(name: str, damage: Iterable[Damage], cut: Span | None) -> Iterator[DamagedPlace]:
    for item in damage:
        yield DamagedPlace(name, item.span.line, item.span.offset, item.span.length, item.reason, item.kept)
    if cut is not None:
        reason, kept = "the last line is not finished", "it is read when it is"
        yield DamagedPlace(name, cut.line, cut.offset, cut.length, reason, kept, pending=True)


def summary(found: Sequence[DamagedPlace]) -> str:
    """`3 places could not be read: 1,204 bytes lost, all else was kept.`, and which last line is not finished."""
    lost = [place for place in found if not place.pending]
    said = []
    if lost:
        octets = amount(sum(place.length for place in lost), "byte")
        said.append(f"{amount(len(lost), 'place')} could not be read: {octets} lost, all else was kept.")
    unfinished = (place for place in found if place.pending)
    said.extend(f"The last line of {p.file} is not finished yet ({amount(p.length, 'byte')})." for p in unfinished)
    return " ".join(said)


def other_warnings(session: Session) -> tuple[str, ...]:
    """The session's warnings without those of what could not be read, which the strip and its list tell."""
    told = set(damage_sentences(session.damage, session.pending))
    return tuple(warning for warning in session.warnings if warning not in told)


class DamageModel(QAbstractTableModel):
    """Plain text, one row a place."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places: tuple[DamagedPlace, ...] = ()

    def show(self, found: tuple[DamagedPlace, ...]) -> None:
        self.beginResetModel()
        self._places = found
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._places)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        place = self._places[index.row()]
        texts = (place.file, f"{place.line:,}", f"{place.offset:,}", f"{place.length:,}", place.reason, place.kept)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return texts[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(HEADERS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _side(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
