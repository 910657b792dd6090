"""The message that a streamed answer (server-sent events) of the Anthropic Messages API adds up to."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import count, mapping, text


def streamed(events: str) -> dict[str, Any]:
    """The answer as it would come unstreamed; empty if there is none. A stream that is cut gives what came."""
    body: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    given: dict[int, list[str]] = {}
    for line in events.replace("\r\n", "\n").split("\n"):
        if not line.startswith("data:"):
            continue
        try:
            event = mapping(decode_value(line[5:].strip().encode("utf-8", "replace")))
        except ValueError:
            continue  # the cut end of a stream, or a line that is no JSON ([DONE])
        kind = event.get("type")
        index = count(event.get("index"))
        number = len(blocks) if index is None else index
        if kind == "message_start":
            body = dict(mapping(event.get("message")))
        elif kind == "content_block_start":
            blocks[number] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            _grow(blocks.setdefault(number, {}), mapping(event.get("delta")), given.setdefault(number, []))
        elif kind == "message_delta":
            body.update(mapping(event.get("delta")))
            # The last figures count; those of the input are often only in the first.
            body["usage"] = {**mapping(body.get("usage")), **_known(mapping(event.get("usage")))}
    if not body and not blocks:
        return {}
    for number, pieces in given.items():
        if pieces:
            blocks[number]["input"] = _input("".join(pieces))
    return {"type": "message", "role": "assistant", **body, "content": [blocks[number] for number in sorted(blocks)]}


def _grow(block: dict[str, Any], delta: dict[str, Any], given: list[str]) -> None:
    kind = delta.get("type")
    if kind == "input_json_delta":
        given.append(text(delta.get("partial_json")))
        return
    for field, name in (("text", "text"), ("thinking", "thinking"), ("signature", "signature")):
        if kind == f"{name}_delta":
            block.setdefault("type", "thinking" if name == "signature" else name)
            block[field] = text(block.get(field)) + text(delta.get(field))


def _input(words: str) -> object:
    """Arguments of a call; as text where the stream was cut inside them."""
    try:
        return decode_value(words.encode("utf-8", "replace"))
    except ValueError:
        return words


def _known(usage: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in usage.items() if value is not None}
