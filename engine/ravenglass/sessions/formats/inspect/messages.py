"""One chat message as Inspect AI logs it, as a Message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Message, Part, Role, Span, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text, text_or_none

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32,64})")
_DEEPEST = 40
"""Levels of a content down to which attachments are put in place."""


def resolved(value: object, attachments: Mapping[str, str], depth: int = 0) -> object:
    """A value with the attachments its texts refer to; a reference to an unknown one stays."""
    if not attachments or depth > _DEEPEST:
        return value
    if isinstance(value, str):
        if "attachment://" not in value:
            return value
        return _ATTACHMENT.sub(lambda match: attachments.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [resolved(item, attachments, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: resolved(item, attachments, depth + 1) for key, item in value.items()}
    return value


def message_of(value: dict[str, Any], span: Span, position: int, *, asked: bool) -> Message | None:
    """The message, or None where its role is unknown.

    `asked` says whether it belongs to the sample's input: then a user message is the prompt (later ones are written
    by the harness), and an assistant message was put there and is no model call.
    """
    role = ROLES.get(text(value.get("role")))
    if role is None:
        return None
    error = text(mapping(value.get("error")).get("message"))
    parts = parts_of([_block(block) for block in _blocks(value.get("content"))])
    if role == "tool" and error and not any(part.text for part in parts):
        parts = (Part("text", f"Error: {error}"),)
    given = asked or value.get("source") == "input"
    return Message(
        id=position,
        role=role,
        parts=_thinking(value) + parts,
        kind="ordinary" if role != "user" else "prompt" if given or value.get("source") == "operator" else "meta",
        tool_calls=_calls(value, position) if role == "assistant" else (),
        tool_call_id=text_or_none(value.get("tool_call_id")) if role == "tool" else None,
        tool_name=text_or_none(value.get("function")) if role == "tool" else None,
        is_error=bool(mapping(value.get("error"))) and role == "tool",
        ts=seconds(value.get("timestamp")),
        model=text_or_none(value.get("model")) if role == "assistant" else None,
        source_id=text_or_none(value.get("id")),
        spans=(span,),
        flags=frozenset({"synthetic"}) if role == "assistant" and given else frozenset(),
    )


def usage_of(value: object) -> Usage | None:
    """Usage of one output. Providers differ in whether the input includes cached tokens; the total tells."""
    usage = mapping(value)
    fresh, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    read, written = count(usage.get("input_tokens_cache_read")), count(usage.get("input_tokens_cache_write"))
    if fresh is None and output is None:
        return None
    cached = (read or 0) + (written or 0)
    total = count(usage.get("total_tokens"))
    separate = total is not None and fresh is not None and total >= fresh + cached + (output or 0)
    context = None if fresh is None else fresh + cached if separate or cached > fresh else fresh
    return Usage(context, output, read, written)


def _blocks(content: object) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _block(block: object) -> object:
    """A content block in the form that `parts_of` reads."""
    found = mapping(block)
    kind = found.get("type")
    if kind == "reasoning":
        words = text(found.get("summary")) if found.get("redacted") is True else text(found.get("reasoning"))
        return {"type": "thinking", "thinking": words} if words else {**found, "type": "thinking", "text": ""}
    if kind == "image" and isinstance(found.get("image"), str):
        return {"type": "image_url", "image_url": found["image"]}
    if kind == "document" and isinstance(found.get("document"), str):
        return {"type": "file", "filename": found.get("filename") or found.get("mime_type") or "file"}
    if kind == "tool_use":
        result = text(found.get("error")) or text(found.get("result"))
        return {"type": "text", "text": f"[{text(found.get('name'))} {text(found.get('arguments'))}]\n{result}"}
    return block


def _thinking(value: dict[str, Any]) -> tuple[Part, ...]:
    """Reasoning as the first versions wrote it, beside the content."""
    words = text(value.get("reasoning"))
    return (Part("thinking", words),) if words else ()


def _calls(value: dict[str, Any], position: int) -> tuple[ToolCall, ...]:
    calls = [mapping(call) for call in sequence(value.get("tool_calls"))]
    return tuple(_call(call, f"call-{position}-{number}") for number, call in enumerate(calls))


def _call(call: dict[str, Any], invented: str) -> ToolCall:
    function = call.get("function")
    # The first versions wrote calls as the provider did.
    name = text(function) or text(mapping(function).get("name"))
    given = call.get("arguments", mapping(function).get("arguments"))
    return ToolCall(text_or_none(call.get("id")) or invented, name, given if isinstance(given, str) else dump(given))
