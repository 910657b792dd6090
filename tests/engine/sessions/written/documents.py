"""How each format that is one document writes a conversation down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.engine.sessions.written.agents import AGENTS
from tests.engine.sessions.written.lines import TIME, _blocks, _result, _results, chat
from tests.engine.sessions.written.spans import SPANS
from tests.engine.sessions.written.talk import Talk

Json = dict[str, Any]


def amp(talk: Talk) -> Json:
    def messages() -> Iterator[Json]:
        for turn in talk:
            yield {"role": "user", "content": [{"type": "text", "text": turn.prompt}], "messageId": 0}
            for answer in turn.answers:
                yield {"role": "assistant", "content": _blocks(answer), "messageId": 1}
                for call in _results(answer):
                    run = {"status": "done", "result": {"output": call.result, "exitCode": 0}}
                    yield {"role": "user", "content": [{"type": "tool_result", "toolUseID": call.id, "run": run}]}

    return {"v": 5, "id": "T-1", "created": 1_750_000_000_000, "title": "t", "messages": list(messages())}


def anthropic(talk: Talk) -> Json:
    def messages() -> Iterator[Json]:
        for turn in talk:
            yield {"role": "user", "content": [{"type": "text", "text": turn.prompt}]}
            for answer in turn.answers:
                yield {"role": "assistant", "content": _blocks(answer)}
                results = [_result(call) for call in _results(answer)]
                if results:
                    yield {"role": "user", "content": results}

    return {"model": "m", "system": "s", "messages": list(messages())}


def continuedev(talk: Talk) -> Json:
    def history() -> Iterator[Json]:
        for turn in talk:
            yield {"message": {"role": "user", "content": turn.prompt}, "contextItems": []}
            for answer in turn.answers:
                if answer.thought:
                    yield {"message": {"role": "thinking", "content": answer.thought}}
                asked = [
                    {"id": c.id, "function": {"name": "x", "arguments": json.dumps({"command": c.argument})}}
                    for c in answer.calls
                ]
                states = [
                    {"toolCallId": c.id, "status": "done", "output": [{"name": "o", "content": c.result}]}
                    for c in _results(answer)
                ]
                message = {"role": "assistant", "content": answer.text, "toolCalls": asked}
                yield {"message": message, "contextItems": [], "toolCallStates": states}

    return {"sessionId": "c", "title": "t", "workspaceDirectory": "/w", "history": list(history())}


def hermes(talk: Talk) -> Json:
    about = {"session_id": "h", "platform": "cli", "session_start": TIME, "last_updated": TIME, "message_count": 1}
    return {**about, "messages": list(chat(talk))}


def gemini(talk: Talk) -> Json:
    def messages() -> Iterator[Json]:
        for turn in talk:
            yield {"id": f"u{id(turn)}", "timestamp": TIME, "type": "user", "content": turn.prompt}
            for answer in turn.answers:
                asked = []
                for call in answer.calls:
                    response = {"functionResponse": {"id": call.id, "name": "x", "response": {"output": call.result}}}
                    made: Json = {"id": call.id, "name": "x", "args": {"command": call.argument}}
                    asked.append(made if call.result is None else {**made, "status": "success", "result": [response]})
                thoughts = [{"subject": "", "description": answer.thought}] if answer.thought else []
                said: Json = {"id": f"g{id(answer)}", "timestamp": TIME, "type": "gemini", "content": answer.text}
                yield {**said, "thoughts": thoughts, "toolCalls": asked}

    return {
        "sessionId": "g",
        "projectHash": "0" * 64,
        "startTime": TIME,
        "lastUpdated": TIME,
        "messages": list(messages()),
    }


def gemini_api(talk: Talk) -> Json:
    def contents() -> Iterator[Json]:
        for turn in talk:
            yield {"role": "user", "parts": [{"text": turn.prompt}]}
            for answer in turn.answers:
                parts: list[Json] = [{"text": answer.thought, "thought": True}] if answer.thought else []
                parts += [{"text": answer.text}] if answer.text else []
                parts += [
                    {"functionCall": {"id": c.id, "name": "x", "args": {"command": c.argument}}} for c in answer.calls
                ]
                yield {"role": "model", "parts": parts}
                results = [
                    {"functionResponse": {"id": c.id, "name": "x", "response": {"output": c.result}}}
                    for c in _results(answer)
                ]
                if results:
                    yield {"role": "user", "parts": results}

    return {"model": "g", "contents": list(contents())}


def vscode(talk: Talk) -> Json:
    requests: list[Json] = []
    for number, turn in enumerate(talk):
        rounds: list[Json] = []
        results: Json = {}
        for at, answer in enumerate(turn.answers):
            asked = [
                {"name": "x", "arguments": json.dumps({"command": c.argument}), "id": f"{c.id}__vscode-17"}
                for c in answer.calls
            ]
            rounds.append({"id": f"r{number}-{at}", "response": answer.text, "toolCalls": asked})
            if answer.thought:
                rounds[-1]["thinking"] = {"id": "", "text": answer.thought}
            results |= {f"{c.id}__vscode-18": {"content": [{"value": c.result}]} for c in _results(answer)}
        shown = [{"value": answer.text} for answer in turn.answers if answer.text]
        about = {"toolCallRounds": rounds, "toolCallResults": results}
        requests.append({
            "requestId": f"q{number}", "message": {"text": turn.prompt, "parts": []}, "response": shown,
            "timestamp": 1_750_000_000_000, "result": {"metadata": about},
        })  # fmt: skip
    return {"version": 3, "sessionId": "v", "responderUsername": "x", "initialLocation": "panel", "requests": requests}


DOCUMENTS: dict[str, Callable[[Talk], Any]] = {
    "amp": amp,
    "anthropic-messages": anthropic,
    "continue": continuedev,
    "gemini-api": gemini_api,
    "gemini-cli": gemini,
    "hermes": hermes,
    "vscode-chat": vscode,
    **AGENTS,
    **SPANS,
}
"""The first word is the format's name."""
