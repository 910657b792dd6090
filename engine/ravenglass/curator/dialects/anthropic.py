"""Anthropic messages: system text on top, roles that alternate, results first in the user message behind the call."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.dialects.block import NO_TEXT, Caching, DialectBlock, Sent, Turned, embedded, images_of, turned
from ravenglass.trace import Json


def anthropic(blocks: Sequence[DialectBlock], caching: Caching | None = None) -> Json:
    """{system, messages}; `system` is left out where there is none. With an automatic breakpoint the request has a
    `cache_control` of its own, the others stand at the last content block before them.

    Signatures of thinking blocks are no part of a window, so they are empty: the request shows what a call sees. What
    is sent has those that it was given with, and no thinking without.
    """
    caching = caching or Caching()
    control: Json = {"type": "ephemeral", "ttl": "1h"} if caching.long else {"type": "ephemeral"}
    system: list[Json] = []
    messages: list[tuple[str, list[Json]]] = []
    last: Json | None = None
    for number, item in enumerate(turned(blocks), start=1):
        block = item.block
        if block.role in ("system", "developer"):
            content: list[Json] = [{"type": "text", "text": block.text}] if block.text.strip() else []
            system.extend(content)
        else:
            role = "assistant" if block.role == "assistant" else "user"
            content = _assistant(item) if role == "assistant" else _user(item)
            if messages and messages[-1][0] == role:
                messages[-1][1].extend(content)
            else:
                messages.append((role, content))
        last = content[-1] if content else last
        if number in caching.after and last is not None:
            last["cache_control"] = dict(control)
    return {
        **({"cache_control": control} if caching.automatic else {}),
        **({"system": system} if system else {}),
        "messages": [{"role": role, "content": content} for role, content in messages],
    }


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
