"""One message in the shape of OpenAI chat completions, which several writers use, as a Message."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.content.harness_tags import only_blocks
from ravenglass.sessions.model.session import Kind, Message, Part, Role, Span, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, mapping, sequence, text, text_or_none

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}

_INJECTED = (
    "EXECUTION RESULT of [",
    "<returncode>",
)
"""How agent harnesses begin the user messages that no user wrote."""


@dataclass(slots=True)
class ChatThread:
    """The messages of one conversation, added in order; gives ids to calls and results that have none."""

    messages: list[Message] = field(default_factory=list)
    _open: list[ToolCall] = field(default_factory=list)

    def add(self, value: dict[str, Any], span: Span) -> bool:
        """Add a message; False if its role is none that a chat has."""
        role = ROLES.get(text(value.get("role")))
        if role is None:
            return False
        message = _message(value, role, len(self.messages), span)
        if role == "assistant" and message.tool_calls:
            self._open = list(message.tool_calls)
        elif role == "tool":
            message = self._answer(message)
        self.messages.append(message)
        return True

    def _answer(self, message: Message) -> Message:
        """Close the call that a result answers; a result without id answers by name, else in order."""
        if message.tool_call_id is None:
            named = [call for call in self._open if message.tool_name in (None, call.name)]
            if not named:
                return message
            message = replace(message, tool_call_id=named[0].id)
        answered = next((call for call in self._open if call.id == message.tool_call_id), None)
        if answered is not None:
            self._open.remove(answered)
        return message


def chat_usage(value: object) -> Usage | None:
    """Usage in the form of chat completions; the prompt's tokens include the cached ones there."""
    usage = mapping(value)
    context, output = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if context is None and output is None:
        return None
    cached = count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    if cached is None:
        cached = count(usage.get("prompt_cache_hit_tokens"))
    return Usage(context, output, cached, count(usage.get("cache_creation_input_tokens")))


def _message(value: dict[str, Any], role: Role, position: int, span: Span) -> Message:
    extra = mapping(value.get("extra"))
    parts = _thinking(value) + parts_of(value.get("content")) + _spoken(value)
    usage = value.get("usage") or mapping(extra.get("response")).get("usage")
    return Message(
        id=position,
        role=role,
        parts=parts,
        kind=injected_kind(parts) if role == "user" else "ordinary",
        tool_calls=_calls(value, position) if role == "assistant" else (),
        tool_call_id=text_or_none(value.get("tool_call_id")) if role == "tool" else None,
        tool_name=text_or_none(value.get("name")) if role == "tool" else None,
        is_error=value.get("is_error") is True,
        ts=seconds(value.get("timestamp") or value.get("created_at") or extra.get("timestamp")),
        model=text_or_none(value.get("model")) if role == "assistant" else None,
        usage=chat_usage(usage) if role == "assistant" else None,
        source_id=text_or_none(value.get("id")),
        spans=(span,),
    )


def injected_kind(parts: tuple[Part, ...]) -> Kind:
    """Whether a user message is a prompt, or what an agent harness put in: `meta`."""
    words = "\n".join(part.text for part in parts if part.kind == "text").strip()
    return "meta" if words.startswith(_INJECTED) or only_blocks(parts) else "prompt"


def _thinking(value: dict[str, Any]) -> tuple[Part, ...]:
    """Reasoning, once, although some gateways write it both as text and as blocks."""
    blocks = [mapping(block) for block in sequence(value.get("thinking_blocks"))]
    if any(text(block.get("thinking")) for block in blocks):
        return parts_of([block for block in blocks if block])
    words = text(value.get("reasoning_content")) or text(value.get("reasoning"))
    return (Part("thinking", words),) if words else parts_of([block for block in blocks if block])


def _spoken(value: dict[str, Any]) -> tuple[Part, ...]:
    """What stands beside the content: a refusal, the transcript of an audio answer."""
    found = [Part("text", text(value.get("refusal")))]
    audio = mapping(value.get("audio"))
    if audio:
        spoken = text(audio.get("transcript"))
        found += [Part("text", spoken)] if spoken else parts_of({"type": "audio", "audio": audio})
    return tuple(part for part in found if part.text)


def _calls(value: dict[str, Any], position: int) -> tuple[ToolCall, ...]:
    found: list[ToolCall] = []
    for entry in sequence(value.get("tool_calls")):
        call = mapping(entry)
        what = mapping(call.get("function")) or mapping(call.get("custom")) or call
        given = what.get("arguments", what.get("input"))
        call_id = text_or_none(call.get("id")) or f"call-{position}-{len(found)}"
        found.append(ToolCall(call_id, text(what.get("name")), _arguments(given)))
    legacy = mapping(value.get("function_call"))
    if legacy and not found:
        found.append(ToolCall(f"call-{position}-0", text(legacy.get("name")), _arguments(legacy.get("arguments"))))
    return tuple(found)


def _arguments(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value)
