"""Parts of chat messages, made of what the importers' readers found, with pictures as they were given."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from ravenglass.sessions.importing.responses.conversation import responses_usage
from ravenglass.sessions.importing.turns import anthropic_usage, gemini_usage
from ravenglass.sessions.model.session import ToolCall, Usage
from ravenglass.sessions.records.values import mapping, text
from ravenglass.trace import Json

_GEMINI = "promptTokenCount"
_MOST_DEEP = 100


def plain(value: Json) -> Json:
    """A copy in which bytes, as the packages of some providers give pictures and signatures, are base64 text."""
    return {name: _plain(item, 0) for name, item in value.items()}


def _plain(value: object, depth: int) -> object:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if depth > _MOST_DEEP:
        return value  # writing it as JSON refuses it, with a sentence
    if isinstance(value, dict):
        return {name: _plain(item, depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return value


def spoken(blocks: Sequence[object]) -> object:
    """The content that blocks come to: one text as it is, more as blocks of chat, nothing as None."""
    found = [block for block in map(chat_block, blocks) if block is not None]
    if not found:
        return None
    if len(found) == 1 and isinstance(found[0], dict) and found[0].get("type") == "text":
        return found[0]["text"]
    return found


def chat_block(block: object) -> object:
    """A block in the words of chat completions where those have words for it, else as it is; None for no block."""
    if isinstance(block, str):
        return {"type": "text", "text": block} if block else None
    value = mapping(block)
    kind = value.get("type")
    if kind in ("text", "input_text", "output_text"):
        return {"type": "text", "text": text(value.get("text"))}
    source = mapping(value.get("source"))
    if kind == "image" and source:
        return picture(text(source.get("media_type")), text(source.get("data")), text(source.get("url")), value)
    if kind == "input_image" and isinstance(value.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": value["image_url"]}}
    return block


def picture(media: str, data: str, url: str, otherwise: object) -> object:
    """A picture as a block of chat; `otherwise` where neither its bytes nor its address are there."""
    address = f"data:{media};base64,{data}" if data else url
    return {"type": "image_url", "image_url": {"url": address}} if address else otherwise


def calls_form(calls: Iterable[ToolCall], signatures: Sequence[str] = ()) -> list[Json]:
    """Tool calls of a chat message. `signatures`: Gemini's proof of each call's thinking."""
    found: list[Json] = []
    for number, call in enumerate(calls):
        form: Json = {
            "id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments},
        }  # fmt: skip
        if number < len(signatures) and signatures[number]:
            form["extra_content"] = {"google": {"thought_signature": signatures[number]}}
        found.append(form)
    return found


def usage_form(usage: Json) -> Json:
    """Usage in the form of chat completions."""
    if "prompt_tokens" in usage or "completion_tokens" in usage:
        return usage
    camel = {_camel(name): value for name, value in usage.items()}
    if _GEMINI in camel:
        return _form(gemini_usage(camel)) or usage
    if "input_tokens_details" in usage or "output_tokens_details" in usage:
        return _form(responses_usage(usage)) or usage
    return _form(anthropic_usage(usage)) or usage


def _form(usage: Usage | None) -> Json:
    if usage is None:
        return {}
    found: Json = {
        "prompt_tokens": usage.context, "completion_tokens": usage.output,
        "cache_creation_input_tokens": usage.cache_write,
    }  # fmt: skip
    if usage.cache_read is not None:
        found["prompt_tokens_details"] = {"cached_tokens": usage.cache_read}
    return {name: value for name, value in found.items() if value is not None}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def camel(value: Json) -> Json:
    """The fields of a value as Gemini's interface names them; its Python package gives them with underscores."""
    return {_camel(name): item for name, item in value.items()}
