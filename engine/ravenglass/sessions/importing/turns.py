"""A conversation that is read event by event, for writers that record prompts, answers, calls, results one by one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.chat.messages import injected_kind
from ravenglass.sessions.importing.content.blocks import parts_of, unknown
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.content.signatures import hidden_characters
from ravenglass.sessions.importing.content.user_kinds import user_kind
from ravenglass.sessions.importing.draft import MessageDraft
from ravenglass.sessions.importing.lifetimes import cache_written, written_for_an_hour
from ravenglass.sessions.model.session import Kind, Message, Part, Role, Span, ToolCall, Usage
from ravenglass.sessions.records.values import count, dump, listed, mapping, text, text_or_none

_ASIDE = frozenset(
    {"exitCode", "exit_code", "status", "isError", "is_error", "duration", "durationMs", "success", "truncated"}
)
"""Fields beside an output that say how a tool ended, and are no part of what it said."""


@dataclass(slots=True)
class Turns:
    """Messages in their order. What the assistant says and calls is one message until something else comes."""

    drafts: list[MessageDraft] = field(default_factory=list)
    _open: MessageDraft | None = None

    def spoken(
        self, role: Role, parts: tuple[Part, ...], span: Span, ts: float | None = None, *,
        kind: Kind | None = None, source_id: str | None = None,
    ) -> MessageDraft:  # fmt: skip
        """Add a message of anyone but the assistant; of a user's the kind is told by its words where none is given."""
        self._open = None
        draft = MessageDraft(role, ts, source_id, parts=list(parts), spans=[span])
        if role == "user":
            said = user_kind(parts, meta=False, summary=False, origin="")[0]
            draft.kind = kind or (said if said != "prompt" else injected_kind(parts))
        self.drafts.append(draft)
        return draft

    def answer(
        self, span: Span, ts: float | None = None, *, source_id: str | None = None, model: str | None = None,
        usage: Usage | None = None,
    ) -> MessageDraft:  # fmt: skip
        """The assistant's message: the open one, unless that bears another id; the latest usage counts."""
        draft = self._open
        if draft is None or (source_id is not None and draft.source_id not in (None, source_id)):
            draft = MessageDraft("assistant", ts, source_id)
            self.drafts.append(draft)
            self._open = draft
        if not draft.spans or draft.spans[-1] != span:
            draft.spans.append(span)
        draft.source_id = draft.source_id or source_id
        draft.model = model or draft.model
        draft.usage = usage or draft.usage
        return draft

    def call(self, draft: MessageDraft, call_id: object, name: object, given: object) -> None:
        """Add a tool call to an assistant's message."""
        arguments = given if isinstance(given, str) else "" if given is None else dump(given)
        known = text_or_none(call_id) or f"call-{len(self.drafts) - 1}-{len(draft.calls)}"
        draft.calls.append(ToolCall(known, text(name), arguments))

    def result(
        self, call_id: object, parts: tuple[Part, ...], span: Span, ts: float | None = None, *, is_error: bool = False
    ) -> MessageDraft:
        """Add what a tool brought."""
        draft = self.spoken("tool", parts, span, ts)
        draft.call_id, draft.is_error = text_or_none(call_id), is_error
        return draft

    def close(self) -> None:
        """What the assistant says next is another message."""
        self._open = None

    def blocks(
        self, role: Role, content: object, span: Span, ts: float | None = None, *, source_id: str | None = None,
        model: str | None = None, usage: Usage | None = None, kind: Kind | None = None,
    ) -> None:  # fmt: skip
        """Add a content in blocks as Anthropic has them: texts, thinking, `tool_use`, `tool_result`."""
        items = listed(content)
        if role == "assistant":
            draft = self.answer(span, ts, source_id=source_id, model=model, usage=usage)
            for item in items:
                block = mapping(item)
                if block.get("type") == "tool_use":
                    self.call(draft, block.get("id"), block.get("name"), block.get("input"))
                else:
                    draft.parts.extend(parts_of(item))
                    draft.hidden += hidden_characters(block)
            return
        rest: list[Any] = []
        for item in items:
            block = mapping(item)
            if block.get("type") != "tool_result":
                rest.append(item)
                continue
            parts, failed = tool_result(block)
            self.result(block.get("tool_use_id") or block.get("toolUseID"), parts, span, ts, is_error=failed)
        if rest or not items:
            self.spoken(role, parts_of(rest), span, ts, kind=kind, source_id=source_id)

    def copy(self) -> Turns:
        """The same conversation, to go on with apart from this one."""
        made = [replace(d, parts=list(d.parts), calls=list(d.calls), spans=list(d.spans)) for d in self.drafts]
        place = next((n for n, draft in enumerate(self.drafts) if draft is self._open), None)
        return Turns(made, None if place is None else made[place])

    def messages(self) -> list[Message]:
        """Messages whose ids are their positions."""
        return [draft.message(position) for position, draft in enumerate(self.drafts)]


def tool_result(block: dict[str, Any]) -> tuple[tuple[Part, ...], bool]:
    """What a `tool_result` block brings, also where a `run` holds it, and whether that is an error."""
    run = mapping(block.get("run"))
    failed = (
        block.get("is_error") is True or block.get("isError") is True or run.get("status") in ("error", "cancelled")
    )
    if block.get("content") is not None or not run:
        given = block.get("content")
        if given is None and next(told(block), None) is not None:
            return (unknown("tool_result without content", block),), failed
        return parts_of(given), failed
    found = output_parts(run.get("result"))
    return found + (output_parts(run["error"]) if run.get("error") is not None else ()), failed


def output_parts(value: object) -> tuple[Part, ...]:
    """A tool's output of any shape: text, blocks, an object whose only words are its output, else its JSON."""
    if value is None or isinstance(value, str):
        return parts_of(value)
    if isinstance(value, list) and all(isinstance(item, str) or "type" in mapping(item) for item in value):
        return parts_of(value)
    fields = mapping(value)
    spoken = [key for key in fields if key not in _ASIDE and fields[key] not in (None, "", [], {})]
    if fields and spoken in (["output"], ["content"], ["stdout"], ["text"], ["message"]):
        return output_parts(fields[spoken[0]])
    if "content" in fields and spoken == ["content"]:
        return parts_of(fields["content"])
    return (Part("text", dump(value)),)


def usage_sum(value: object, fresh: str, output: str, read: str, written: str = "") -> Usage | None:
    """Usage whose input excludes what was read from and written to the cache, under a writer's own names.

    All zeros: the provider told nothing.
    """
    usage = mapping(value)
    sent = [count(usage.get(key)) if key else None for key in (fresh, read, written)]
    came = count(usage.get(output))
    if not any(sent) and not came:
        return None
    context = None if sent[0] is None else sum(figure or 0 for figure in sent)
    return Usage(context, came, sent[1], sent[2])


def anthropic_usage(value: object) -> Usage | None:
    """Usage under the names of Anthropic's API."""
    usage = mapping(value)
    named = {**usage, "cache_creation_input_tokens": cache_written(usage)}
    found = usage_sum(named, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return found and replace(found, cache_write_1h=written_for_an_hour(usage))


def gemini_usage(value: object) -> Usage | None:
    """Usage under the names of Gemini's API; the prompt includes what was cached."""
    usage = mapping(value)
    sent, came = count(usage.get("promptTokenCount")), count(usage.get("candidatesTokenCount"))
    thought = count(usage.get("thoughtsTokenCount"))
    if not sent and not came:
        return None
    output = None if came is None else came + (thought or 0)
    return Usage(sent, output, count(usage.get("cachedContentTokenCount")))
