"""Where one task ends and the next begins. A task is a run of turns; its items are released when it ends.

A sub-agent's return ends its task too. A sub-agent is a session of its own, so that is the task of its session: a
prompt that it is given after it had answered (it was resumed) begins another one, whatever `task_boundary` says. In the
parent there is no such task to end: the group that started the sub-agent belongs to the parent's task, and its
result, which is all that enters the parent, is released with that one. Releasing it once it was answered would take the
result away before the task that asked for it is done.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ravenglass.hub.files.toolbox import arguments
from ravenglass.profile import Profile
from ravenglass.scheduler.features import Features

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
    session = features.session
    starts: list[tuple[int, int | None, str]] = [(0, None, "the session began")]
    vocabulary: set[str] = set()
    lists = _todo_lists(features)
    opened = False
    previous = 0
    for turn in session.structure.turns:
        if turn.prompt is None:
            continue
        group = session.structure.group_of[turn.prompt]
        vocabulary.update(*features.entities[previous:group])
        todo_done = next((done for g, done in reversed(lists) if previous <= g < group), False)
        previous = group
        returned = _has_returned(features, group)
        why = _boundary(features, profile, group, vocabulary, todo_done, returned) if opened else "the first request"
        if not opened:
            starts[0] = (0, turn.prompt, why)
            opened = True
        elif why:
            starts.append((group, turn.prompt, why))
            vocabulary.clear()
    ends = [_call_of(features, group) for group, _, _ in starts[1:]] + [len(features.calls) + 1]
    return tuple(
        Task(i, group, end, prompt, why) for i, ((group, prompt, why), end) in enumerate(zip(starts, ends, strict=True))
    )


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
    weights = {e: features.idf(group + 1, len(features.holders(e, group + 1))) for e in wanted}
    total = sum(weights.values())
    shared = sum(weight for e, weight in weights.items() if e in vocabulary)
    overlap = shared / total if total else 1.0
    return f"the topic changed (overlap {overlap:.2f})" if overlap < profile.topic_overlap else ""


def _todo_lists(features: Features) -> list[tuple[int, bool]]:
    """Groups that wrote a todo list, in order, each with whether the list has nothing left to do."""
    found = []
    for use in features.uses:
        if use.call.name not in _TODO_TOOLS:
            continue
        args = arguments(use.call)
        items = args.get("todos") or args.get("plan") or args.get("items") or []
        if isinstance(items, str):
            try:
                items = json.loads(items)
            except (ValueError, RecursionError):
                continue
        if not isinstance(items, list):
            continue
        states = [str(item.get("status", "")) for item in items if isinstance(item, dict)]
        if states:
            found.append((use.group, all(state in ("completed", "done", "cancelled") for state in states)))
    return found
