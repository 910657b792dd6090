"""Messages as archives hold them (chat form, as the reference implementation has it) and as a retrieval shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from ravenglass.sessions.importing.chat.messages import ChatThread
from ravenglass.sessions.model.session import Message, Span
from ravenglass.sessions.records.values import mapping
from ravenglass.trace import Json

_NOWHERE = Span(0, 0, 0)
_CHARS_A_TOKEN = 24
"""A token stands for fewer characters than this, but for runs of one character."""


def to_chat(message: Message) -> Json:
    """A message in chat form; images and other payloads are their descriptions, the verbatim record has them."""
    texts = [part.text for part in message.parts if part.kind != "thinking"]
    content: object = "".join(texts) if len(texts) < 2 else [{"type": "text", "text": text} for text in texts]
    made: Json = {"role": message.role, "content": content}
    if message.thinking:
        made["reasoning_content"] = message.thinking
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    if message.tool_name is not None:
        made["name"] = message.tool_name
    if message.is_error:
        made["is_error"] = True
    stamp = None if message.ts is None else iso(message.ts)
    if stamp is not None:
        made["timestamp"] = stamp
    return made


def iso(seconds: float) -> str | None:
    """A time in seconds since the epoch as ISO 8601 in UTC; None where it lies beyond what that can say."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def from_chat(value: object, number: int) -> Message | None:
    """The message with id `number` that a chat form holds; None where it is no chat message."""
    thread = ChatThread()
    if not thread.add(mapping(value), _NOWHERE):
        return None
    return replace(thread.messages[0], id=number, spans=())


def body(message: Message | None, number: int, raw: bytes) -> str:
    """What a retrieval shows of a message: a line that names it, its text, its calls."""
    if message is None:
        return f"[#{number} record]\n{raw.decode('utf-8', 'replace')}"
    calls = "".join(f"\n{call.name} {call.arguments}" for call in message.tool_calls)
    return f"[#{number} {message.tool_name or message.role}]\n{message.text}{calls}"


def snippet(text: str, limit: int) -> tuple[str, bool]:
    """The text on one line, at most `limit` characters, and whether any of its words were left out."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line, False
    return line[: limit - 1].rstrip() + "…", True


def head(text: str, room: int, count: Callable[[str], int]) -> str:
    """The longest beginning of the text, by halving, that takes at most `room` tokens of `count`."""
    if room <= 0:
        return ""
    low, high = 0, min(len(text), room * _CHARS_A_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
