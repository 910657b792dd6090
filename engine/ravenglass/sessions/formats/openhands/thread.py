"""The thread that OpenHands' events of either generation make: what is in which message, and what was condensed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ravenglass.sessions.model.session import Kind, Marker, Message, OtherRecord, Part, Span, ToolCall, Usage
from ravenglass.sessions.records.values import count, mapping


@dataclass(frozen=True, slots=True)
class Event:
    """What every event has, whatever it says."""

    id: str
    span: Span
    ts: float | None


@dataclass(slots=True)
class EventThread:
    """Messages in file order. Several events may make one message: the parallel calls of one response."""

    messages: list[Message] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    title: str = ""
    project: str = ""
    model: str | None = None
    tools: str | None = None
    parent_call: str | None = None
    children: list[EventThread] = field(default_factory=list)
    usages: dict[str, Usage] = field(default_factory=dict)
    """Response -> what it cost, where that is reported apart from the events."""
    _events: dict[str, int] = field(default_factory=dict)
    _responses: dict[str, int] = field(default_factory=dict)
    _calls: dict[str, str] = field(default_factory=dict)
    """Action -> id of its tool call."""
    _gone: set[int] = field(default_factory=set)
    """Messages that condensations took out of the window."""
    _summary: int | None = None

    def aside(self, label: str, event: Event) -> None:
        """Keep an event that is no message."""
        self.other.append(OtherRecord(label, event.span))

    def add(self, event: Event, message: Message) -> None:
        """Append a message; id, time and place are the event's."""
        self._events[event.id] = len(self.messages)
        self.messages.append(
            replace(
                message,
                id=len(self.messages),
                ts=event.ts,
                source_id=message.source_id or event.id,
                spans=(event.span,),
            )
        )

    def system(self, event: Event, parts: tuple[Part, ...]) -> None:
        """A system prompt; only the latest one is sent, so it takes the place of those before."""
        before = tuple(m.id for m in self.messages if m.role == "system" and m.id not in self._gone)
        if before:
            note = "a later system prompt took its place"
            self.markers.append(Marker("clearing", len(self.messages), note, keep=None, cleared=before))
            self._gone |= set(before)
        self.add(event, Message(0, "system", parts))

    def user(self, event: Event, parts: tuple[Part, ...], kind: Kind) -> None:
        """A user message, or an other record where there is nothing to read."""
        if parts:
            self.add(event, Message(0, "user", parts, kind=kind))
        else:
            self.aside(f"{kind} without content", event)

    def respond(self, event: Event, response: str, message: Message) -> None:
        """An event of a model's response: a new message, or one more call of the message it has already."""
        call = message.tool_calls[0].id if message.tool_calls else ""
        if call:
            self._calls[event.id] = call
        at = self._responses.get(response) if response else None
        if at is None:
            if response:
                self._responses[response] = len(self.messages)
            self.add(event, replace(message, source_id=response or None))
            return
        held = self.messages[at]
        known = {item.id for item in held.tool_calls}
        self._events[event.id] = at
        self.messages[at] = replace(
            held,
            parts=held.parts + tuple(part for part in message.parts if part not in held.parts),
            tool_calls=held.tool_calls + tuple(item for item in message.tool_calls if item.id not in known),
            usage=held.usage or message.usage,
            spans=(*held.spans, event.span),
        )

    def called(self, event: Event, calls: tuple[ToolCall, ...], own: str) -> None:
        """Note further calls of the message that the event is in, and which of them is the event's own."""
        at = self._events[event.id]
        held = self.messages[at]
        merged = {call.id: call for call in (*calls, *held.tool_calls)}
        self.messages[at] = replace(held, tool_calls=tuple(merged.values()))
        self._calls[event.id] = own

    def call_of(self, action: str) -> str | None:
        """Id of the tool call that an action is; None where the action is no call."""
        return self._calls.get(action)

    def result(self, event: Event, call: str, parts: tuple[Part, ...], name: str | None, *, is_error: bool) -> None:
        """The answer to a call."""
        self.add(event, Message(0, "tool", parts, tool_call_id=call, tool_name=name, is_error=is_error))

    def condense(
        self, event: Event, forgotten: Callable[[str], bool], number: int, summary: tuple[Part, ...], offset: int | None
    ) -> None:
        """Forget events, whole messages at a time, and put the summary in their place.

        The view is what was not forgotten, then the summary inserted at `offset`; an earlier summary is among what
        is summed up. A message stands where it was written, so the summary is the last of what is kept.
        """
        self._gone |= {at for name, at in self._events.items() if forgotten(name)}
        # A result without its call, or a message none of whose calls has a result, is never sent.
        lost = {call.id for at in self._gone for call in self.messages[at].tool_calls}
        self._gone |= {message.id for message in self.messages if message.tool_call_id in lost}
        lost = {self.messages[at].tool_call_id or "" for at in self._gone}
        self._gone |= {
            message.id
            for message in self.messages
            if message.tool_calls and all(call.id in lost for call in message.tool_calls)
        }
        if self._summary is not None:
            self._gone.add(self._summary)
            self._summary = None
        place = f", its summary stood at position {offset:,} of the window" if summary and offset is not None else ""
        keep = tuple(message.id for message in self.messages if message.id not in self._gone)
        self.markers.append(Marker("compaction", len(self.messages), f"{number:,} events were forgotten{place}", keep))
        if summary:
            self._summary = len(self.messages)
            self.user(event, summary, "summary")
        else:
            self.aside("condensation without a summary", event)

    def with_usages(self) -> list[Message]:
        """The messages, with what their responses cost where only the statistics tell."""
        return [
            replace(message, usage=self.usages[message.source_id])
            if message.role == "assistant" and message.usage is None and message.source_id in self.usages
            else message
            for message in self.messages
        ]


def tokens_of(value: object) -> Usage | None:
    """Usage in the form of OpenHands' own metrics; the prompt's tokens include the cached ones there."""
    found = mapping(value)
    context, output = count(found.get("prompt_tokens")), count(found.get("completion_tokens"))
    if not context and not output:
        return None
    return Usage(context, output, count(found.get("cache_read_tokens")), count(found.get("cache_write_tokens")))
