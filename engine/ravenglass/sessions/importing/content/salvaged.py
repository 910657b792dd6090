"""What a value of an unknown shape says in words: the texts in it that writers call text, content or output."""

from __future__ import annotations

from collections.abc import Iterator

_WORDS = frozenset({
    "text", "content", "output", "value", "result", "message", "thinking", "reasoning", "summary", "error", "stdout",
    "stderr", "arguments", "input", "query", "command", "code", "body", "title", "description", "prompt", "response",
    "transcript", "note", "refusal",
})  # fmt: skip
"""Keys under which words stand. Others (ids, types, signatures, data) hold what nobody reads."""
_DEEPEST = 40
"""Levels down to which a value is looked at: no writer nests deeper, and damage must not."""
_LONGEST_WORD = 4_000
"""Characters without a blank after which a text is no words but encoded data."""


def told(value: object) -> Iterator[str]:
    """The texts of a value in their order, at any depth; none is told twice in a row."""
    last = None
    for words in _told(value, worded=False, depth=0):
        if words != last:
            yield words
        last = words


def _told(value: object, *, worded: bool, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if worded and value and not encoded(value):
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _told(item, worded=worded, depth=depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            # Inside a named field every text counts: what a tool was given has keys of its own.
            inside = worded or key in _WORDS
            yield from _told(item, worded=inside and key not in _MARKS, depth=depth + 1)


_MARKS = frozenset({
    "type", "id", "kind", "signature", "data", "encrypted_content", "status", "mimeType", "media_type", "role", "model",
    "stop_reason", "stopReason", "finish_reason", "usage", "uuid", "timestamp", "tool_use_id", "tool_call_id",
})  # fmt: skip
"""Keys whose value is for programs, wherever they stand."""


def encoded(words: str) -> bool:
    """Whether a text is encoded bytes: long, and without a blank."""
    head = words[:_LONGEST_WORD]
    return len(words) >= _LONGEST_WORD and not any(char.isspace() for char in head)


def holds_bytes(value: object, depth: int = 0) -> bool:
    """Whether encoded bytes stand anywhere in a value."""
    if isinstance(value, str):
        return encoded(value)
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return depth <= _DEEPEST and any(holds_bytes(item, depth + 1) for item in inner)
