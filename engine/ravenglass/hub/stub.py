"""Stubs: what stands in the window for a text that was taken out of it. Size, address, first and last lines."""

from __future__ import annotations

NO_RESULT = "[no result was recorded for this call]"
"""Stands in for a result that the record does not have, so that the window stays valid for the provider."""

ORPHAN_PREFIX = "[result of a tool call that is not in the record]\n"

BARE_ARGUMENTS = '{"cut": "these arguments did not fit the window"}'
"""Stands in for the arguments of a call that no budget is left for; valid JSON, as providers demand."""

OPENING = "[the earlier conversation is not in this window]"
"""A window must start with a user message; this one is added where eviction left none."""


def stub(text: str, tokens: int, address: str, lines: int, chars: int) -> str:
    """The stub of `text`: at most `lines` lines and `chars` characters of the head and as much of the tail."""
    rows = text.split("\n")
    label = f"[{len(rows):,} lines, {tokens:,} tokens moved out of the window; retrieve {address}]"
    if not lines:
        return label
    head = "\n".join(rows[:lines])[:chars]
    tail = "\n".join(rows[-lines:])[-chars:] if len(rows) > lines or len(head) < len(text) else ""
    if len(head) + len(tail) >= len(text):
        return text
    return f"{head}\n{label}\n{tail}"


def shrunk(text: str, address: str, keep: int) -> str:
    """`text` cut to about `keep` characters: three quarters from the head, the rest from the tail."""
    if keep >= len(text):
        return text
    label = f"[{len(text) - keep:,} of {len(text):,} characters cut to fit; retrieve {address}]"
    head = keep * 3 // 4
    tail = keep - head
    return f"{text[:head]}\n{label}\n{text[len(text) - tail :] if tail else ''}"
