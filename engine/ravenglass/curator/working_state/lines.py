"""The values of a working state: lines, the three lists, and how long they may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

ELLIPSIS = "…"


class Limits(Protocol):
    """How much a working state holds. A Profile has these fields."""

    @property
    def max_goals(self) -> int: ...
    @property
    def max_open_threads(self) -> int: ...
    @property
    def max_decisions(self) -> int: ...
    @property
    def max_line_chars(self) -> int: ...


@dataclass(frozen=True, slots=True)
class StateLine:
    """One line. `source` is the id of the message it comes from, of one written `by_hand` the latest message then;
    `call` the first call that knew it."""

    text: str
    source: int
    call: int | None = None
    turn: int | None = None
    by_hand: bool = False
    """Added or reworded by a person."""


@dataclass(frozen=True, slots=True)
class WorkingState:
    """Goals and decisions oldest first; open threads as the agent ordered them, what is in progress first."""

    goals: tuple[StateLine, ...] = ()
    open_threads: tuple[StateLine, ...] = ()
    decisions: tuple[StateLine, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.goals or self.open_threads or self.decisions)


EMPTY = WorkingState()


def says_the_same(state: WorkingState, other: WorkingState) -> bool:
    """Whether two states hold the same lines in the same order, wherever they come from, each a person's or not."""
    return _said(state) == _said(other)


def _said(state: WorkingState) -> tuple[tuple[tuple[str, bool], ...], ...]:
    lists = (state.goals, state.open_threads, state.decisions)
    return tuple(tuple((line.text, line.by_hand) for line in lines) for lines in lists)


Versions = Sequence[tuple[int, WorkingState]]
"""(number of the first call at which the state holds, state), ascending; before the first one it is EMPTY."""


def cut(text: str, limit: int) -> str:
    """One line of at most `limit` characters: white space collapsed, cut at a word with "…"."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    border = head.rfind(" ")
    # Without a space in the second half (Chinese, a long path) the cut is where the limit is.
    if not line[limit - 1].isspace() and border > limit // 2:
        head = head[:border]
    return head.rstrip() + ELLIPSIS
