"""Groups, turns and calls of a conversation, message by message: the same as `sessions.model.structure` finds at once.

The next call, which is not answered yet, is always the last one and sees every message there is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from ravenglass.sessions.model.session import Call, Group, Message, Session, Structure, ToolCall, Turn


@dataclass
class _Written:
    """Messages of one id: who said them, and what."""

    roles: set[str] = field(default_factory=set)
    said: set[tuple[str, tuple[ToolCall, ...], str]] = field(default_factory=set)


class GrowingThread:
    """Fills the lists of `session` and its structure, which it owns."""

    def __init__(self, session: Session) -> None:
        """`session` is a pattern of what the messages are added to; it is not changed."""
        self.groups: list[Group] = []
        self.turns: list[Turn] = []
        self.calls: list[Call] = [Call(1, 0, 0)]
        self.group_of: list[int] = []
        self.messages: list[Message] = []
        self.session = replace(
            session, messages=self.messages, derived={},
            structure=Structure(self.groups, self.turns, self.calls, self.group_of),
        )  # fmt: skip
        self._open: dict[str, list[int]] = defaultdict(list)
        """Id of a tool call -> messages with such a call that has no result yet, ascending."""
        self._left: dict[int, list[str]] = {}
        """Message -> ids of its calls without a result, in their order."""
        self._written: dict[tuple[str, str | None], _Written] = defaultdict(_Written)

    def add(self, message: Message) -> int | None:
        """Add the next message; returns its group, the last one or one that has grown. None where messages before it
        have to be seen anew: it is one written a second time, or a result that answers no open call. Then nothing is
        added, now or later."""
        if self._is_written(message):
            return None
        if message.role == "tool":
            return self._answer(message)
        if message.usage is not None and message.usage.known() is not message.usage:
            message = replace(message, usage=message.usage.known())
        self._turn(message)
        for call in message.tool_calls if message.role == "assistant" else ():
            self._open[call.id].append(message.id)
            self._left.setdefault(message.id, []).append(call.id)
        answered = message.role == "assistant"
        first_call = len(self.calls) + answered
        if answered:
            self.calls[-1] = Call(len(self.calls), message.id, self.turns[-1].index)
            self.calls.append(Call(first_call, 0, 0))
        self._begin(message, first_call)
        return len(self.groups) - 1

    def _is_written(self, message: Message) -> bool:
        """Whether the message is one that was written before, under the same id (`sessions.model.sent`)."""
        if message.source_id is None:
            return False
        earlier = self._written[message.source_id, message.tool_call_id]
        said = (message.kind, message.tool_calls, message.text)
        if earlier.roles == {message.role} and said in earlier.said:
            return True
        earlier.roles.add(message.role)
        earlier.said.add(said)
        return False

    def _turn(self, message: Message) -> None:
        if not self.turns or (message.role == "user" and message.kind == "prompt"):
            prompt = message.id if message.role == "user" and message.kind == "prompt" else None
            self.turns.append(Turn(len(self.turns), prompt, message.id, message.id))
        else:
            self.turns[-1] = replace(self.turns[-1], last=message.id)

    def _begin(self, message: Message, first_call: int) -> None:
        """A group of its own."""
        self.group_of.append(len(self.groups))
        self.messages.append(message)
        left = tuple(self._ordered(message.id))
        self.groups.append(Group(len(self.groups), (message.id,), self.turns[-1].index, first_call, left))
        self._move_next()

    def _answer(self, message: Message) -> int | None:
        """A result joins the group of the latest open call of its id."""
        holders = self._open.get(message.tool_call_id or "")
        if not holders:
            return None
        holder = holders.pop()
        left = self._left[holder]
        left.remove(message.tool_call_id or "")
        names = (call.name for call in self.messages[holder].tool_calls if call.id == message.tool_call_id)
        self._turn(message)
        self.messages.append(replace(message, tool_name=message.tool_name or next(names, None)))
        g = self.group_of[holder]
        self.group_of.append(g)
        group = self.groups[g]
        self.groups[g] = replace(
            group, messages=(*group.messages, message.id), unanswered=tuple(self._ordered(holder))
        )  # fmt: skip
        self._move_next()
        return g

    def _ordered(self, message: int) -> list[str]:
        """Ids of the open calls of a message as `sessions.model.pairing` orders them: by the last place of each."""
        order = {call.id: n for n, call in enumerate(self.messages[message].tool_calls)}
        return sorted(self._left.get(message, ()), key=order.__getitem__)

    def _move_next(self) -> None:
        """The next call sees what there is by now."""
        self.calls[-1] = Call(len(self.calls), len(self.messages), self.turns[-1].index)
