"""Conversations inside request and response bodies of the Responses API, every item with the bytes it stands at.

A request repeats the whole conversation before it, so of each only what is new is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.importing.capture import bodies, events_of
from ravenglass.sessions.importing.place import RecordPlace
from ravenglass.sessions.importing.responses.items import is_item, item_key, read_item
from ravenglass.sessions.importing.responses.thread import ItemThread
from ravenglass.sessions.model.session import OtherRecord, Span, Usage
from ravenglass.sessions.records.decode import Record
from ravenglass.sessions.records.reader import Records
from ravenglass.sessions.records.scan import Member, member, members
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, kind_of, mapping, sequence, text, text_or_none

_REQUEST = ("instructions", "tools", "previous_response_id", "reasoning", "store", "output", "max_output_tokens")
"""Keys that, beside an `input`, only a request of this API has."""
_REASONING = "reasoning:"
_ENOUGH = 20
"""Elements of a list that tell what it is."""


@dataclass(slots=True)
class ResponsesConversation:
    """One conversation and what surrounds it."""

    thread: ItemThread = field(default_factory=ItemThread)
    other: list[OtherRecord] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """Of all its items, in order."""
    ids: set[str] = field(default_factory=set)
    responses: set[str] = field(default_factory=set)
    instructions: str | None = None
    tools: str | None = None
    model: str | None = None
    loose: bool = False
    """Made of items that stand on lines of their own."""


def request_of(value: object) -> dict[str, Any]:
    """The body of a request, also in a logged pair; empty where there is none."""
    for found in (mapping(value), mapping(mapping(value).get("request")), _body(value, "request")):
        given = found.get("input")
        if isinstance(given, list) and (not given or any(_belongs(item) for item in given[:_ENOUGH])):
            return found
        if isinstance(given, str) and any(key in found for key in _REQUEST):
            return found
    return {}


def response_of(value: object) -> dict[str, Any]:
    """The body of a response, also in a logged pair; empty where there is none."""
    for found in (mapping(value), mapping(mapping(value).get("response")), _body(value, "response")):
        given = found.get("output")
        if isinstance(given, list) and any(_belongs(item) for item in given[:_ENOUGH]):
            return found
    return _streamed(mapping(value).get("response"))


def _streamed(response: object) -> dict[str, Any]:
    """The response that the events of a stream end with, else what they brought so far; empty if they are none."""
    items: list[object] = []
    for body in bodies(response):
        for event in events_of(body) if isinstance(body, (str, list)) else []:
            whole = mapping(event.get("response"))
            if sequence(whole.get("output")):
                return whole
            if event.get("type") == "response.output_item.done":
                items.append(event.get("item"))
    return {"output": items} if items else {}


def _body(value: object, key: str) -> dict[str, Any]:
    return mapping(mapping(mapping(value).get(key)).get("body"))


def _belongs(item: object) -> bool:
    return is_item(item) or ("content" in mapping(item) and read_item(mapping(item), "") is not None)


class ResponsesConversations:
    """Collects the conversations of a file, record by record."""

    def __init__(self, records: Records) -> None:
        self.found: list[ResponsesConversation] = []
        self._records = records

    def take(self, record: Record) -> None:
        """A record: an item, a request, a response, both together, a list of any of them, or something else."""
        if isinstance(record.value, dict) and is_item(record.value):
            self._add(self._loose(), record.value, record.span)
            return
        data = self._records.opened.source.read(record.span)
        self._value(record.value, Member(None, 0, len(data)), RecordPlace(data, record.span), record.span)

    def _value(self, value: object, at: Member, place: RecordPlace, span: Span) -> None:
        request, response = request_of(value), response_of(value)
        if request or response:
            conversation = self._request(request, at, place) if request else None
            if response:
                self._response(conversation or self._asked(response), response, at, place)
        elif isinstance(value, list) and value:
            self._list(value, at, place)
        else:
            self._loose().other.append(OtherRecord(_label(value), span))

    def _list(self, value: list[Any], at: Member, place: RecordPlace) -> None:
        direct: ResponsesConversation | None = None
        for inner, part in _elements(value, at, place):
            if isinstance(inner, list) or request_of(inner) or response_of(inner):
                self._value(inner, part, place, place.span(part))
                continue
            if direct is None:
                direct = ResponsesConversation()
                self.found.append(direct)
            self._add(direct, inner, place.span(part))

    def _request(self, body: dict[str, Any], at: Member, place: RecordPlace) -> ResponsesConversation:
        at = _where("input", at, place)
        given = body.get("input")
        inner = member(place.data, "input", at.start, at.stop)
        items = [({"role": "user", "content": given}, inner)] if isinstance(given, str) and inner else []
        items = items or [(item, part) for item, part in _elements(given, inner or at, place)]
        keys = [item_key(mapping(item)) for item, _ in items]
        found, known = self._continued(keys, text(body.get("previous_response_id")))
        found.model = text_or_none(body.get("model")) or found.model
        found.instructions = _instructions(body.get("instructions")) or found.instructions
        tools = member(place.data, "tools", at.start, at.stop)
        if tools is not None and place.data[tools.start : tools.start + 1] == b"[":
            found.tools = place.data[tools.start : tools.stop].decode("utf-8", "replace")
        if known:
            first, last = items[0][1], items[known - 1][1]
            span = place.span(Member(None, first.start, last.stop))
            found.other.append(OtherRecord(f"{known:,} items repeated from the request before", span))
        if not items:
            found.other.append(OtherRecord("request without items", place.span(at)))
        for item, part in items[known:]:
            self._add(found, item, place.span(part))
        found.thread.close()
        return found

    def _continued(self, keys: list[str], previous: str) -> tuple[ResponsesConversation, int]:
        """The conversation that a request goes on with, and how many of its items that already has."""
        for found in reversed(self.found):
            if previous and previous in found.responses:
                return found, 0
            if not found.loose and (known := _repeated(found.keys, keys)):
                return found, known
        self.found.append(ResponsesConversation())
        return self.found[-1], 0

    def _asked(self, body: dict[str, Any]) -> ResponsesConversation:
        """The conversation that a response without its request belongs to."""
        previous = text(body.get("previous_response_id"))
        for found in reversed(self.found):
            if not previous or previous in found.responses:
                return found
        self.found.append(ResponsesConversation())
        return self.found[-1]

    def _response(self, found: ResponsesConversation, body: dict[str, Any], at: Member, place: RecordPlace) -> None:
        at = _where("output", at, place)
        inner = member(place.data, "output", at.start, at.stop)
        found.thread.close()
        before = len(found.thread.drafts)
        for item, part in _elements(body.get("output"), inner or at, place):
            self._add(found, item, place.span(part))
        found.thread.close()
        found.model = text_or_none(body.get("model")) or found.model
        if (name := text_or_none(body.get("id"))) is not None:
            found.responses.add(name)
        said = [draft for draft in found.thread.drafts[before:] if draft.role == "assistant"]
        for draft in said[:1]:
            draft.usage = responses_usage(body.get("usage"))
            draft.model = text_or_none(body.get("model"))
            draft.ts = seconds(body.get("created_at"))

    def _add(self, found: ResponsesConversation, value: object, span: Span) -> None:
        body = mapping(value)
        item = read_item(body, str(span.offset)) if body else None
        if item is None or (item.type == "item_reference" and item.id in found.ids):
            found.other.append(OtherRecord(_label(value), span))
        else:
            found.thread.add(item, span)
        if item is not None and item.id is not None:
            found.ids.add(item.id)
        found.keys.append(item_key(body))

    def _loose(self) -> ResponsesConversation:
        """The conversation of single items: the last one, if it is one."""
        if not self.found or not self.found[-1].loose:
            self.found.append(ResponsesConversation(loose=True))
        return self.found[-1]


def _repeated(before: list[str], keys: list[str]) -> int:
    """How many items of a request are all those of before; 0 if they are not there. Reasoning may be left out."""
    wanted = [key for key in before if not key.startswith(_REASONING)]
    at = 0
    for number, key in enumerate(keys):
        if at == len(wanted):
            return number
        if key == wanted[at]:
            at += 1
        elif not key.startswith(_REASONING):
            return 0
    return len(keys) if wanted and at == len(wanted) else 0


def responses_usage(value: object) -> Usage | None:
    """Usage in the form of this API; its input tokens include the cached ones."""
    usage = mapping(value)
    context, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    if context is None and output is None:
        return None
    return Usage(context, output, count(mapping(usage.get("input_tokens_details")).get("cached_tokens")))


def _where(key: str, at: Member, place: RecordPlace) -> Member:
    """The object inside the record that holds `key`: the record itself, its `request` or `response`, their `body`."""
    outer = "request" if key == "input" else "response"
    for path in ((), (outer,), (outer, "body")):
        found: Member | None = at
        for name in path:
            found = member(place.data, name, found.start, found.stop) if found is not None else None
        if found is not None and member(place.data, key, found.start, found.stop) is not None:
            return found
    return at


def _elements(value: object, at: Member, place: RecordPlace) -> Iterator[tuple[Any, Member]]:
    """The list's elements with their places; all at the whole list's where the bytes do not tell them apart."""
    items = sequence(value)
    parts = members(place.data, at.start, at.stop)
    return zip(items, parts if len(parts) == len(items) else [at] * len(items), strict=True)


def _instructions(value: object) -> str | None:
    """Instructions are a text, or a list of items."""
    if isinstance(value, str):
        return value or None
    items = [read_item(mapping(item), "") for item in sequence(value)]
    return "\n".join(part.text for item in items if item is not None for part in item.parts) or None


def _label(value: object) -> str:
    kind = mapping(value).get("type")
    return kind if isinstance(kind, str) and kind else kind_of(value)
