"""How each format of lines writes a conversation down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.engine.sessions.written.talk import Answer, Call, Talk

Json = dict[str, Any]
TIME = "2026-01-01T10:00:00.000Z"


def _blocks(answer: Answer) -> list[Json]:
    """Anthropic's."""
    found: list[Json] = []
    if answer.thought:
        found.append({"type": "thinking", "thinking": answer.thought, "signature": ""})
    if answer.text:
        found.append({"type": "text", "text": answer.text})
    asked = [{"type": "tool_use", "id": c.id, "name": "Bash", "input": {"command": c.argument}} for c in answer.calls]
    return [*found, *asked]


def _result(call: Call) -> Json:
    return {"type": "tool_result", "tool_use_id": call.id, "content": call.result}


def _results(answer: Answer) -> list[Call]:
    return [call for call in answer.calls if call.result is not None]


def claude(talk: Talk) -> Iterator[Json]:
    number, parent = 0, None

    def record(kind: str, message: Json) -> Json:
        nonlocal number, parent
        number += 1
        before, parent = parent, f"u{number}"
        return {
            "type": kind,
            "uuid": parent,
            "parentUuid": before,
            "sessionId": "s",
            "timestamp": TIME,
            "message": message,
        }

    for turn in talk:
        yield record("user", {"role": "user", "content": turn.prompt})
        for answer in turn.answers:
            yield record("assistant", {"role": "assistant", "id": f"m{number}", "content": _blocks(answer)})
            for call in _results(answer):
                yield record("user", {"role": "user", "content": [_result(call)]})


def claude_stream(talk: Talk) -> Iterator[Json]:
    more = {"parent_tool_use_id": None, "session_id": "s"}
    yield {"type": "system", "subtype": "init", "cwd": "/w", "session_id": "s", "tools": ["Bash"], "model": "m"}
    for at, turn in enumerate(talk):
        yield {"type": "user", "message": {"role": "user", "content": turn.prompt}, **more}
        for number, answer in enumerate(turn.answers):
            for block in _blocks(answer):
                message = {"role": "assistant", "id": f"m{at}-{number}", "content": [block]}
                yield {"type": "assistant", "message": message, **more}
            for call in _results(answer):
                yield {"type": "user", "message": {"role": "user", "content": [_result(call)]}, **more}


def droid(talk: Talk) -> Iterator[Json]:
    yield {"type": "session_start", "id": "d", "title": "t", "cwd": "/w"}
    for turn in talk:
        yield {"type": "message", "id": "m", "timestamp": TIME, "message": {"role": "user", "content": turn.prompt}}
        for answer in turn.answers:
            yield {"type": "message", "id": "m", "message": {"role": "assistant", "content": _blocks(answer)}}
            results = [_result(call) for call in _results(answer)]
            if results:
                yield {"type": "message", "id": "m", "message": {"role": "user", "content": results}}


def goose(talk: Talk) -> Iterator[Json]:
    yield {"working_dir": "/w", "description": "d", "message_count": 1}
    for turn in talk:
        yield {"role": "user", "created": 1_750_000_000, "content": [{"type": "text", "text": turn.prompt}]}
        for answer in turn.answers:
            content = [block for block in _blocks(answer) if block["type"] != "tool_use"]
            for call in answer.calls:
                value = {"name": "shell", "arguments": {"command": call.argument}}
                content.append(
                    {"type": "toolRequest", "id": call.id, "toolCall": {"status": "success", "value": value}}
                )
            yield {"role": "assistant", "created": 1_750_000_000, "content": content}
            for call in _results(answer):
                result = {"status": "success", "value": [{"type": "text", "text": call.result}]}
                yield {"role": "user", "content": [{"type": "toolResponse", "id": call.id, "toolResult": result}]}


def qwen(talk: Talk) -> Iterator[Json]:
    def record(kind: str, role: str, parts: list[Json]) -> Json:
        return {
            "uuid": "u",
            "sessionId": "s",
            "timestamp": TIME,
            "type": kind,
            "message": {"role": role, "parts": parts},
        }

    for turn in talk:
        yield record("user", "user", [{"text": turn.prompt}])
        for answer in turn.answers:
            parts: list[Json] = [{"text": answer.thought, "thought": True}] if answer.thought else []
            parts += [{"text": answer.text}] if answer.text else []
            parts += [
                {"functionCall": {"id": c.id, "name": "x", "args": {"command": c.argument}}} for c in answer.calls
            ]
            yield record("assistant", "model", parts)
            for call in _results(answer):
                response = {"id": call.id, "name": "x", "response": {"output": call.result}}
                yield record("tool_result", "user", [{"functionResponse": response}])


def pi(talk: Talk) -> Iterator[Json]:
    number, parent = 0, None

    def record(message: Json) -> Json:
        nonlocal number, parent
        number += 1
        before, parent = parent, f"e{number}"
        return {"type": "message", "id": parent, "parentId": before, "timestamp": TIME, "message": message}

    yield {"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/w"}
    for turn in talk:
        yield record({"role": "user", "content": [{"type": "text", "text": turn.prompt}]})
        for answer in turn.answers:
            content = [block for block in _blocks(answer) if block["type"] != "tool_use"]
            content += [
                {"type": "toolCall", "id": call.id, "name": "x", "arguments": {"command": call.argument}}
                for call in answer.calls
            ]
            yield record({"role": "assistant", "content": content})
            for call in _results(answer):
                content = [{"type": "text", "text": call.result}]
                yield record({"role": "toolResult", "toolCallId": call.id, "content": content})


def codex_stream(talk: Talk) -> Iterator[Json]:
    """Has no prompts."""
    yield {"type": "thread.started", "thread_id": "t"}
    for turn in talk:
        yield {"type": "turn.started"}
        for answer in turn.answers:
            if answer.thought:
                yield {"type": "item.completed", "item": {"id": "r", "type": "reasoning", "text": answer.thought}}
            for call in answer.calls:
                item = {"id": call.id, "type": "command_execution", "command": call.argument, "status": "in_progress"}
                yield {"type": "item.started", "item": {**item, "aggregated_output": ""}}
                if call.result is not None:
                    done = {**item, "aggregated_output": call.result, "exit_code": 0, "status": "completed"}
                    yield {"type": "item.completed", "item": done}
            if answer.text:
                yield {"type": "item.completed", "item": {"id": "a", "type": "agent_message", "text": answer.text}}
        yield {"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 9}}


def gemini_stream(talk: Talk) -> Iterator[Json]:
    """Has no thoughts."""
    yield {"type": "init", "timestamp": TIME, "session_id": "g", "model": "m"}
    for turn in talk:
        yield {"type": "message", "role": "user", "content": turn.prompt, "timestamp": TIME}
        for answer in turn.answers:
            half = len(answer.text) // 2
            for piece in filter(None, (answer.text[:half], answer.text[half:])):
                yield {"type": "message", "role": "assistant", "content": piece, "delta": True}
            for call in answer.calls:
                yield {
                    "type": "tool_use",
                    "tool_name": "x",
                    "tool_id": call.id,
                    "parameters": {"command": call.argument},
                }
            for call in _results(answer):
                yield {"type": "tool_result", "tool_id": call.id, "status": "success", "output": call.result}


def cursor_stream(talk: Talk) -> Iterator[Json]:
    yield {"type": "system", "subtype": "init", "apiKeySource": "login", "cwd": "/w", "session_id": "c"}
    for turn in talk:
        yield {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": turn.prompt}]}}
        for answer in turn.answers:
            half = len(answer.thought) // 2
            for piece in filter(None, (answer.thought[:half], answer.thought[half:])):
                yield {"type": "thinking", "subtype": "delta", "text": piece}
            if answer.text:
                content = [{"type": "text", "text": answer.text}]
                yield {"type": "assistant", "message": {"role": "assistant", "content": content}}
            for call in answer.calls:
                tool = {"shellToolCall": {"args": {"command": call.argument}}}
                yield {"type": "tool_call", "subtype": "started", "call_id": call.id, "tool_call": tool}
            for call in _results(answer):
                body = {
                    "args": {"command": call.argument},
                    "result": {"success": {"stdout": call.result, "exitCode": 0}},
                }
                yield {
                    "type": "tool_call",
                    "subtype": "completed",
                    "call_id": call.id,
                    "tool_call": {"shellToolCall": body},
                }


def chat(talk: Talk) -> Iterator[Json]:
    for turn in talk:
        yield {"role": "user", "content": turn.prompt}
        for answer in turn.answers:
            yield chat_answer(answer)
            for call in _results(answer):
                yield {"role": "tool", "tool_call_id": call.id, "content": call.result}


def chat_answer(answer: Answer) -> Json:
    """In the form of chat completions."""
    asked = [
        {"id": c.id, "type": "function", "function": {"name": "x", "arguments": json.dumps({"command": c.argument})}}
        for c in answer.calls
    ]
    said: Json = {"role": "assistant", "content": answer.text or None, "reasoning_content": answer.thought}
    return {**said, "tool_calls": asked} if asked else said


def chat_log(talk: Talk) -> Iterator[Json]:
    """Requests that repeat their history, each with its answer."""
    sent: list[Json] = []
    for turn in talk:
        sent.append({"role": "user", "content": turn.prompt})
        for answer in turn.answers:
            said = chat_answer(answer)
            completion = {"choices": [{"message": said}], "usage": {"prompt_tokens": 100 * len(sent) + 100}}
            yield {"request": {"model": "m", "messages": list(sent)}, "response": completion}
            sent.append(said)
            sent += [{"role": "tool", "tool_call_id": c.id, "content": c.result} for c in _results(answer)]


def responses(talk: Talk) -> Iterator[Json]:
    for turn in talk:
        yield {"type": "message", "role": "user", "content": [{"type": "input_text", "text": turn.prompt}]}
        for answer in turn.answers:
            if answer.thought:
                yield {"type": "reasoning", "summary": [{"type": "summary_text", "text": answer.thought}]}
            if answer.text:
                yield {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": answer.text}],
                }
            for call in answer.calls:
                given = json.dumps({"command": call.argument})
                yield {"type": "function_call", "call_id": call.id, "name": "x", "arguments": given}
            for call in _results(answer):
                yield {"type": "function_call_output", "call_id": call.id, "output": call.result}


def codex(talk: Talk) -> Iterator[Json]:
    yield {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s", "timestamp": TIME, "cwd": "/w"}}
    for item in responses(talk):
        yield {"timestamp": TIME, "type": "response_item", "payload": item}


def raven(talk: Talk) -> Iterator[Json]:
    """Raven's and nanobot's."""
    yield {"_type": "metadata", "key": "cli:r", "created_at": TIME, "metadata": {}, "last_consolidated": 0}
    for message in chat(talk):
        yield {**message, "timestamp": TIME}


LINES: dict[str, Callable[[Talk], Iterator[Json]]] = {
    "claude-code": claude,
    "claude-stream": claude_stream,
    "codex": codex,
    "codex-stream": codex_stream,
    "cursor-stream": cursor_stream,
    "droid": droid,
    "gemini-stream": gemini_stream,
    "goose": goose,
    "openai-chat": chat,
    "openai-responses": responses,
    "pi": pi,
    "qwen-code": qwen,
    "raven": raven,
}
