"""How the generations of OpenTelemetry's conventions write a conversation down: a span a call, with its history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.engine.sessions.written.lines import _results, chat_answer
from tests.engine.sessions.written.talk import Answer, Talk, calls

Json = dict[str, Any]
_START = 1_750_000_000_000_000_000


def _calls(talk: Talk) -> Iterator[tuple[list[Any], Answer]]:
    """What each call was sent (prompts, answers, results), and what it answered."""
    history: list[Any] = []
    for turn in talk:
        history.append(turn.prompt)
        for answer in turn.answers:
            yield list(history), answer
            history += [answer, *_results(answer)]


def _export(calls: Iterator[tuple[Json, list[Json]]]) -> Json:
    spans = []
    for number, (given, events) in enumerate(calls):
        attributes = [_attribute(key, value) for key, value in {"gen_ai.operation.name": "chat", **given}.items()]
        at = _START + number * 10**9
        spans.append({
            "traceId": "1" * 32, "spanId": f"{number + 1:016x}", "name": "chat m", "attributes": attributes,
            "startTimeUnixNano": str(at), "endTimeUnixNano": str(at + 10**8), "events": events,
        })  # fmt: skip
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def _tool_spans(talk: Talk) -> list[Json]:
    """A span a call of a tool, with what it brought."""
    found: list[Json] = []
    for call in calls(talk):
        given = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x", "gen_ai.tool.call.id": call.id}
        given |= {"gen_ai.tool.call.result": call.result} if call.result is not None else {}
        attributes = [_attribute(key, value) for key, value in given.items()]
        at = str(_START + len(found) * 10**9)
        found.append({"traceId": "1" * 32, "spanId": f"{len(found) + 9_000:016x}", "name": "execute_tool x",
                      "startTimeUnixNano": at, "endTimeUnixNano": at, "attributes": attributes})  # fmt: skip
    return found


def _attribute(key: str, value: object) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def _parts(item: Any) -> Json:
    if isinstance(item, str):
        return {"role": "user", "parts": [{"type": "text", "content": item}]}
    if not isinstance(item, Answer):
        return {"role": "tool", "parts": [{"type": "tool_call_response", "id": item.id, "response": item.result}]}
    parts: list[Json] = [{"type": "reasoning", "content": item.thought}] if item.thought else []
    parts += [{"type": "text", "content": item.text}] if item.text else []
    parts += [{"type": "tool_call", "id": c.id, "name": "x", "arguments": {"command": c.argument}} for c in item.calls]
    return {"role": "assistant", "parts": parts}


def _message(item: Any) -> Json:
    """As chat completions have it."""
    if isinstance(item, str):
        return {"role": "user", "content": item}
    if isinstance(item, Answer):
        return chat_answer(item)
    return {"role": "tool", "tool_call_id": item.id, "content": item.result}


def with_parts(talk: Talk) -> Json:
    """Attributes of messages with parts, since 1.37."""
    return _export(
        (
            {
                "gen_ai.input.messages": json.dumps([_parts(item) for item in sent]),
                "gen_ai.output.messages": json.dumps([_parts(answer)]),
            },
            [],
        )
        for sent, answer in _calls(talk)
    )


def with_events(talk: Talk) -> Json:
    """An event a message, up to 1.36; thoughts have no place."""

    def event(name: str, body: Json) -> Json:
        given = [_attribute(key, item if isinstance(item, str) else json.dumps(item)) for key, item in body.items()]
        return {"name": name, "attributes": given}

    def requests() -> Iterator[tuple[Json, list[Json]]]:
        for sent, answer in _calls(talk):
            told = []
            for item in sent:
                body = {key: value for key, value in _message(item).items() if value}
                body["id"] = body.pop("tool_call_id", "")
                told.append(event(f"gen_ai.{body['role']}.message", body))
            yield {}, [*told, event("gen_ai.choice", {"index": "0", "message": chat_answer(answer)})]

    return _export(requests())


def with_numbers(talk: Talk) -> Json:
    """Numbered attributes, as OpenLLMetry writes them; thoughts have no place."""

    def flat(prefix: str, message: Json) -> Iterator[tuple[str, str]]:
        for key in ("role", "content", "tool_call_id"):
            if message.get(key):
                yield f"{prefix}.{key}", message[key]
        for number, call in enumerate(message.get("tool_calls", [])):
            yield f"{prefix}.tool_calls.{number}.id", call["id"]
            yield f"{prefix}.tool_calls.{number}.name", call["function"]["name"]
            yield f"{prefix}.tool_calls.{number}.arguments", call["function"]["arguments"]

    def requests() -> Iterator[tuple[Json, list[Json]]]:
        for sent, answer in _calls(talk):
            given: Json = {}
            for number, item in enumerate(sent):
                given |= flat(f"gen_ai.prompt.{number}", _message(item))
            yield {**given, **dict(flat("gen_ai.completion.0", chat_answer(answer)))}, []

    return _export(requests())


def with_tool_spans(talk: Talk) -> Json:
    """With a span of every call of a tool: what the last calls brought stands nowhere else."""
    made = with_parts(talk)
    spans = made["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans[:0] = _tool_spans(talk)
    return made


SPANS: dict[str, Callable[[Talk], Json]] = {
    "otel": with_parts,
    "otel with events": with_events,
    "otel with numbered attributes": with_numbers,
    "otel with spans of tools": with_tool_spans,
}
"""The first word is the format's name."""
