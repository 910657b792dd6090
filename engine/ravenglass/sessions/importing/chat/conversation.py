"""Conversations inside JSON values, every message with the exact bytes it stands at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.chat.messages import ROLES, ChatThread, chat_usage
from ravenglass.sessions.importing.place import RecordPlace
from ravenglass.sessions.model.session import Message, OtherRecord, Span
from ravenglass.sessions.records.decode import Record
from ravenglass.sessions.records.reader import Records
from ravenglass.sessions.records.scan import Member, member, members
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none


@dataclass(slots=True)
class ChatConversation:
    """One conversation and what surrounds it."""

    thread: ChatThread = field(default_factory=ChatThread)
    other: list[OtherRecord] = field(default_factory=list)
    tools: str | None = None
    model: str | None = None
    loose: bool = False
    """Made of messages that stand on lines of their own."""


def is_message(value: object) -> bool:
    """Whether the value has the shape of a chat message."""
    found = mapping(value)
    return text(found.get("role")) in ROLES and bool({"content", "tool_calls", "function_call"} & found.keys())


def is_conversation(value: object) -> bool:
    """Whether the value is an object with a list of messages."""
    return isinstance(mapping(value).get("messages"), list)


class ChatConversations:
    """Collects the conversations of a file, record by record."""

    def __init__(self, records: Records) -> None:
        self.found: list[ChatConversation] = []
        self._records = records

    def take(self, record: Record) -> None:
        """A record: a message, a conversation, a list of either, or something else."""
        value = record.value
        if is_message(value):
            self._loose().thread.add(mapping(value), record.span)
        elif isinstance(value, list) or is_conversation(value):
            self._container(value, *self._whole(record))
        elif _choices(value):
            self._response(self._loose(), mapping(value), *self._whole(record))
        else:
            self._loose().other.append(OtherRecord(_label(value), record.span))

    def _whole(self, record: Record) -> tuple[Member, RecordPlace]:
        data = self._records.opened.source.read(record.span)
        return Member(None, 0, len(data)), RecordPlace(data, record.span)

    def _loose(self) -> ChatConversation:
        """The conversation of single messages: the last one, if it is one."""
        if not self.found or not self.found[-1].loose:
            self.found.append(ChatConversation(loose=True))
        return self.found[-1]

    def _container(self, value: object, item: Member, place: RecordPlace) -> None:
        if isinstance(value, dict):
            self.found.append(self._conversation(value, item, place))
            return
        direct: ChatConversation | None = None
        for inner, part in _elements(value, item, place):
            if is_conversation(inner):
                self._container(inner, part, place)
                continue
            if direct is None:
                direct = ChatConversation()
                self.found.append(direct)
            _add(direct, inner, place.span(part))
        if direct is None and not sequence(value):
            self.found.append(ChatConversation())

    def _conversation(self, value: dict[str, Any], item: Member, place: RecordPlace) -> ChatConversation:
        found = ChatConversation(model=text_or_none(value.get("model")))
        tools = member(place.data, "tools", item.start, item.stop) or member(
            place.data, "functions", item.start, item.stop
        )
        if tools is not None and place.data[tools.start : tools.start + 1] == b"[":
            found.tools = place.data[tools.start : tools.stop].decode("utf-8", "replace")
        messages = member(place.data, "messages", item.start, item.stop)
        if messages is not None:
            for inner, part in _elements(value["messages"], messages, place):
                _add(found, inner, place.span(part))
        answer = member(place.data, "response", item.start, item.stop)
        if answer is not None:
            self._response(found, mapping(value.get("response")), answer, place)
        return found

    def _response(self, found: ChatConversation, answer: dict[str, Any], item: Member, place: RecordPlace) -> None:
        """A log of a request also holds the answer: the conversation's last message."""
        found.model = text_or_none(answer.get("model")) or found.model
        list_at = member(place.data, "choices", item.start, item.stop)
        if list_at is None:
            return
        for number, (choice, spot) in enumerate(_elements(answer.get("choices"), list_at, place)):
            at = member(place.data, "message", spot.start, spot.stop)
            message = mapping(mapping(choice).get("message"))
            if at is None or not message:
                continue
            if number > 0:
                found.other.append(OtherRecord(f"choice {number + 1}", place.span(at)))
            elif not _repeats(found.thread.messages, message):
                _add(found, {"role": "assistant", **message}, place.span(at))
        _complete(found.thread.messages, answer)


def _elements(value: object, item: Member, place: RecordPlace) -> Iterator[tuple[object, Member]]:
    """The list's elements with their places."""
    values, places = sequence(value), members(place.data, item.start, item.stop)
    # What stands in the place of a list and is none, or cannot be told apart in damaged bytes, has the whole's place.
    return zip(values, places if len(places) == len(values) else [item] * len(values), strict=True)


def _choices(value: object) -> bool:
    return any(mapping(mapping(choice).get("message")) for choice in sequence(mapping(value).get("choices")))


def _add(found: ChatConversation, value: object, span: Span) -> None:
    if not isinstance(value, dict) or not found.thread.add(value, span):
        found.other.append(OtherRecord(_label(value), span))


def _repeats(messages: list[Message], answer: dict[str, Any]) -> bool:
    """Whether the answer already stands at the end of the request's messages."""
    if not messages or messages[-1].role != "assistant":
        return False
    probe = ChatThread()
    if not probe.add({"role": "assistant", **answer}, Span(0, 0, 0)):
        return False
    calls = [call.id for call in probe.messages[0].tool_calls]
    return messages[-1].text == probe.messages[0].text and [call.id for call in messages[-1].tool_calls] == calls


def _complete(messages: list[Message], answer: dict[str, Any]) -> None:
    """The answer's usage, model and time belong to the last assistant message."""
    if messages and messages[-1].role == "assistant":
        last = messages[-1]
        messages[-1] = replace(
            last,
            usage=chat_usage(answer.get("usage")) or last.usage,
            model=text_or_none(answer.get("model")) or last.model,
            ts=last.ts if last.ts is not None else seconds(answer.get("created")),
        )


def _label(value: object) -> str:
    role = mapping(value).get("role")
    return f"role {role}" if isinstance(role, str) else kind_of(value)
