"""Gemini: contents of parts. Calls stand in a model's content, their responses, and nothing else, in the next one."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.dialects.block import NO_TEXT, DialectBlock, Sent, Turned, embedded, images_of, systems, turned
from ravenglass.trace import Json


def gemini(blocks: Sequence[DialectBlock]) -> Json:
    """{systemInstruction, contents}; the former is left out where there is none."""
    contents: list[tuple[str, str, list[Json]]] = []
    history = [item for item in turned(blocks) if item.block.role not in ("system", "developer")]
    for item in history:
        role = "model" if item.block.role == "assistant" else "user"
        # Responses must be as many as the calls before them, so a text never shares their content.
        kind = "responses" if item.answers is not None else role
        parts = _model(item) if role == "model" else _user(item)
        if contents and contents[-1][1] == kind:
            contents[-1][2].extend(parts)
        else:
            contents.append((role, kind, parts))
    made: Json = {"contents": [{"role": role, "parts": parts} for role, _, parts in contents]}
    texts = systems(blocks)
    return {"systemInstruction": {"parts": [{"text": text} for text in texts]}, **made} if texts else made


def _model(item: Turned) -> list[Json]:
    block = item.block
    parts: list[Json] = []
    signatures = block.signatures if isinstance(block, Sent) else ("",) * len(item.calls)
    if block.thinking.strip() and not isinstance(block, Sent) and (block.text.strip() or item.calls):
        parts.append({"text": block.thinking, "thought": True})
    if block.text.strip():
        parts.append({"text": block.text})
    for call, signature in zip(item.calls, signatures, strict=True):
        signed: Json = {"thoughtSignature": signature} if signature else {}
        parts.append({"functionCall": {"id": call.id, "name": call.name, "args": call.object}} | signed)
    return parts or [{"text": NO_TEXT}]


def _user(item: Turned) -> list[Json]:
    if item.answers is not None:
        response = {"id": item.answers.id, "name": item.answers.name, "response": {"output": item.block.text}}
        return [{"functionResponse": response}]
    # A picture that only lies somewhere stands as the text that says so.
    data = [found for image in images_of(item.block) if (found := embedded(image)) is not None]
    parts: list[Json] = [{"inlineData": {"mimeType": media, "data": base64}} for media, base64 in data]
    if item.block.text.strip() or not parts:
        parts.append({"text": item.block.text if item.block.text.strip() else NO_TEXT})
    return parts
