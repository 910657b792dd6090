"""Anthropic messages: system text on top, roles that alternate, results first in the user message behind the call."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.dialects.block import NO_TEXT, DialectBlock, Sent, Turned, embedded, images_of, systems, turned
from ravenglass.trace import Json


def anthropic(blocks: Sequence[DialectBlock]) -> Json:
    """{system, messages}; `system` is left out where there is none.

    Signatures of thinking blocks are no part of a window, so they are empty: the request shows what a call sees. What
    is sent has those that it was given with, and no thinking without.
    """
    messages: list[tuple[str, list[Json]]] = []
    history = [item for item in turned(blocks) if item.block.role not in ("system", "developer")]
    for item in history:
        role = "assistant" if item.block.role == "assistant" else "user"
        content = _assistant(item) if role == "assistant" else _user(item)
        if messages and messages[-1][0] == role:
            messages[-1][1].extend(content)
        else:
            messages.append((role, content))
    made: Json = {"messages": [{"role": role, "content": content} for role, content in messages]}
    texts = systems(blocks)
    return {"system": [{"type": "text", "text": text} for text in texts], **made} if texts else made


def _assistant(item: Turned) -> list[Json]:
    block = item.block
    content: list[Json] = []
    said = _text(block.text)
    if said or item.calls:
        # Thinking may not end a message, so it stays out where nothing of its message follows it.
        content += _thinking(block)
    content += said
    content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.object} for call in item.calls]
    return content or [{"type": "text", "text": NO_TEXT}]


def _thinking(block: DialectBlock) -> list[Json]:
    if isinstance(block, Sent):
        return [proof for proof in block.proofs if proof.get("signature") or proof.get("type") == "redacted_thinking"]
    if not block.thinking.strip():
        return []
    return [{"type": "thinking", "thinking": block.thinking, "signature": ""}]


def _user(item: Turned) -> list[Json]:
    text = item.block.text
    if item.answers is not None:
        return [{"type": "tool_result", "tool_use_id": item.answers.id, "content": text}]
    content = [*(_image(image) for image in images_of(item.block)), *_text(text)]
    return content or [{"type": "text", "text": NO_TEXT}]


def _image(image: str) -> Json:
    data = embedded(image)
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": image}}
    return {"type": "image", "source": {"type": "base64", "media_type": data[0], "data": data[1]}}


def _text(text: str) -> list[Json]:
    """A text block; blank ones are refused. The last assistant text may not end in blanks, so none does."""
    return [{"type": "text", "text": text.rstrip()}] if text.strip() else []
