"""The model events of an Inspect AI sample: what each call was sent, what it answered, and which agent made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.formats.inspect.messages import message_of, resolved, usage_of
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.importing.threads import Threads
from ravenglass.sessions.importing.weave import key_of
from ravenglass.sessions.model.session import Message, Span
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text_or_none

_SUMMARY = ("summary", "compaction")
"""Fields of a message's metadata by which the harness marks what stands for a compacted history."""


@dataclass(slots=True)
class ModelCalls:
    """Every model call of a sample, as conversations.

    `known` are the sample's own messages by key: what is sent is one of them where it can be, with its place there.
    """

    attachments: Mapping[str, str]
    known: dict[str, Message]
    threads: Threads = field(default_factory=Threads)
    answers: list[Message] = field(default_factory=list)
    """All answers, in the order of the events."""
    tools: str | None = None
    sent: bool = False
    """Whether the events tell what was sent."""
    _pool: list[Located] = field(default_factory=list)
    _pooled: dict[int, Message | None] = field(default_factory=dict)

    def read(self, sample: Located) -> None:
        """Take in the events. What calls were sent stands in the event, or in a pool that the event refers to."""
        data = sample.get("events_data")
        self._pool = data.elements("messages") if data is not None else sample.elements("message_pool")
        for event in sample.elements("events"):
            value = event.object
            if value.get("event") != "model":
                continue
            if sequence(value.get("tools")):
                self.tools = dump(value["tools"])
            sent = list(self._sent(event))
            answer = self._answer(event)
            self.sent = self.sent or bool(sent)
            if answer is None:
                continue
            self.answers.append(answer)
            thread = self.threads.of(sent, has_tools=True)
            thread.model = answer.model or thread.model
            thread.weave.request(sent, answer.usage.context if answer.usage else None)
            thread.weave.answer(answer)

    def _sent(self, event: Located) -> Iterator[Message]:
        for item in event.elements("input"):
            message = self._message(item)
            if message is not None:
                yield message
        for pair in sequence(event.object.get("input_refs")):
            first, stop = (count(end) or 0 for end in (*sequence(pair), 0, 0)[:2])
            for number in range(first, min(stop, len(self._pool))):
                if number not in self._pooled:
                    self._pooled[number] = self._message(self._pool[number])
                message = self._pooled[number]
                if message is not None:
                    yield message

    def _message(self, item: Located) -> Message | None:
        value = mapping(resolved(item.value, self.attachments))
        message = message_of(value, item.span, 0, asked=False)
        if message is None:
            return None
        known = self.known.get(key_of(message))
        if known is not None:
            return known
        if message.role == "user" and any(mapping(value.get("metadata")).get(mark) for mark in _SUMMARY):
            return replace(message, kind="summary")
        return message

    def _answer(self, event: Located) -> Message | None:
        """The answer, with usage, model and time; None where the call failed."""
        output = event.get("output")
        choice = next(iter(output.elements("choices")), None) if output is not None else None
        inner = choice.get("message") if choice is not None else None
        if output is None or inner is None:
            return None
        return told(self._message_at(inner, inner.span), output.object, event.object, self.known)

    def _message_at(self, inner: Located, span: Span) -> Message | None:
        value = mapping(resolved(inner.value, self.attachments))
        return message_of({**value, "role": "assistant"}, span, 0, asked=False)


def told(
    message: Message | None, output: dict[str, Any], event: dict[str, Any], known: Mapping[str, Message]
) -> Message | None:
    """An answer with what its event reports, as the sample's own message where it is one."""
    if message is None:
        return None
    own = known.get(key_of(message), message)
    ts = seconds(event.get("completed") or event.get("timestamp"))
    return replace(
        own,
        usage=usage_of(output.get("usage")),
        model=own.model or text_or_none(output.get("model")) or text_or_none(event.get("model")),
        ts=own.ts if own.ts is not None else ts,
        source_id=own.source_id or message.source_id,
    )
