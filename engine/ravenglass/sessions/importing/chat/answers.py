"""The completion that an answer of the chat API holds, whole or streamed in chunks."""

from __future__ import annotations

from typing import Any

from ravenglass.sessions.importing.capture import bodies, events_of
from ravenglass.sessions.records.values import count, mapping, sequence, text

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def completion_of(response: object) -> dict[str, Any]:
    """The completion inside a logged response; empty where it holds none (an error, another API)."""
    for body in bodies(response):
        if any(mapping(mapping(choice).get("message")) for choice in sequence(mapping(body).get("choices"))):
            return mapping(body)
        if isinstance(body, (str, list)) and (joined := streamed(body)):
            return joined
    return {}


def streamed(value: object) -> dict[str, Any]:
    """The completion that the chunks of a stream add up to; empty if they are none. A cut stream gives what came."""
    whole: dict[str, Any] = {}
    messages: dict[int, dict[str, Any]] = {}
    for event in events_of(value):
        if not isinstance(event.get("choices"), list):
            continue
        for key in ("id", "model", "created", "usage"):
            if event.get(key):
                whole[key] = event[key]
        for choice in map(mapping, event["choices"]):
            delta = mapping(choice.get("delta")) or mapping(choice.get("message"))
            _grow(messages.setdefault(count(choice.get("index")) or 0, {"role": "assistant"}), delta)
    if not messages:
        return {}
    return {**whole, "choices": [{"message": messages[number]} for number in sorted(messages)]}


def _grow(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key in _TEXTS:
        if isinstance(delta.get(key), str):
            message[key] = text(message.get(key)) + delta[key]
    calls: list[dict[str, Any]] = message.setdefault("tool_calls", []) if delta.get("tool_calls") else []
    for piece in map(mapping, sequence(delta.get("tool_calls"))):
        place = count(piece.get("index"))
        place = len(calls) if place is None else min(place, len(calls))
        if place == len(calls):
            calls.append({"type": "function", "function": {"name": "", "arguments": ""}})
        call = calls[place]
        call["id"] = text(piece.get("id")) or call.get("id", "")
        function = mapping(piece.get("function"))
        for key in ("name", "arguments"):
            call["function"][key] += text(function.get(key))
    legacy = mapping(delta.get("function_call"))
    if legacy:
        known = message.setdefault("function_call", {"name": "", "arguments": ""})
        for key in ("name", "arguments"):
            known[key] += text(legacy.get(key))
