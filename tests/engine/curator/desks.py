"""Desks for tests: a view in memory with an archive that only names and brings what it is told to."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.desk import Desk
from ravenglass.curator.loop import CuratorLoop, Policy
from ravenglass.curator.plan import Author
from ravenglass.curator.working_state.state import EMPTY, WorkingState
from ravenglass.errors import ArchiveError
from ravenglass.scheduler.view import View
from ravenglass.trace import TraceEvent


@dataclass(frozen=True)
class Brought:
    text: str
    tokens: int
    truncated: bool


class NamedArchive:
    """Group 3 has the reference `day/s.jsonl#3-3`; a reference with a `#` brings a text that says what was asked."""

    def ref(self, group: int) -> str:
        return f"day/s.jsonl#{group}-{group}"

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Brought:
        if "#" not in ref:
            raise ArchiveError(f"{ref!r} is no archive reference")
        return Brought(f"{ref} {mode} {max_tokens}", 7, truncated=False)


def desk(view: View, author: Author = "model", state: WorkingState = EMPTY) -> Desk:
    return Desk(view, NamedArchive(), state, author)


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def converse(view: View, policy: Policy, clock: Clock | None = None) -> tuple[CuratorLoop, list[TraceEvent]]:
    """Run a conversation to its end."""
    loop = CuratorLoop(desk(view, policy.name), policy, clock=clock or Clock())
    events: list[TraceEvent] = []
    while (event := loop.step()) is not None:
        events.append(event)
    return loop, events
