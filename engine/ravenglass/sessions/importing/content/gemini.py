"""Gemini's content parts, whatever their shape, as parts, tool calls and tool results (formats.md, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of, unknown
from ravenglass.sessions.model.session import Part, ToolCall
from ravenglass.sessions.records.values import dump, mapping, sequence, text, text_or_none


@dataclass(frozen=True, slots=True)
class GeminiResult:
    """The answer to a tool call. `call_id` is None where the writer gave none: then it answers by its name."""

    call_id: str | None
    name: str | None
    parts: tuple[Part, ...]
    is_error: bool = False
    ts: float | None = None


@dataclass(slots=True)
class Content:
    """What a list of parts holds. A call without an id has the id ""."""

    parts: list[Part] = field(default_factory=list)
    thoughts: list[Part] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[GeminiResult] = field(default_factory=list)


def content_of(value: object) -> Content:
    """The content of a string, a part, a list of both, or null."""
    found = Content()
    for item in value if isinstance(value, list) else [value]:
        _add(found, item)
    return found


def result_parts(value: object, call_id: str) -> tuple[tuple[Part, ...], bool]:
    """What the model reads of a recorded tool result, and whether it is an error; ((), False) for null.

    Some versions write the results of all calls of the message into each of them; what stands beside them (a picture
    that was read) then belongs to the first.
    """
    content = content_of(value)
    own = [result for result in content.results if result.call_id == call_id] or content.results
    beside = content.parts if own[:1] == content.results[:1] else []
    return (*(part for result in own for part in result.parts), *beside), any(result.is_error for result in own)


def _add(found: Content, item: object) -> None:
    if item is None or isinstance(item, str):
        found.parts.extend(parts_of(item))
        return
    part = mapping(item)
    if isinstance(part.get("text"), str):
        if part["text"]:
            thought = part.get("thought") is True
            (found.thoughts if thought else found.parts).append(Part("thinking" if thought else "text", part["text"]))
    elif isinstance(part.get("functionCall"), dict):
        found.calls.append(_call(part["functionCall"]))
    elif isinstance(part.get("functionResponse"), dict):
        found.results.append(_response(part["functionResponse"]))
    else:
        found.parts.extend(_blob(item, part))


def _call(value: dict[str, Any]) -> ToolCall:
    return ToolCall(text(value.get("id")), text(value.get("name")), arguments_of(value.get("args")))


def arguments_of(value: object) -> str:
    """Arguments of a call as JSON text; empty where there are none."""
    return value if isinstance(value, str) else "" if value is None else dump(value)


def _response(value: dict[str, Any]) -> GeminiResult:
    answer = value.get("response")
    parts = tuple(_answer(answer)) + tuple(part for item in sequence(value.get("parts")) for part in _blob(item))
    return GeminiResult(
        text_or_none(value.get("id")), text_or_none(value.get("name")), parts, "error" in mapping(answer)
    )


def _answer(value: object) -> Iterator[Part]:
    """The usual answer is an object with `output` or `error`; any other one the model reads as it is."""
    fields = mapping(value)
    known = next((fields[name] for name in ("output", "error") if len(fields) == 1 and name in fields), value)
    if isinstance(known, dict):
        yield Part("text", dump(known))
    else:
        yield from parts_of(known)


def _blob(item: object, part: dict[str, Any] | None = None) -> tuple[Part, ...]:
    """Parts that are neither text nor tools. Pictures and documents are described by type and size."""
    fields = mapping(item) if part is None else part
    data, file = mapping(fields.get("inlineData")), mapping(fields.get("fileData"))
    if data or file:
        media = text(data.get("mimeType")) or text(file.get("mimeType"))
        source = {"media_type": media, "data": data.get("data"), "url": file.get("fileUri")}
        return parts_of({"type": "image" if media.startswith("image/") else "document", "source": source})
    code, ran = mapping(fields.get("executableCode")), mapping(fields.get("codeExecutionResult"))
    if code or ran:
        return parts_of(text(code.get("code")) or text(ran.get("output")))
    if fields:
        return (unknown(next(iter(fields)), item),)
    return parts_of(item)
