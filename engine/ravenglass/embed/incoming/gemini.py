"""Contents and responses of the Gemini API as chat messages."""

from __future__ import annotations

from collections.abc import Sequence

from ravenglass.embed.incoming.forms import calls_form, camel, picture, usage_form
from ravenglass.errors import MessageError
from ravenglass.sessions.importing.content.gemini import Content, content_of
from ravenglass.sessions.model.session import ToolCall
from ravenglass.sessions.records.values import listed, mapping, sequence, text
from ravenglass.trace import Json


def is_gemini(value: Json) -> bool:
    """Whether a value is a content with parts, or a whole response with its candidates."""
    return isinstance(value.get("parts"), list) or isinstance(value.get("candidates"), list)


def chat_forms(value: Json, open_calls: Sequence[ToolCall], count: int) -> list[Json]:
    """The results first, each a message of its own; then what is said."""
    whole = camel(value)
    if "candidates" in value:
        candidates = sequence(value["candidates"])
        if len(candidates) != 1:
            raise MessageError(
                f"The response holds {len(candidates):,} candidates; record the one that the conversation goes on with."
                " Nothing was added."
            )
        value = mapping(mapping(candidates[0]).get("content"))
    parts = [camel(mapping(part)) if isinstance(part, dict) else part for part in listed(value.get("parts"))]
    parts = [_inner(part) for part in parts]
    found = content_of(parts)
    said = [part for part in parts if not _is_tool(part) and mapping(part).get("thought") is not True]
    if value.get("role", "model") == "model":
        form = _answer(found, parts, said, count)
        usage = usage_form(mapping(whole.get("usageMetadata")))
        model = text(whole.get("modelVersion"))
        return [form | {k: v for k, v in (("usage", usage), ("model", model)) if v}]
    forms = _results(found, open_calls)
    content = _content(said)
    if content is not None or not forms:
        forms.append({"role": "user", "content": content if content is not None else ""})
    return forms


def _inner(part: object) -> object:
    """A part whose own fields have the names of the interface too."""
    if not isinstance(part, dict):
        return part
    names = ("inlineData", "fileData", "functionResponse")
    return {name: camel(item) if name in names and isinstance(item, dict) else item for name, item in part.items()}


def _is_tool(part: object) -> bool:
    return bool({"functionCall", "functionResponse"} & mapping(part).keys())


def _answer(found: Content, parts: list[object], said: list[object], count: int) -> Json:
    calls = [
        ToolCall(call.id or f"call-{count}-{number}", call.name, call.arguments)
        for number, call in enumerate(found.calls)
    ]
    signatures = [text(mapping(p).get("thoughtSignature")) for p in parts if "functionCall" in mapping(p)]
    content = _content(said)
    form: Json = {"role": "assistant", "content": content if content is not None else None if calls else ""}
    thinking = "\n".join(part.text for part in found.thoughts)
    if thinking:
        form["reasoning_content"] = thinking
    if calls:
        form["tool_calls"] = calls_form(calls, signatures)
    return form


def _results(found: Content, open_calls: Sequence[ToolCall]) -> list[Json]:
    """A result without the id of its call answers the first open one of its name."""
    left = list(open_calls)
    forms: list[Json] = []
    for result in found.results:
        fits = (c for c in left if c.id == result.call_id or (result.call_id is None and result.name in (None, c.name)))
        call = next(fits, None)
        if call is not None:
            left.remove(call)
        call_id = result.call_id if result.call_id is not None or call is None else call.id
        form: Json = {
            "role": "tool", "tool_call_id": call_id, "content": "\n".join(part.text for part in result.parts),
        }  # fmt: skip
        forms.append({**form, "is_error": True} if result.is_error else form)
    return forms


def _content(parts: list[object]) -> object:
    blocks: list[object] = []
    for part in parts:
        value = mapping(part)
        data, file = mapping(value.get("inlineData")), mapping(value.get("fileData"))
        media = text(data.get("mimeType")) or text(file.get("mimeType"))
        if isinstance(part, str) or isinstance(value.get("text"), str):
            blocks.append({"type": "text", "text": part if isinstance(part, str) else value["text"]})
        elif data or file:
            kind = media.split("/")[0] if media.split("/")[0] in ("image", "audio", "video") else "document"
            source: Json = {"media_type": media, "data": data.get("data"), "url": file.get("fileUri")}
            block: Json = {"type": kind, "source": {k: v for k, v in source.items() if v}}
            image = kind == "image"
            blocks.append(picture(media, text(data.get("data")), text(file.get("fileUri")), block) if image else block)
        else:
            words = "\n".join(found.text for found in content_of(part).parts)
            blocks.append({"type": "text", "text": words})
    if len(blocks) == 1 and mapping(blocks[0]).get("type") == "text":
        return mapping(blocks[0])["text"]
    return blocks or None
