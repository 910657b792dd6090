"""Spans of an OpenTelemetry export, and the model calls among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.formats.otel.messages import (
    chat_messages,
    event_messages,
    numbered,
    only_calls,
    tool_definitions,
)
from ravenglass.sessions.formats.otel.values import any_value, attributes, places, structured
from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.model.session import Message, Span, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, mapping, text, text_or_none

_NO_CALL = frozenset({"create_agent", "execute_tool", "embeddings", "invoke_workflow", "retrieval", "rerank", "plan"})
"""Operations that are no model call. `invoke_agent` is one where nothing inside it was traced."""
_CONVERSATION = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
)
_SENT, _ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"
_NUMBERED = ("gen_ai.prompt.", "gen_ai.completion.")
_MARKS = ("gen_ai.", "llm.", "traceloop.")


@dataclass(slots=True)
class TracedSpan:
    """One span. Times in seconds since the epoch."""

    trace: str
    id: str
    parent: str
    name: str
    started: float | None
    ended: float | None
    given: dict[str, Any]
    """Attributes, without those that hold messages."""
    place: Span
    sent: list[Message] = field(default_factory=list)
    answers: list[Message] = field(default_factory=list)

    @property
    def operation(self) -> str:
        named = text(self.given.get("gen_ai.operation.name"))
        return named or ("invoke_agent" if self.given.get("traceloop.span.kind") == "agent" else "")

    @property
    def conversation(self) -> str | None:
        return next((found for key in _CONVERSATION if (found := text_or_none(self.given.get(key)))), None)

    @property
    def agent(self) -> bool:
        return self.operation == "invoke_agent"

    @property
    def calls_model(self) -> bool:
        """Whether it may be a model call: it has messages, or tokens were used."""
        if self.operation in _NO_CALL:
            return False
        return bool(self.sent or self.answers) or (usage_of(self.given) is not None and not self.agent)

    @property
    def model(self) -> str | None:
        return text_or_none(self.given.get("gen_ai.response.model")) or text_or_none(
            self.given.get("gen_ai.request.model")
        )

    @property
    def system(self) -> str | None:
        """System instructions that are no message."""
        found = structured(self.given.get("gen_ai.system_instructions"))
        if isinstance(found, list):
            blocks = [mapping(part).get("content", part) for part in found]
            return "\n".join(part.text for part in parts_of(blocks)) or None
        return text_or_none(found)

    @property
    def tools(self) -> str | None:
        return tool_definitions(self.given)


def usage_of(given: dict[str, Any]) -> Usage | None:
    """Input tokens include the cached ones in the conventions; where they cannot, they do not."""
    fresh = _first(given, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
    output = _first(given, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
    if fresh is None and output is None:
        return None
    read = _first(given, "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens")
    written = _first(given, "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens")
    cached = (read or 0) + (written or 0)
    return Usage(fresh + cached if fresh is not None and cached > fresh else fresh, output, read, written)


def is_span(value: object) -> bool:
    """Whether the value is a span, as the protocol has it or as SDKs print it."""
    found = mapping(value)
    return "name" in found and ({"traceId", "spanId"} <= found.keys() or "span_id" in mapping(found.get("context")))


def speaks_genai(value: object) -> bool:
    """Whether a span has attributes of these conventions."""
    found = mapping(value)
    events = found.get("events")
    names = [text(mapping(event).get("name")) for event in events] if isinstance(events, list) else []
    keys = [*attributes(found.get("attributes")), *names]
    return any(key.startswith(_MARKS) for key in keys)


def traced(found: Located) -> TracedSpan:
    """A span taken apart, with the messages of its attributes and events."""
    value = found.object
    context = mapping(value.get("context"))
    given = attributes(value.get("attributes"))
    place = found.span
    span = TracedSpan(
        trace=text(value.get("traceId")) or text(context.get("trace_id")),
        id=text(value.get("spanId")) or text(context.get("span_id")),
        parent=text(value.get("parentSpanId")) or text(value.get("parent_id")),
        name=text(value.get("name")),
        started=seconds(value.get("startTimeUnixNano") or value.get("start_time")),
        ended=seconds(value.get("endTimeUnixNano") or value.get("end_time")),
        given=given,
        place=place,
    )
    events: list[tuple[str, dict[str, Any]]] = []
    for event in found.elements("events"):
        name, told = text(event.object.get("name")), attributes(event.object.get("attributes"))
        if name == "gen_ai.client.inference.operation.details":
            given.update({key: item for key, item in told.items() if key not in given})
        else:
            events.append((name, told))
    add_messages(span, events, found)
    return span


def logged(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and content of a log record: the events' place since the conventions moved them out of spans."""
    told = attributes(value.get("attributes"))
    body = any_value(value.get("body"))
    name = text(value.get("eventName")) or text(told.get("event.name"))
    return name, {**told, **mapping(structured(body))}


def add_messages(span: TracedSpan, events: list[tuple[str, dict[str, Any]]], found: Located | None = None) -> None:
    """The messages of a span's attributes, else of its events; without `found` they all stand where the span does.

    A trace repeats every history again and again: attributes are let go once their messages are made.
    """
    given = span.given
    sent = chat_messages(given.pop(_SENT, None), "user")
    answers = chat_messages(given.pop(_ANSWERED, None), "assistant")
    if not sent and not answers:
        sent, answers = numbered(given)
    span.given = {key: value for key, value in given.items() if not key.startswith(_NUMBERED)}
    if not sent and not answers:
        for name, told in events:
            more, answered = event_messages(name, told)
            sent += more
            answers += answered
    span.sent = _built(span, only_calls(sent), _SENT, found)
    usage, model = usage_of(given), span.model
    thread = _built(span, only_calls(answers), _ANSWERED, found)
    span.answers = [_told(message, usage, model, span.ended) for message in thread if message.role == "assistant"]


def tool_result(span: TracedSpan) -> list[Message]:
    """What a tool's own span says that its call brought; empty where that was not captured."""
    value = span.given.get("gen_ai.tool.call.result")
    if value is None:
        return []
    call = span.given.get("gen_ai.tool.call.id")
    part = {"type": "tool_call_response", "id": call, "response": value}
    messages = chat_messages([{"role": "tool", "parts": [part]}], "tool")
    return [replace(message, ts=span.ended) for message in _built(span, messages, "", None)]


def _built(span: TracedSpan, values: list[dict[str, Any]], key: str, found: Located | None) -> list[Message]:
    thread = ChatThread()
    given: Sequence[Located | None] = [None] * len(values) if found is None else places(found, key, len(values))
    for value, place in zip(values, given, strict=True):
        at = span.place if place is None or place is found else place.span
        thread.add({"timestamp": span.started, **value}, at)
    return thread.messages


def _told(message: Message, usage: Usage | None, model: str | None, ended: float | None) -> Message:
    return replace(message, usage=usage, model=model, ts=ended if ended is not None else message.ts)


def _first(given: dict[str, Any], *keys: str) -> int | None:
    return next((number for key in keys if (number := count(given.get(key))) is not None), None)
