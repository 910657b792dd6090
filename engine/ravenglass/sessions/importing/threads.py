"""Which conversation each recorded request belongs to, where every request repeats the history of its own.

A proxy or an event log sees the main conversation, sub-agents and small side requests (titles, graders) in one stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ravenglass.sessions.importing.weave import Weave, key_of, text_key
from ravenglass.sessions.model.session import Message
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import mapping


@dataclass(slots=True)
class Thread:
    """One conversation and what its requests say about it."""

    weave: Weave = field(default_factory=Weave)
    first: str = ""
    """What its requests begin with."""
    has_tools: bool = False
    system: str | None = None
    tools: str | None = None
    model: str | None = None


@dataclass(slots=True)
class Threads:
    """All conversations of a file in the order of their first requests."""

    found: list[Thread] = field(default_factory=list)

    def of(self, sent: Sequence[Message], *, has_tools: bool) -> Thread:
        """The conversation that a request goes on with, a new one if it is none of those before.

        It goes on with one that begins with the same message and has tools, or none, as well. A request that sends
        much less than was sent before is a new start, not a compaction: those begin with their summary.
        """
        first = opening(sent)
        for thread in reversed(self.found):
            if thread.first == first and thread.has_tools == has_tools and not _restart(thread.weave, sent):
                return thread
        if sent and sent[0].kind == "summary":
            former = [thread for thread in self.found if thread.has_tools == has_tools]
            if former:
                thread = max(former, key=lambda item: len(item.weave.messages))
                thread.first = first
                return thread
        thread = Thread(first=first, has_tools=has_tools)
        self.found.append(thread)
        return thread

    def last(self) -> Thread:
        """The conversation of what stands without a request: the last one."""
        if not self.found:
            self.found.append(Thread())
        return self.found[-1]


def _restart(weave: Weave, sent: Sequence[Message]) -> bool:
    """Whether a request sends only the beginning of what was sent before (one less is the same request again)."""
    return weave.common(sent) == len(sent) < weave.window - 1


def opening(sent: Sequence[Message]) -> str:
    """What tells a conversation from others: its instructions and the first message after them."""
    keys: list[str] = []
    for message in sent:
        keys.append(key_of(message))
        if message.role not in ("system", "developer"):
            break
    return " ".join(keys)


def starter(messages: Sequence[Message], other: Sequence[Message]) -> str | None:
    """Id of the tool call that started another conversation: one of its arguments is that one's first request."""
    prompt = next((key_of(message) for message in other if message.role == "user"), None)
    if prompt is None:
        return None
    for message in messages:
        for call in message.tool_calls:
            for words in _arguments(call.arguments):
                if text_key("user", words) == prompt:
                    return call.id
    return None


def _arguments(words: str) -> list[str]:
    try:
        given = mapping(decode_value(words.encode("utf-8", "replace")))
    except ValueError:
        return []
    return [value for value in given.values() if isinstance(value, str) and value.strip()]
