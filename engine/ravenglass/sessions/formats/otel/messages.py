"""Messages of OpenTelemetry's GenAI conventions in all their generations, in the shape of chat completions.

Parts (1.37 on), per-message events (up to 1.36), numbered attributes (Traceloop's OpenLLMetry).
"""

from __future__ import annotations

import re
from typing import Any

from ravenglass.sessions.formats.otel.values import structured
from ravenglass.sessions.records.values import dump, mapping, sequence, text

_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(.+)")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_FUNCTION = re.compile(r"llm\.request\.functions\.(\d+)\.(\w+)")

Chat = dict[str, Any]


def chat_messages(value: object, role: str) -> list[Chat]:
    """The messages of an attribute such as `gen_ai.input.messages`; `role` is that of messages without one.

    A message with several results gives one for each.
    """
    found = structured(value)
    if isinstance(found, str):
        return [{"role": role, "content": found}] if found else []
    items = found if isinstance(found, list) else [found]
    return [message for item in items for message in _messages(item, role)]


def numbered(given: dict[str, Any]) -> tuple[list[Chat], list[Chat]]:
    """Prompt and completion messages of numbered attributes."""
    sides: dict[str, dict[int, Chat]] = {"prompt": {}, "completion": {}}
    for key, value in given.items():
        match = _NUMBERED.fullmatch(key)
        if match is not None:
            _put(sides[match[1]].setdefault(int(match[2]), {}), match[3].split("."), value)
    prompts = [_flat(sides["prompt"][number], "user") for number in sorted(sides["prompt"])]
    answers = [_flat(sides["completion"][number], "assistant") for number in sorted(sides["completion"])]
    return prompts, answers


def event_messages(name: str, value: dict[str, Any]) -> tuple[list[Chat], list[Chat]]:
    """What an event adds to the request and to the answer."""
    body = mapping(structured(value.get("gen_ai.event.content"))) or value
    match = _EVENT.fullmatch(name)
    if match is not None:
        message = {**body, "role": text(body.get("role")) or match[1], "content": structured(body.get("content"))}
        message["tool_calls"] = structured(body.get("tool_calls"))
        if match[1] == "tool":
            message = {**message, "role": "tool", "tool_call_id": body.get("tool_call_id", body.get("id"))}
        return [message], []
    if name == "gen_ai.choice":
        inner = mapping(structured(body.get("message"))) or body
        calls = structured(inner.get("tool_calls"))
        return [], [{**inner, "role": "assistant", "content": structured(inner.get("content")), "tool_calls": calls}]
    if name == "gen_ai.content.prompt":
        return chat_messages(value.get("gen_ai.prompt"), "user"), []
    if name == "gen_ai.content.completion":
        return [], chat_messages(value.get("gen_ai.completion"), "assistant")
    return [], []


def tool_definitions(given: dict[str, Any]) -> str | None:
    """Tool definitions as JSON text."""
    found = structured(given.get("gen_ai.tool.definitions"))
    if isinstance(found, list) and found:
        return dump([structured(item) for item in found])
    tools: dict[int, Chat] = {}
    for key, value in given.items():
        match = _FUNCTION.fullmatch(key)
        if match is not None:
            tools.setdefault(int(match[1]), {})[match[2]] = structured(value)
    return dump([tools[number] for number in sorted(tools)]) if tools else None


def _messages(item: object, role: str) -> list[Chat]:
    found = mapping(structured(item))
    if not found:
        return [{"role": role, "content": item}] if isinstance(item, str) and item else []
    name = text(found.get("role")) or role
    if not isinstance(found.get("parts"), list):
        return [{**found, "role": name}]
    parts = [mapping(part) for part in found["parts"]]
    results = [part for part in parts if part.get("type") == "tool_call_response"]
    calls = [part for part in parts if part.get("type") == "tool_call"]
    rest = [_block(part) for part in parts if part not in results and part not in calls]
    answers = [
        {"role": "tool", "tool_call_id": part.get("id"), "content": _result(part.get("response", part.get("result")))}
        for part in results
    ]
    if answers and not rest and not calls:
        return answers
    spoken = {"role": name, "content": rest, "tool_calls": [_call(part) for part in calls]}
    return [*answers, spoken]


def _block(part: Chat) -> object:
    kind, content = part.get("type"), part.get("content")
    if kind in ("text", "compaction") and isinstance(content, str):
        return {"type": "text", "text": content}
    if kind == "reasoning":
        return {"type": "thinking", "thinking": content} if isinstance(content, str) and content else part
    # Newer conventions say mime_type, the first ones mimeType.
    media = text(part.get("mime_type")) or text(part.get("mimeType"))
    image = part.get("modality") == "image" or media.startswith("image/")
    source = {"media_type": media or part.get("modality"), "data": content, "url": part.get("uri", part.get("file_id"))}
    if kind in ("blob", "uri", "file"):
        return {"type": "image" if image else "document", "source": source}
    if kind in ("server_tool_call", "server_tool_call_response"):
        return {"type": "server_tool_use", "name": part.get("name") or kind, "input": part.get(text(kind))}
    return part


def _call(part: Chat) -> Chat:
    return {"id": part.get("id"), "function": {"name": part.get("name"), "arguments": part.get("arguments")}}


def _result(value: object) -> object:
    """A result is a text or any value; blocks keep their form."""
    found = structured(value)
    if isinstance(found, list) and all("type" in mapping(block) for block in found):
        return [_block(mapping(block)) for block in found]
    return value if isinstance(value, str) or value is None else dump(value)


def _put(message: Chat, path: list[str], value: object) -> None:
    """`tool_calls.0.name` and the like, as nested values; what does not fit its neighbours is left out."""
    for step in path[:-1]:
        inner = message.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        message = inner
    message.setdefault(path[-1], value)


def _flat(message: Chat, role: str) -> Chat:
    calls = mapping(message.get("tool_calls"))
    listed = [mapping(calls[number]) for number in sorted(calls, key=lambda key: (len(key), key))]
    content = structured(message.get("content"))
    typed = isinstance(content, list) and all("type" in mapping(block) for block in content)
    return {
        **message,
        "role": text(message.get("role")) or role,
        "content": content if typed else message.get("content"),
        "tool_calls": [{"id": call.get("id"), "function": mapping(call.get("function")) or call} for call in listed],
    }


def only_calls(messages: list[Chat]) -> list[Chat]:
    """Messages as a chat has them, of known shape only."""
    return [{**message, "tool_calls": sequence(message.get("tool_calls"))} for message in messages]
