"""Where one task ends and the next begins. A task is a run of turns; its items are released when it ends.

A sub-agent's return ends its task too. A sub-agent is a session of its own, so that is the task of its session: a
prompt that it is given after it had answered (it was resumed) begins another one, whatever `task_boundary` says. In the
parent there is no such task to end: the group that started the sub-agent belongs to the parent's task, and its
result, which is all that enters the parent, is released with that one. Releasing it once it was answered would take the
result away before the task that asked for it is done.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ravenglass.hub.files.toolbox import arguments
from ravenglass.hub.files.uses import Use
from ravenglass.profile import Profile
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.session import Turn

_TODO_TOOLS = ("TodoWrite", "todowrite", "update_plan", "todo_write", "write_todos")
_NO_RESPONSE = frozenset({"synthetic", "api_error"})
"""Flags of assistant messages that answer nothing."""
_LEAST_ENTITIES = 2
"""A request with fewer entities ("go on", "ok") says nothing about its topic and never starts a task."""


@dataclass(frozen=True, slots=True)
class Task:
    """`first_group` opens it; it ends at the call `end` (calls + 1 while it is the last). `why` says how it began."""

    index: int
    first_group: int
    end: int
    prompt: int | None
    why: str


def tasks(features: Features, profile: Profile) -> tuple[Task, ...]:
    """The tasks of a session in order, by `task_boundary` and `topic_overlap`."""
    watch = TaskWatch(features, profile)
    for turn in features.session.structure.turns:
        watch.take(turn)
    return watch.tasks()


class TaskWatch:
    """Takes in turns in their order, each as soon as the group of its prompt is among the features."""

    def __init__(self, features: Features, profile: Profile) -> None:
        self._features, self._profile = features, profile
        self.starts: list[tuple[int, int | None, str]] = [(0, None, "the session began")]
        """Of every task the group that opens it, its prompt, and why it began."""
        self.previous = 0
        """Group of the latest prompt: what a later boundary is found by stands from there on."""
        self._vocabulary: set[str] = set()
        self._lists: list[tuple[int, bool]] = []
        """Groups that wrote a todo list, in order, each with whether the list has nothing left to do."""
        self._read = 0
        """Tool calls that were looked at for todo lists."""
        self._opened = False

    def take(self, turn: Turn) -> bool:
        """The next turn. Returns whether another task begins with it."""
        if turn.prompt is None:
            return False
        features = self._features
        group = features.session.structure.group_of[turn.prompt]
        self._vocabulary.update(*features.entities[self.previous : group])
        todo_done = self._todo_done(self.previous, group)
        self.previous = group
        if not self._opened:
            self.starts[0] = (0, turn.prompt, "the first request")
            self._opened = True
            return False
        returned = _has_returned(features, group)
        why = _boundary(features, self._profile, group, self._vocabulary, todo_done, returned)
        if why:
            self.starts.append((group, turn.prompt, why))
            self._vocabulary.clear()
        return bool(why)

    def tasks(self) -> tuple[Task, ...]:
        """The tasks so far."""
        ends = [_call_of(self._features, group) for group, _, _ in self.starts[1:]] + [len(self._features.calls) + 1]
        return tuple(
            Task(i, group, end, prompt, why)
            for i, ((group, prompt, why), end) in enumerate(zip(self.starts, ends, strict=True))
        )

    def _todo_done(self, first: int, behind: int) -> bool:
        """Whether the latest todo list that these groups wrote has nothing left to do."""
        uses = self._features.uses
        for number in range(self._read, len(uses)):
            self._lists.extend(_todo_list(uses[number]))
        self._read = len(uses)
        place = bisect_left(self._lists, (behind, False)) - 1
        return place >= 0 and self._lists[place][0] >= first and self._lists[place][1]


def _call_of(features: Features, group: int) -> int:
    return features.groups[group].call


def _has_returned(features: Features, group: int) -> bool:
    """Whether a sub-agent had given its result before the group: an answer without tool calls."""
    session = features.session
    if session.parent_call_id is None:
        return False
    before = reversed(session.messages[: features.groups[group].messages[0]])
    answer = next((m for m in before if m.role == "assistant" and not m.flags & _NO_RESPONSE), None)
    return answer is not None and not answer.tool_calls


def _boundary(
    features: Features, profile: Profile, group: int, vocabulary: set[str], todo_done: bool, returned: bool
) -> str:
    if profile.task_boundary == "every_user_message":
        return "a new request"
    if returned:
        return "the sub-agent had returned"
    if todo_done:
        return "the todo list was done"
    if profile.task_boundary == "todo":
        return ""
    wanted = features.entities[group]
    if len(wanted) < _LEAST_ENTITIES or not vocabulary:
        return ""
    # Rare entities weigh more: two requests of one project always share common words.
    weights = {e: features.idf(group + 1, features.count(e, group + 1)) for e in wanted}
    total = sum(weights.values())
    shared = sum(weight for e, weight in weights.items() if e in vocabulary)
    overlap = shared / total if total else 1.0
    return f"the topic changed (overlap {overlap:.2f})" if overlap < profile.topic_overlap else ""


def _todo_list(use: Use) -> Iterator[tuple[int, bool]]:
    """The group of a call that wrote a todo list, with whether the list has nothing left to do."""
    if use.call.name not in _TODO_TOOLS:
        return
    args = arguments(use.call)
    items = args.get("todos") or args.get("plan") or args.get("items") or []
    if isinstance(items, str):
        try:
            items = json.loads(items)
        except (ValueError, RecursionError):
            return
    if not isinstance(items, list):
        return
    states = [str(item.get("status", "")) for item in items if isinstance(item, dict)]
    if states:
        yield use.group, all(state in ("completed", "done", "cancelled") for state in states)
