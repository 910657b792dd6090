"""How long a thinking block really was: providers hand out a summary of it, but its signature holds the whole.

The signature is base64 of an encrypted copy, so its length tells the length of what was thought. Measured on blocks
that were not shortened: bytes of the signature = bytes of the text + 174, within 3 bytes.
"""

from __future__ import annotations

from ravenglass.sessions.records.values import mapping, text

_ENVELOPE = 174
"""Bytes that a signature holds besides the thinking."""


def hidden_characters(block: object) -> int:
    """Characters (bytes, to be exact) of a thinking block that its text does not show; 0 for every other block."""
    value = mapping(block)
    if value.get("type") == "redacted_thinking":
        return max(0, _decoded(value.get("data")) - _ENVELOPE)
    if value.get("type") != "thinking":
        return 0
    shown = len(text(value.get("thinking")).encode("utf-8", "replace"))
    real = _decoded(value.get("signature")) - _ENVELOPE
    # Up to a few bytes the two agree: what is left then is rounding, not thinking.
    return real - shown if real > shown + 8 else 0


def _decoded(value: object) -> int:
    """Bytes that a base64 text stands for."""
    data = text(value)
    return len(data) * 3 // 4 - data[-2:].count("=")
