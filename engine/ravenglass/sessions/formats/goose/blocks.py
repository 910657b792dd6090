"""One message of goose: blocks of texts, requests of tools and their responses."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.turns import Turns, output_parts
from ravenglass.sessions.model.session import Part, Span
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import listed, mapping, sequence, text, text_or_none

_REQUESTS = ("toolRequest", "frontendToolRequest")
_NOTES = ("systemNotification", "toolConfirmationRequest", "actionRequired")
"""Blocks for the person at the screen; they say what the model asked for already, or are no part of its window."""


def has_blocks(value: object) -> bool:
    """Whether a message holds blocks that only this writer has."""
    blocks = listed(mapping(value).get("content"))
    return any(mapping(block).get("type") in (*_REQUESTS, "toolResponse") for block in blocks)


def add_message(turns: Turns, value: dict[str, Any], span: Span, *, summary: bool = False) -> None:
    """Add a message; a user's may hold responses of tools and words."""
    ts, source = seconds(value.get("created")), text_or_none(value.get("id"))
    blocks = [mapping(block) or block for block in listed(value.get("content"))]
    if value.get("role") == "assistant":
        turns.close()
        draft = turns.answer(span, ts, source_id=source)
        for block in blocks:
            if mapping(block).get("type") in _REQUESTS:
                asked = mapping(mapping(block).get("toolCall"))
                given = mapping(asked.get("value")) or asked
                turns.call(draft, mapping(block).get("id"), given.get("name"), given.get("arguments"))
                if asked.get("error") is not None:
                    draft.parts.extend(output_parts(asked["error"]))
            else:
                draft.parts.extend(_parts(block))
        return
    rest: list[Part] = []
    responses = 0
    for block in blocks:
        if mapping(block).get("type") == "toolResponse":
            responses += 1
            _response(turns, mapping(block), span, ts)
        else:
            rest.extend(_parts(block))
    if rest or not responses:
        role = text(value.get("role"))
        said = "system" if role == "system" else "user"
        kind = "summary" if summary else None
        turns.spoken(said, tuple(rest), span, ts, kind=kind, source_id=source)  # type: ignore[arg-type]


def _response(turns: Turns, block: dict[str, Any], span: Span, ts: float | None) -> None:
    result = mapping(block.get("toolResult"))
    value, error = result.get("value"), result.get("error")
    failed = result.get("status") == "error" or mapping(value).get("isError") is True
    found = sequence(mapping(value).get("content")) if "content" in mapping(value) else value
    parts = output_parts(found) + (output_parts(error) if error is not None else ())
    turns.result(block.get("id"), parts, span, ts, is_error=failed)


def _parts(block: object) -> tuple[Part, ...]:
    fields = mapping(block)
    if fields.get("type") == "redactedThinking":
        return parts_of({**fields, "type": "redacted_thinking"})
    if fields.get("type") in _NOTES:
        return tuple(Part("other", part.text) for part in parts_of({**fields}))
    return parts_of(block)
