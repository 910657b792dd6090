"""Imports logged requests of the Gemini API, each of which repeats its history, with their answers, also streamed."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.capture import bodies, events_of, placed_bodies
from ravenglass.sessions.importing.content.gemini import content_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.threads import Threads, starter
from ravenglass.sessions.importing.turns import Turns, gemini_usage
from ravenglass.sessions.model.session import Message, OtherRecord, Session, Span
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none


class GeminiAPI:
    """generateContent and streamGenerateContent."""

    name = "gemini-api"
    label = "Gemini API requests (JSON or JSON lines)"
    description = (
        "Maps requests with `contents`, also with the answer beside them or in pairs of request and response, whole or "
        "streamed; requests that repeat their history are one session with each call's usage. It keeps exchanges and "
        "unknown values as other records."
    )

    def sniff(self, head: Head) -> float:
        """Sure for contents with parts, and for candidates beside them."""
        values = [inner for record in head.records for inner in (record[:20] if isinstance(record, list) else [record])]
        return 0.95 if any(_asked(value) is not None for value in values) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The longest conversation is the session, the others its children."""
        return _Reading(records)


def _is_body(value: object) -> bool:
    contents = mapping(value).get("contents")
    return isinstance(contents, list) and any(isinstance(mapping(item).get("parts"), list) for item in contents[:20])


def _asked(value: object) -> object | None:
    fields = mapping(value)
    return next((body for body in [value, *bodies(fields.get("request"))] if _is_body(body)), None)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._threads = Threads()
        self._other: list[OtherRecord] = []

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        for item in found.items() if isinstance(found.value, list) else [found]:
            self._exchange(item)

    def _exchange(self, found: Located) -> None:
        asked = next((body for body in (found, *placed_bodies(found.get("request"))) if _is_body(body.value)), None)
        if asked is None:
            self._other.append(OtherRecord(kind_of(found.value), found.span))
            return
        turns = Turns()
        for item in asked.elements("contents"):
            _add(turns, item.object, item.span)
        sent = turns.messages()
        response = found.get("response")
        answer = _answer(response.value) if response is not None else {}
        usage = gemini_usage(answer.get("usageMetadata"))
        thread = self._threads.of(sent, has_tools=bool(sequence(asked.object.get("tools"))))
        thread.weave.request(sent, usage.context if usage else None)
        about = asked.object.get("systemInstruction", asked.object.get("system_instruction"))
        thread.system = "\n".join(p.text for p in content_of(mapping(about).get("parts")).parts) or thread.system
        tools = asked.get("tools")
        thread.tools = tools.text() if tools is not None and sequence(tools.value) else thread.tools
        model = text_or_none(answer.get("modelVersion")) or text_or_none(found.object.get("model"))
        thread.model = model or text_or_none(asked.object.get("model")) or thread.model
        if response is not None and answer:
            _add(turns, {"role": "model", "parts": _parts(answer)}, response.span)
            said = turns.drafts[-1]
            said.usage, said.model = usage, thread.model
            said.ts = seconds(answer.get("createTime")) or seconds(found.object.get("timestamp"))
            thread.weave.answer(said.message(len(turns.drafts) - 1))
        if asked is not found:
            self._other.append(OtherRecord("capture", found.span))

    def session(self) -> Session:
        name, threads = stem(self._records.opened.path), self._threads.found
        main = max(threads, key=lambda thread: len(thread.weave.messages), default=None)
        messages: list[Message] = list(main.weave.messages) if main is not None else []
        children = []
        for number, thread in enumerate((item for item in threads if item is not main), start=2):
            child = SessionDraft(f"{name}#{number}", thread.weave.messages, thread.weave.markers, model=thread.model)
            child.parent_call_id = starter(messages, thread.weave.messages)
            children.append(assembled(child, GeminiAPI.name, self._records, main=False))
        draft = SessionDraft(name, messages, main.weave.markers if main is not None else [], list(self._other))
        if main is not None:
            draft.model, draft.tools, draft.system = main.model, main.tools, main.system
        return assembled(draft, GeminiAPI.name, self._records, children=children)


def _add(turns: Turns, value: dict[str, Any], span: Span) -> None:
    """One content; calls without ids are answered by their names, in their order."""
    content = content_of(value.get("parts"))
    if text(value.get("role")) in ("model", "assistant"):
        turns.close()
        draft = turns.answer(span)
        draft.parts.extend([*content.thoughts, *content.parts])
        for call in content.calls:
            turns.call(draft, call.id, call.name, call.arguments)
        return
    answered = {draft.call_id for draft in turns.drafts if draft.role == "tool"}
    waiting = [call for draft in turns.drafts for call in draft.calls if call.id not in answered]
    for result in content.results:
        named = next((call for call in waiting if result.name in (None, call.name)), None)
        call_id = result.call_id or (named.id if named is not None else None)
        waiting = [call for call in waiting if call.id != call_id]
        turns.result(call_id, result.parts, span, is_error=result.is_error)
    parts = (*content.thoughts, *content.parts)
    if parts or not content.results:
        turns.spoken("system" if value.get("role") == "system" else "user", parts, span)


def _answer(response: object) -> dict[str, Any]:
    """The answer, whole or as the chunks of a stream add up to; empty where there is none."""
    for body in bodies(response):
        if isinstance(mapping(body).get("candidates"), list):
            return mapping(body)
        chunks = [event for event in events_of(body) if "candidates" in event or "usageMetadata" in event]
        if chunks:
            whole: dict[str, Any] = {}
            for chunk in chunks:
                whole.update({key: value for key, value in chunk.items() if value})
            return {**whole, "candidates": [{"content": {"parts": _joined(chunks)}}]}
    return {}


def _joined(chunks: list[dict[str, Any]]) -> list[Any]:
    """Pieces of one text, or of one thought, are one part."""
    found: list[Any] = []
    for part in (part for chunk in chunks for part in _parts(chunk)):
        last, fields = mapping(found[-1]) if found else {}, mapping(part)
        same = set(last) <= {"text", "thought"} and set(fields) <= {"text", "thought"} and bool(last) and bool(fields)
        if same and last.get("thought") == fields.get("thought"):
            found[-1] = {**last, "text": text(last.get("text")) + text(fields.get("text"))}
        else:
            found.append(part)
    return found


def _parts(answer: dict[str, Any]) -> list[Any]:
    first = mapping(next(iter(sequence(answer.get("candidates"))), None))
    return sequence(mapping(first.get("content")).get("parts"))
