"""Items and responses of OpenAI's Responses API as chat messages."""

from __future__ import annotations

from ravenglass.embed.incoming.forms import calls_form, spoken, usage_form
from ravenglass.errors import MessageError
from ravenglass.sessions.importing.responses.items import is_item, read_item
from ravenglass.sessions.importing.responses.thread import ItemThread, messages_of
from ravenglass.sessions.model.session import Message, Span
from ravenglass.sessions.records.values import listed, mapping, text, text_or_none
from ravenglass.trace import Json


def is_responses(value: Json) -> bool:
    """Whether a value is a whole response of this API or one of its items."""
    return (isinstance(value.get("output"), list) and value.get("object") in (None, "response")) or is_item(value)


def chat_forms(value: Json, count: int) -> list[Json]:
    """The messages of a response's items, or of an item."""
    items = [mapping(item) for item in listed(value.get("output"))] if not is_item(value) else [value]
    thread = ItemThread()
    raw: dict[int, list[Json]] = {}
    for number, item in enumerate(items):
        read = read_item(item, f"{count}-{number}")
        if read is None:
            kind = text(item.get("type")) or "of no type"
            raise MessageError(f"The item {kind} has no place in a conversation. Nothing was added.")
        draft = thread.add(read, Span(0, 0, 0))
        raw.setdefault(id(draft), []).append(item)
    given = [raw[id(draft)] for draft in thread.drafts]
    found = [_form(message, of) for message, of in zip(messages_of(thread.drafts), given, strict=True)]
    more: Json = {"usage": usage_form(mapping(value.get("usage"))), "model": text_or_none(value.get("model"))}
    if found and found[-1]["role"] == "assistant":
        found[-1].update({name: item for name, item in more.items() if item})
    return found


def _form(message: Message, items: list[Json]) -> Json:
    if message.role == "tool":
        output = items[0].get("output")
        content = spoken(listed(output)) if isinstance(output, list) else message.text
        form: Json = {"role": "tool", "tool_call_id": message.tool_call_id, "content": content or ""}
        return {**form, "is_error": True} if message.is_error else form
    if message.role != "assistant":
        content = items[0].get("content")
        return {"role": message.role, "content": content if isinstance(content, str) else spoken(listed(content)) or ""}
    words = "\n".join(part.text for part in message.parts if part.kind == "text")
    form = {"role": "assistant", "content": words or (None if message.tool_calls else "")}
    thinking = "\n".join(part.text for part in message.parts if part.kind == "thinking")
    if thinking:
        form["reasoning_content"] = thinking
    if message.tool_calls:
        form["tool_calls"] = calls_form(message.tool_calls)
    return form
