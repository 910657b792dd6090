"""Messages of the Anthropic Messages API as chat messages."""

from __future__ import annotations

from ravenglass.embed.incoming.forms import calls_form, spoken, usage_form
from ravenglass.sessions.formats.anthropic.messages import has_blocks, is_message, messages_of
from ravenglass.sessions.model.session import Message, Span
from ravenglass.sessions.records.values import listed, mapping
from ravenglass.trace import Json

_TOOLS = ("tool_use", "tool_result")
_THINKING = ("thinking", "redacted_thinking")
_OWN = ("image", "document", "server_tool_use", "web_search_tool_result")


def is_anthropic(value: Json) -> bool:
    """Whether a message is one of this API, and chat completions have no words for it."""
    if not is_message(value):
        return False
    sources = any(mapping(b).get("type") in _OWN for b in listed(value.get("content")))
    return value.get("type") == "message" or has_blocks(value) or sources


def chat_forms(value: Json, count: int) -> list[Json]:
    """The results first, each a message of its own; then what is said."""
    messages = messages_of([(value, Span(0, 0, 0))], count)
    blocks = listed(value.get("content")) or [value.get("content")]
    results = iter([mapping(b) for b in blocks if mapping(b).get("type") == "tool_result"])
    return [
        _result(message, mapping(next(results))) if message.role == "tool" else _said(message, value, blocks)
        for message in messages
    ]


def _result(message: Message, block: Json) -> Json:
    content = block.get("content")
    form: Json = {
        "role": "tool", "tool_call_id": message.tool_call_id,
        "content": content if isinstance(content, str) else spoken(listed(content)) or "",
    }  # fmt: skip
    return {**form, "is_error": True} if message.is_error else form


def _said(message: Message, value: Json, blocks: list[object]) -> Json:
    rest = [block for block in blocks if mapping(block).get("type") not in (*_TOOLS, *_THINKING)]
    form: Json = {"role": message.role, "content": spoken(rest)}
    if message.role != "assistant":
        return {**form, "content": form["content"] or ""}
    thinking = [block for block in blocks if mapping(block).get("type") in _THINKING]
    more: Json = {
        "thinking_blocks": thinking, "tool_calls": calls_form(message.tool_calls), "model": message.model,
        "id": message.source_id, "usage": usage_form(mapping(value.get("usage"))), "timestamp": value.get("timestamp"),
    }  # fmt: skip
    if form["content"] is None and not message.tool_calls:
        form["content"] = ""
    return form | {name: item for name, item in more.items() if item}
