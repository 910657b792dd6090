"""One message in the shape of the Anthropic Messages API as Messages: every tool result becomes one of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of, result_of
from ravenglass.sessions.importing.content.user_kinds import user_kind
from ravenglass.sessions.importing.lifetimes import cache_written, written_for_an_hour
from ravenglass.sessions.importing.weave import joined
from ravenglass.sessions.model.session import Message, Role, Span, ToolCall, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, listed, mapping, text, text_or_none

SUMMARY = "This session is being continued from a previous conversation"
"""How the harness begins the message that stands for what it compacted."""

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_TYPED = frozenset({"tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use"})


def has_blocks(message: object) -> bool:
    """Whether a message holds blocks that only this API has."""
    blocks = [mapping(block) for block in listed(mapping(message).get("content"))]
    return any(text(block.get("type")) in _TYPED or {"thinking", "signature"} <= block.keys() for block in blocks)


def is_message(value: object) -> bool:
    """Whether the value has the shape of a message of this API."""
    found = mapping(value)
    return text(found.get("role")) in _ROLES and "content" in found


def messages_of(values: Iterable[tuple[object, Span]], first: int = 0) -> list[Message]:
    """The messages of a request, numbered from `first` on; assistant messages in a row are one, as the API has it.

    Values of another shape give nothing.
    """
    found: list[Message] = []
    for value, span in values:
        for message in _messages(mapping(value), span, first + len(found)):
            if found and message.role == "assistant" == found[-1].role:
                found[-1] = joined(found[-1], message)
            else:
                found.append(message)
    return found


def usage_of(value: object) -> Usage | None:
    """Usage as this API reports it: the input excludes what was read from and written to the cache."""
    usage = mapping(value)
    fresh, output = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    read, written = count(usage.get("cache_read_input_tokens")), cache_written(usage)
    if fresh is None and output is None:
        return None
    context = None if fresh is None else fresh + (read or 0) + (written or 0)
    return Usage(context, output, read, written, written_for_an_hour(usage))


def system_text(value: object) -> str | None:
    """A top-level system prompt, a string or a list of blocks."""
    return "\n".join(part.text for part in parts_of(value)) or None


def _messages(value: dict[str, Any], span: Span, position: int) -> Iterator[Message]:
    role = _ROLES.get(text(value.get("role")))
    content = value.get("content")
    blocks = content if isinstance(content, list) else [content]
    if role == "assistant":
        yield _assistant(value, blocks, span, position)
    elif role is not None and "content" in value:
        results = [mapping(block) for block in blocks if mapping(block).get("type") == "tool_result"]
        for block in results:
            yield _result(block, span, position)
            position += 1
        rest = [block for block in blocks if mapping(block).get("type") != "tool_result"]
        if rest or not results:
            yield _spoken(rest, role, span, position)


def _assistant(value: dict[str, Any], blocks: list[Any], span: Span, position: int) -> Message:
    calls = [mapping(block) for block in blocks if mapping(block).get("type") == "tool_use"]
    rest = [block for block in blocks if mapping(block).get("type") != "tool_use"]
    return Message(
        id=position,
        role="assistant",
        parts=parts_of(rest),
        tool_calls=tuple(_call(block, f"call-{position}-{number}") for number, block in enumerate(calls)),
        ts=seconds(value.get("timestamp")),
        model=text_or_none(value.get("model")),
        usage=usage_of(value.get("usage")),
        source_id=text_or_none(value.get("id")),
        spans=(span,),
    )


def _call(block: dict[str, Any], invented: str) -> ToolCall:
    given = block.get("input")
    arguments = given if isinstance(given, str) else dump(given)
    return ToolCall(text_or_none(block.get("id")) or invented, text(block.get("name")), arguments)


def _result(block: dict[str, Any], span: Span, position: int) -> Message:
    return Message(
        id=position,
        role="tool",
        parts=result_of(block),
        tool_call_id=text_or_none(block.get("tool_use_id")),
        is_error=block.get("is_error") is True,
        spans=(span,),
    )


def _spoken(blocks: list[Any], role: Role, span: Span, position: int) -> Message:
    parts = parts_of(blocks)
    if role != "user":
        return Message(id=position, role=role, parts=parts, spans=(span,))
    summary = any(part.kind == "text" and part.text.lstrip().startswith(SUMMARY) for part in parts)
    kind, flags = user_kind(parts, meta=False, summary=summary, origin="")
    return Message(id=position, role="user", parts=parts, kind=kind, flags=flags, spans=(span,))
