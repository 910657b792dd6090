"""What the reference knows of a session: messages as the importer gives them; groups, turns, calls worked out anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ravenglass.sessions.model.session import Session

Json = dict[str, Any]
_NO_CALL = {"synthetic", "api_error", "inherited"}


@dataclass(frozen=True)
class Group:
    """What stands or goes together. `call`: the first call that sees its first message."""

    index: int
    messages: tuple[int, ...]
    turn: int
    call: int


class Facts:
    """A session's messages, groups, turns and calls."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.messages = tuple(session.messages)
        self.never = set(session.structure.never_sent)

    @cached_property
    def calls(self) -> list[int]:
        """The message that each call produced: one call for each response of a model."""
        found, seen = [], set()
        for m in self.messages:
            if m.role != "assistant" or m.flags & _NO_CALL or m.id in self.never:
                continue
            again = "duplicate_id" in m.flags and m.source_id in seen
            seen.add(m.source_id)
            if not again:
                found.append(m.id)
        return found

    @cached_property
    def turn_of(self) -> list[int]:
        """Turn of every message: a prompt begins one, what stands before the first is of turn 0."""
        turn, found, begun = 0, [], False
        for m in self.messages:
            if m.role == "user" and m.kind == "prompt" and m.id not in self.never:
                turn += int(begun or m.id > 0)
                begun = True
            found.append(turn)
        return found

    def first_call(self, message: int) -> int:
        """The first call that sees a message; one more than there are where none does."""
        return next((n for n, m in enumerate(self.calls, 1) if message < m), len(self.calls) + 1)

    def known(self, call: int) -> int:
        """A call sees the messages with an id below this."""
        return self.calls[call - 1]

    @cached_property
    def groups(self) -> list[Group]:
        holders = self.answers
        together: dict[int, list[int]] = {}
        for m in self.messages:
            together.setdefault(holders.get(m.id, m.id), []).append(m.id)
        members = sorted(tuple(sorted(found)) for found in together.values())
        return [Group(n, ms, self.turn_of[ms[0]], self.first_call(ms[0])) for n, ms in enumerate(members)]

    @cached_property
    def group_of(self) -> dict[int, Group]:
        return {m: group for group in self.groups for m in group.messages}

    @cached_property
    def answers(self) -> dict[int, int]:
        """Result -> the message whose call it answers: the nearest one before it that is not answered yet."""
        waiting: dict[str, list[int]] = {}
        last: dict[str, int] = {}
        found: dict[int, int] = {}
        for m in self.messages:
            if m.id in self.never:
                continue
            if m.role == "assistant":
                for call in m.tool_calls:
                    waiting.setdefault(call.id, []).append(m.id)
                    last[call.id] = m.id
            elif m.role == "tool" and m.tool_call_id is not None:
                if waiting.get(m.tool_call_id):
                    found[m.id] = waiting[m.tool_call_id].pop()
                elif m.tool_call_id in last:
                    found[m.id] = last[m.tool_call_id]
        return found

    def strings(self, arguments: str) -> Iterator[str]:
        """Every string of a call's arguments; the text itself where it is no JSON."""
        try:
            yield from _strings(json.loads(arguments))
        except ValueError:
            yield arguments

    def closing(self, message: int) -> bool:
        """Whether a message is an assistant's answer without tool calls."""
        m = self.messages[message]
        return m.role == "assistant" and not m.tool_calls


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
