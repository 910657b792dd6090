"""Imports sessions of Continue: one JSON document whose history holds messages with what was done about their calls."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.chat.messages import chat_usage
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.turns import Turns, output_parts
from ravenglass.sessions.model.session import Marker, OtherRecord, Part, Session, Usage
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import count, kind_of, listed, mapping, sequence, text, text_or_none

_KNOWN = ("sessionId", "title", "workspaceDirectory", "history")
_FAILED = frozenset({"errored", "canceled"})


class Continue:
    """Continue: `~/.continue/sessions/`."""

    name = "continue"
    label = "Continue session (JSON)"
    description = (
        "Maps messages with attached context, thinking, tool calls, the results in their states or in messages of "
        "their own, usage where it is written, and summaries of the conversation; keeps logged prompts' and other "
        "fields as other records. The record has no times."
    )

    def sniff(self, head: Head) -> float:
        """1 for a history of items that each hold a message, beside a session's id."""
        return 1.0 if any(_is_session(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The document is one session."""
        return _Reading(records)


def _is_session(record: object) -> bool:
    fields = mapping(record)
    history = sequence(fields.get("history"))
    named = "sessionId" in fields and isinstance(fields.get("history"), list) and "projectHash" not in fields
    return named and (any(_is_item(item) for item in history[:20]) or "workspaceDirectory" in fields)


def _is_item(value: object) -> bool:
    return "role" in mapping(mapping(value).get("message"))


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._draft = SessionDraft()
        self._answered: set[str] = set()

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        if isinstance(found.object.get("history"), list):
            self._draft.id = text(found.object.get("sessionId"))
            self._draft.title = text(found.object.get("title"))
            self._draft.project = text(found.object.get("workspaceDirectory")).removeprefix("file://")
            for item in found.elements("history"):
                self._item(item)
            self._draft.other += found.others(*_KNOWN)
        else:
            self._item(found)

    def _item(self, item: Located) -> None:
        fields = item.object
        message, span = mapping(fields.get("message")), item.span
        role, content = text(message.get("role")), message.get("content")
        if role == "assistant":
            self._assistant(fields, message, item)
        elif role == "thinking":
            self._turns.close()
            words = "\n".join(part.text for part in parts_of(content))
            self._turns.answer(span).parts.extend([Part("thinking", words)] if words else [])
            return
        elif role == "tool":
            call = text(message.get("toolCallId")) or text(message.get("tool_call_id"))
            if call and call in self._answered:
                self._draft.other.append(OtherRecord("result, written again", span))
            else:
                self._turns.result(call, parts_of(content), span)
                self._answered.add(call)
        elif role in ("user", "system"):
            attached = _attached(fields)
            self._turns.spoken("user" if role == "user" else "system", (*attached, *parts_of(content)), span)
        else:
            self._draft.other.append(OtherRecord(f"role {role}" if role else kind_of(item.value), span))
            return
        summary = text(fields.get("conversationSummary"))
        if summary:
            self._draft.markers.append(
                Marker("compaction", len(self._turns.drafts), "the conversation before is sent as its summary", ())
            )
            self._turns.spoken("user", (Part("text", summary),), span, kind="summary")

    def _assistant(self, fields: dict[str, Any], message: dict[str, Any], item: Located) -> None:
        thought = self._turns.drafts[-1] if self._turns.drafts else None
        if thought is None or thought.role != "assistant" or any(part.kind != "thinking" for part in thought.parts):
            self._turns.close()
        usage = mapping(message.get("usage"))
        model = text_or_none(usage.get("model")) or text_or_none(message.get("model"))
        draft = self._turns.answer(item.span, model=model, usage=_usage(usage))
        reasoning = text(mapping(fields.get("reasoning")).get("text"))
        if reasoning and not any(part.kind == "thinking" for part in draft.parts):
            draft.parts.append(Part("thinking", reasoning))
        draft.parts.extend(parts_of(message.get("content")))
        known: set[str] = set()
        states = [mapping(state) for state in sequence(fields.get("toolCallStates"))]
        states += [mapping(fields["toolCallState"])] if mapping(fields.get("toolCallState")) else []
        for call in [*sequence(message.get("toolCalls")), *(state.get("toolCall") for state in states)]:
            what, name = mapping(mapping(call).get("function")), text(mapping(call).get("id"))
            if what and name not in known:
                self._turns.call(draft, name, what.get("name"), what.get("arguments"))
                known.add(name)
        for state in states:
            call_id, output = text(state.get("toolCallId")), state.get("output")
            if output is None and text(state.get("status")) not in _FAILED:
                continue
            texts = tuple(part for entry in listed(output) for part in _output(entry))
            self._turns.result(call_id, texts, item.span, is_error=text(state.get("status")) in _FAILED)
            self._answered.add(call_id)

    def session(self) -> Session:
        self._draft.id = self._draft.id or stem(self._records.opened.path)
        self._draft.messages = self._turns.messages()
        return assembled(self._draft, Continue.name, self._records)


def _output(entry: object) -> tuple[Part, ...]:
    content = mapping(entry).get("content")
    return parts_of(content) if content is not None else output_parts(entry)


def _attached(fields: dict[str, Any]) -> tuple[Part, ...]:
    """Context that was attached to a prompt, and is sent with it."""
    items = [mapping(item) for item in sequence(fields.get("contextItems"))]
    return tuple(
        Part("text", f"{text(i.get('name'))}\n{text(i.get('content'))}".strip()) for i in items if i.get("content")
    )


def _usage(usage: dict[str, Any]) -> Usage | None:
    found = chat_usage(usage)
    if found is not None:
        return found if found.context or found.output else None
    sent, came = count(usage.get("promptTokens")), count(usage.get("completionTokens"))
    details = mapping(usage.get("promptTokensDetails"))
    return Usage(sent, came, count(details.get("cachedTokens"))) if sent or came else None
