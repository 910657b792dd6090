"""Snapshots: what has to be kept of a call so that a replay can stand there again, and when one is taken.

A snapshot holds the task's instruction, the whole registry, the place of every group, the ids of the messages that the
model saw last, and the step. It holds no tool output: that is in the record. Source: design, snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.hub.summary import Summary

Kind = Literal["full", "difference"]
Trigger = Literal["task", "tool_calls", "change"]
"""Why a snapshot was taken: a task began, so many tool calls were done, so many tokens of context changed."""


@dataclass(frozen=True, slots=True)
class Standpoint:
    """How a group stands: its state, its form in the window with its cap in tokens, the call since which it is out."""

    state: State
    form: Form
    cap: int = 0
    out_since: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything true right after call `step`. Groups are the first `len(places)` of the session."""

    step: int
    task: int
    request: int | None
    """Id of the prompt that the task began with; None before the first."""
    instruction: str
    """Its text."""
    entries: tuple[RegistryEntry, ...]
    places: tuple[Standpoint, ...]
    working_state: int
    """Which version of the working state the window holds; -1: none."""
    latest: tuple[int, ...]
    """Ids of the recorded messages in the window, in its order."""
    summary: Summary | None = None
    """The summary in the window."""

    @property
    def name(self) -> str:
        return snapshot_name(self.task, self.step)


def snapshot_name(task: int, step: int) -> str:
    """What a snapshot is called in traces and files; tasks and steps as people count them, from 1."""
    return f"task-{task + 1}-call-{step}"


@dataclass(frozen=True, slots=True)
class Taken:
    """A snapshot that was taken after call `step`. `base` is the step of the full one that a difference refers to."""

    step: int
    task: int
    kind: Kind
    trigger: Trigger
    base: int

    @property
    def name(self) -> str:
        return snapshot_name(self.task, self.step)


@dataclass
class SnapshotClock:
    """Says when the next snapshot is due. `every_calls` counts tool calls, `every_tokens` tokens of change.

    The first one of a task is full; later ones are differences from it, so that any of them can be deleted.
    """

    every_calls: int = 1
    every_tokens: int = 1
    task: int = -1
    """Of the latest snapshot."""
    base: int = 0
    """Step of that task's full one."""
    tool_calls: int = 0
    """Since the latest snapshot, as `tokens`."""
    tokens: int = 0

    def tick(self, step: int, task: int, tool_calls: int, tokens: int) -> Taken | None:
        """Count a call: the tool calls whose results are new to it, the tokens of what changed its place at it."""
        self.tool_calls += tool_calls
        self.tokens += tokens
        trigger: Trigger
        if task != self.task:
            trigger, self.task, self.base = "task", task, step
        elif self.tool_calls >= self.every_calls:
            trigger = "tool_calls"
        elif self.tokens >= self.every_tokens:
            trigger = "change"
        else:
            return None
        self.tool_calls = self.tokens = 0
        return Taken(step, task, "full" if trigger == "task" else "difference", trigger, self.base)


def dropped(before: Sequence[Taken], taken: Taken, keep: int) -> Taken | None:
    """The one of those before, oldest first, that retention deletes when another one is taken; None for none."""
    place = len(before) - keep
    oldest = before[place] if taken.kind == "difference" and place >= 0 else None
    return oldest if oldest is not None and oldest.kind == "difference" and oldest.base == taken.base else None


def kept(taken: Iterable[Taken], keep: int) -> tuple[Taken, ...]:
    """What retention leaves: of every task the full one and the latest `keep`."""
    by_task: dict[int, list[Taken]] = {}
    for one in taken:
        by_task.setdefault(one.base, []).append(one)
    return tuple(one for of_task in by_task.values() for one in (of_task[0], *of_task[1:][-keep:]))
