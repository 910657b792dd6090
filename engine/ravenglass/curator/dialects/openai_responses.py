"""OpenAI responses: a flat list of items. A reasoning item stands directly before the first item of its message."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.dialects.block import DialectBlock, Sent, Turned, images_of, turned
from ravenglass.trace import Json


def openai_responses(blocks: Sequence[DialectBlock]) -> Json:
    """{input}: message, reasoning, function_call and function_call_output items."""
    items: list[Json] = []
    for number, item in enumerate(turned(blocks)):
        items += _result(item) if item.block.role == "tool" else _message(item, number)
    return {"input": items}


def _result(item: Turned) -> list[Json]:
    if item.answers is None:
        # A result that answers no call of the window: only a text may stand for it.
        return [_text("user", item.block.text)]
    return [{"type": "function_call_output", "call_id": item.answers.id, "output": item.block.text}]


def _message(item: Turned, number: int) -> list[Json]:
    block = item.block
    found: list[Json] = []
    if block.role == "assistant" and (block.text or item.calls):
        # Thinking alone has nothing to stand before.
        found += _reasoning(block, number)
    if block.text or not item.calls:
        found.append(_text(block.role, block.text, images_of(block)))
    found += [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
        for call in item.calls
    ]
    return found


def _reasoning(block: DialectBlock, number: int) -> list[Json]:
    # The item's own id and encrypted content are no part of a window; a provider does not take one that it never made.
    if isinstance(block, Sent) or not block.thinking:
        return []
    summary = [{"type": "summary_text", "text": block.thinking}]
    return [{"type": "reasoning", "id": f"rs_{number}", "summary": summary}]


def _text(role: str, text: str, images: tuple[str, ...] = ()) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    shown = [{"type": "input_image", "image_url": image} for image in images]
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}, *shown]}
