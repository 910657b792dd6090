"""Imports requests of the Anthropic Messages API: bodies, requests captured with their answers, bare messages
(formats.md, section 4).

Written after the public reference of the Messages API and the log that claude-trace writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ravenglass.sessions.formats.anthropic.messages import has_blocks, is_message, messages_of, system_text, usage_of
from ravenglass.sessions.formats.anthropic.stream import streamed
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.build import title_of
from ravenglass.sessions.importing.chat.answers import completion_of
from ravenglass.sessions.importing.content.user_kinds import without_reminders
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.threads import Thread, Threads, starter
from ravenglass.sessions.model.session import OtherRecord, Part, Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text_or_none

_CERTAIN, _LIKELY = 0.9, 0.85
_TITLED = 8
"""User messages among which a title is looked for."""


class Anthropic:
    """Anthropic Messages, as request bodies or as a proxy captured them."""

    name = "anthropic-messages"
    label = "Anthropic Messages (requests, captures)"
    description = (
        "Maps request bodies with `system`, `tools` and typed blocks, answers also streamed, captured requests "
        "(`request` and `response`) one a line, and bare lists of messages. Requests that repeat their history are one "
        "session with each call's usage; side requests and sub-agents are its children. It keeps captures, other "
        "fields of a request and unknown values as other records; signatures and blobs only by their size."
    )

    def sniff(self, head: Head) -> float:
        """Sure for captures, a top-level `system` beside messages, tools with `input_schema`, and typed blocks."""
        values = [inner for record in head.records for inner in (record[:20] if isinstance(record, list) else [record])]
        if any(_is_capture(value) or _is_answer(value) for value in values):
            return _CERTAIN
        if any(_is_request(value) for value in values):
            return _CERTAIN
        return _LIKELY if any(is_message(value) and has_blocks(value) for value in values) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The longest conversation is the session, the others its children."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._threads = Threads()
        self._other: list[OtherRecord] = []
        self._errors = 0

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        # A list holds messages, or is a capture written as one document.
        if isinstance(found.value, list) and any(is_message(item) for item in found.value):
            self._bare(found.items())
        elif isinstance(found.value, list):
            for item in found.items():
                self._value(item)
        else:
            self._value(found)

    def _value(self, found: Located) -> None:
        value = found.object
        if _is_capture(value):
            self._capture(found)
        elif isinstance(value.get("messages"), list):
            thread = self._request(found, None)
            answer = _answer_of(found.get("response"))
            self._other += found.others("messages", *(("response",) if answer else ()))
            if answer is not None:
                self._answer(thread, *answer)
        elif _is_answer(value):
            self._answer(self._threads.last(), value, found, None)
        elif is_message(value):
            self._bare([found])
        else:
            self._other.append(OtherRecord(kind_of(found.value), found.span))

    def _capture(self, found: Located) -> None:
        request, response = found.get("request"), found.get("response")
        body = _body(request)
        answer = _answer_of(response)
        self._other.append(OtherRecord("capture", found.span))
        status = response.object.get("status_code") or response.object.get("status") if response else None
        self._errors += isinstance(status, int) and status >= 400
        if body is None:
            return
        context = usage_of(answer[0].get("usage")) if answer else None
        thread = self._request(body, context.context if context else None)
        if answer is not None:
            self._answer(thread, *answer)

    def _request(self, body: Located, context: int | None) -> Thread:
        value = body.object
        elements = body.elements("messages")
        sent = messages_of((item.value, item.span) for item in elements)
        self._other += [OtherRecord(kind_of(item.value), item.span) for item in elements if not is_message(item.value)]
        tools = body.get("tools")
        has_tools = tools is not None and bool(sequence(tools.value))
        thread = self._threads.of(sent, has_tools=has_tools)
        thread.weave.request(sent, context)
        thread.system = system_text(value.get("system")) or thread.system
        thread.model = text_or_none(value.get("model")) or thread.model
        if tools is not None and has_tools:
            thread.tools = tools.text()
        return thread

    def _answer(self, thread: Thread, value: dict[str, Any], place: Located, time: float | None) -> None:
        for message in messages_of([({"role": "assistant", **value}, place.span)]):
            ts = message.ts if message.ts is not None else time
            thread.weave.answer(replace(message, ts=ts, model=message.model or thread.model))

    def _bare(self, items: list[Located]) -> None:
        thread = self._threads.last()
        for item in items:
            if not is_message(item.value):
                self._other.append(OtherRecord(kind_of(item.value), item.span))
                continue
            for message in messages_of([(item.value, item.span)], len(thread.weave.messages)):
                thread.weave.append(message)

    def session(self) -> Session:
        threads = self._threads.found or [Thread()]
        main = max(threads, key=lambda thread: len(thread.weave.messages))
        path = self._records.opened.path
        children = []
        for number, thread in enumerate((item for item in threads if item is not main), start=2):
            draft = _draft(thread, f"{stem(path)}#{number}")
            draft.parent_call_id = starter(main.weave.messages, thread.weave.messages)
            children.append(assembled(draft, Anthropic.name, self._records, main=False))
        draft = _draft(main, stem(path))
        draft.other = self._other
        session = assembled(draft, Anthropic.name, self._records, children=children)
        return replace(session, warnings=(*self._warnings(len(threads)), *session.warnings))

    def _warnings(self, threads: int) -> Iterator[str]:
        if threads > 1:
            yield (
                f"The file holds {threads:,} conversations; the longest is the session, the others are its children."
            )
        if self._errors:
            yield f"{self._errors:,} of the captured requests failed; they have no answer."


def _draft(thread: Thread, name: str) -> SessionDraft:
    weave = thread.weave
    plain = (replace(message, parts=_spoken(message.parts)) for message in weave.messages if message.role == "user")
    return SessionDraft(
        name,
        weave.messages,
        weave.markers,
        title=title_of(tuple(islice(plain, _TITLED))),
        model=thread.model,
        tools=thread.tools,
        system=thread.system,
    )


def _spoken(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """What of a message a person wrote: captured prompts begin with the harness's reminders."""
    return tuple(Part(part.kind, without_reminders(part.text)) for part in parts)


def _decoded(words: str) -> object:
    try:
        return decode_value(words.encode("utf-8", "replace"))
    except ValueError:
        return None


def _is_capture(value: object) -> bool:
    request = mapping(mapping(value).get("request"))
    body = request.get("body", request.get("content"))
    inner = _decoded(body) if isinstance(body, str) else body if body is not None else request
    asked = "response" in mapping(value) and isinstance(mapping(inner).get("messages"), list)
    # Gateways log requests of the chat API in the same pairs; its answers have choices.
    return asked and not completion_of(mapping(value)["response"])


def _is_answer(value: object) -> bool:
    found = mapping(value)
    return (
        found.get("type") == "message" and found.get("role") == "assistant" and isinstance(found.get("content"), list)
    )


def _is_request(value: object) -> bool:
    found = mapping(value)
    if not isinstance(found.get("messages"), list) or completion_of(found.get("response")):
        return False
    if any(_is_chat(message) for message in found["messages"]):
        return False
    tools = any("input_schema" in mapping(tool) for tool in sequence(found.get("tools")))
    return "system" in found or tools or any(has_blocks(message) for message in found["messages"])


def _is_chat(message: object) -> bool:
    """Whether a message is one that only the chat API of OpenAI has."""
    found = mapping(message)
    return found.get("role") in ("tool", "function", "developer") or isinstance(found.get("tool_calls"), list)


def _body(request: Located | None) -> Located | None:
    """The body of a captured request, which may be JSON inside a string: its parts stand where the string does."""
    if request is None:
        return None
    inner = request.get("body") or request.get("content") or request
    if isinstance(inner.value, str):
        return Located(_decoded(inner.value), inner.member, inner.place)
    return inner


def _answer_of(response: Located | None) -> tuple[dict[str, Any], Located, float | None] | None:
    """A captured answer, where it stands, and when it came."""
    if response is None:
        return None
    time = seconds(response.object.get("timestamp"))
    for inner in (response.get("body"), response.get("body_raw"), response.get("content"), response):
        if inner is None:
            continue
        value = inner.value
        if isinstance(value, str):
            value = _decoded(value) if value.lstrip().startswith("{") else streamed(value)
        if _is_answer(value):
            return mapping(value), inner, time
    return None
