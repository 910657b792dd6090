"""One row of the session browser, and how its words are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import SavedRun
from ravenglass_gui.text.plain import one_line

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(slots=True, eq=False)
class Node:
    """One row. `key` names it across rebuilds, for what is expanded and what is current."""

    kind: str
    """`section`, `project`, `session`, `agent`, `run`, `more`, or `left` for a path that was left out."""
    key: tuple[object, ...]
    title: str
    facts: str = ""
    tip: str = ""
    bad: bool = False
    """`facts` say what is wrong."""
    icon: str = ""
    place: Path | None = None
    root: Path | None = None
    """The root of the shelf it stands on."""
    session: Session | None = None
    run: SavedRun | None = None
    current: bool = False
    count: int = 0
    """Rows below it."""
    saved: int = 0
    """Those of them that are saved runs."""
    shown: int | None = None
    """Of a listed folder: the sessions that a filter lets through."""
    make: Callable[[], list[Node]] = list
    parent: Node | None = None
    row: int = 0
    id: int = 0
    _below: list[Node] | None = field(default=None)

    def made(self) -> Iterator[Node]:
        """It and the rows below it, as far as they were made."""
        yield self
        for node in self._below or ():
            yield from node.made()

    @property
    def below(self) -> list[Node]:
        if self._below is None:
            self._below = self.make() if self.count else []
            for row, node in enumerate(self._below):
                node.parent, node.row = self, row
        return self._below


def row_title(text: str) -> str:
    return one_line(text, 200)


def joined(facts: Sequence[str]) -> str:
    """Facts in one line, those left out that are empty."""
    return " · ".join(fact for fact in facts if fact)


def when(seconds: float | None) -> str:
    """Today's times by the clock, those of this year by the day, others by the month. Empty for what is no time."""
    if seconds is None:
        return ""
    try:
        then, now = datetime.fromtimestamp(seconds), datetime.now()
    except (OverflowError, ValueError, OSError):
        return ""
    if then.date() == now.date():
        return then.strftime("today %H:%M")
    day = f"{then.day} {_MONTHS[then.month - 1]}"
    return day if then.year == now.year else f"{day} {then.year}"
