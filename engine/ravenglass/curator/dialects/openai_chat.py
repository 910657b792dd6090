"""OpenAI chat completions: one message a block, as the window has them, with the id of the recorded message."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.curator.dialects.block import DialectBlock
from ravenglass.trace import Json


def chat_message(block: DialectBlock) -> Json:
    """A block as a chat message. `id` is the recorded message's (null: none), `reasoning_content` its thinking."""
    made: Json = {"id": block.id, "role": block.role, "content": block.text}
    if block.thinking:
        made["reasoning_content"] = block.thinking
    if block.tool_calls:
        made["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in block.tool_calls
        ]
    if block.tool_call_id is not None:
        made["tool_call_id"] = block.tool_call_id
    return made


def openai_chat(blocks: Sequence[DialectBlock]) -> Json:
    """{messages}."""
    return {"messages": [chat_message(block) for block in blocks]}
